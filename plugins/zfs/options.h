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
  Act act = Act::always;                            // whether this plugin changes anything
  std::chrono::milliseconds poll{30000};            // full look at the pools
  std::chrono::milliseconds poll_busy{2000};        // while something scans or resilvers
  std::chrono::milliseconds zpool_deadline{10000};  // of looks; commands have the core's
  bool latency = true;                              // whether the vdevs' latencies are compared
  std::chrono::milliseconds latency_every{60000};   // half of it is measured
  bool retire_only_with_spare = false;
  std::set<std::string> no_spare;  // names of pools
  SpareOrder spare_order = SpareOrder::distributed_first;
  std::string state_file;  // from STATE_DIRECTORY; "" none
};

Result<Options> load_options(const std::string& file);  // "": none

}  // namespace fmd::zfs
