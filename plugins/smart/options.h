// /etc/fmd/smart.toml
#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::smart {

struct Passthrough {  // a disk that only smartctl can see, behind a RAID controller
  std::string device, type;
};

struct Options {
  std::chrono::milliseconds interval{30 * 60 * 1000};  // between queries of a disk
  std::chrono::milliseconds deadline{60000};           // for one smartctl
  std::chrono::milliseconds retry{5 * 60 * 1000};      // after a hang, and during a self-test
  std::chrono::milliseconds rescan{60000};             // interval of listing disks
  int64_t at_once = 16;                                // concurrent smartctl processes
  int64_t standby_skips = 0;  // queries skipped before a sleeping disk is spun up; 0: never
  std::map<std::string, std::string> types;  // device name, serial or WWN → smartctl's -d
  std::vector<Passthrough> passthrough;
  std::vector<std::string> ignore;  // device names, serials, WWNs
  struct {
    std::chrono::milliseconds short_every{0}, long_every{0};  // 0: off
    int64_t at_once = 4;
  } selftest;
};

Result<Options> load_options(const std::string& file);  // "": none

}  // namespace fmd::smart
