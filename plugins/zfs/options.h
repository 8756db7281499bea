// /etc/fmd/zfs.toml
#pragma once
#include <chrono>
#include <set>
#include <string>

#include "fmd/base/result.h"
#include "plugins/zfs/spare_choice.h"

namespace fmd::zfs {

struct Options {
  enum class Act { always, unless_zed, never };
  Act act = Act::always;                            // whether this plugin changes pools
  std::chrono::milliseconds poll{30000};            // interval of complete looks
  std::chrono::milliseconds poll_busy{2000};        // during a scan or resilver
  std::chrono::milliseconds zpool_deadline{10000};  // for looks; commands have fmd's deadline
  bool latency = true;                              // whether vdev latencies are compared
  std::chrono::milliseconds latency_every{60000};   // half of it is measured
  bool retire_only_with_spare = false;
  std::set<std::string> no_spare;  // names of pools
  SpareOrder spare_order = SpareOrder::distributed_first;
  std::string state_file;  // from STATE_DIRECTORY; "" none
};

Result<Options> load_options(const std::string& file);  // "": none

}  // namespace fmd::zfs
