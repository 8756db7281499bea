// EventLog: the two logs of fmdump: the error log (events, fetched in pages) and the fault log
// (changes of cases), once or followed as they grow.
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
  int verbosity = 0;    // 0 one line, 1 (-v) more, 2 (-V) everything
  std::string class_glob, resource, uuid;
  std::optional<int64_t> from_ns, to_ns;
  uint64_t max = 0;  // only the newest; 0: all
  bool json = false;
};

Result<void> dump_events(Client& client, const DumpOptions& options);
// The same as documents, oldest first.
Result<void> collect_events(Client& client, const DumpOptions& options,
                            std::vector<nlohmann::json>& events);
Result<void> dump_cases(Client& client, const DumpOptions& options);

}  // namespace fmd::cli
