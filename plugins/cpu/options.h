// /etc/fmd/cpu.toml
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::cpu {

struct Options {
  std::chrono::milliseconds rescan{30000};
  std::chrono::milliseconds act_deadline{30000};
  std::chrono::milliseconds episode{1000};  // errors of one part within this time are one event
  std::chrono::milliseconds minute{60000};  // window of the storm count
  size_t unacked_at_most = 8000;            // events; above this number the plugin stops reading
  bool act = true;
  bool corrected_offline = false;  // many corrected errors take a core out of service
  uint64_t booted_s = 0;           // wall clock time of this boot; 0: computed from the clocks
  std::string state_file;
  std::vector<std::string> descriptions{FMD_CHASSIS_DIR, FMD_LOCAL_CHASSIS_DIR};
};
Result<Options> load_options(const std::string& file);  // "": none

}  // namespace fmd::cpu
