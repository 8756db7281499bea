// fmadm smart: SMART data of disks.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

class Program;
void add_smart(Program& program);

// parts: empty means all disks.
Result<void> smart_show(Client& client, const std::vector<std::string>& parts, bool json);
// Queries each disk now and shows the result.
Result<void> smart_refresh(Client& client, const std::vector<std::string>& parts, bool json);

struct SelfTestOptions {
  std::string part, type;  // type: "short", "long", "abort"
  bool force = false, json = false;
};
Result<void> smart_test(Client& client, const SelfTestOptions& options);

}  // namespace fmd::cli
