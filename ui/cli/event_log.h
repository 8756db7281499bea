// EventLog: what fmdump shows: the error log (events, paged from the daemon) and the fault log
// (what became of cases), once or followed as it grows.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

struct DumpOptions {
  bool errors = false;  // -e: the error log
  bool follow = false;  // -f
  int verbosity = 0;    // 0 a line, 1 (-v) more, 2 (-V) everything
  std::string class_glob, resource, uuid;
  std::optional<int64_t> from_ns, to_ns;
  uint64_t max = 0;  // the newest ones only; 0: all
  bool json = false;
};

Result<void> dump_events(Client& client, const DumpOptions& options);
// The same as documents, the oldest first.
Result<void> collect_events(Client& client, const DumpOptions& options,
                            std::vector<nlohmann::json>& events);
Result<void> dump_cases(Client& client, const DumpOptions& options);

}  // namespace fmd::cli
