// fmadm smart: what disks say of themselves.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

class Program;
void add_smart(Program& program);

// parts: all disks when empty.
Result<void> smart_show(Client& client, const std::vector<std::string>& parts, bool json);
// Asks each now, and shows what it said.
Result<void> smart_refresh(Client& client, const std::vector<std::string>& parts, bool json);

struct SelfTestOptions {
  std::string part, type;  // type: "short", "long", "abort"
  bool force = false, json = false;
};
Result<void> smart_test(Client& client, const SelfTestOptions& options);

}  // namespace fmd::cli
