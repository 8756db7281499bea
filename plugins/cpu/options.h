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
  std::chrono::milliseconds episode{1000};  // what is said within it of one part is one error
  std::chrono::milliseconds minute{60000};  // what a storm is counted over
  size_t unacked_at_most = 8000;            // events: then nothing more is read
  bool act = true;
  bool corrected_offline = false;  // many corrected errors take a core out of service
  uint64_t booted_s = 0;           // when this boot began, by the wall clock; 0: as the clocks tell
  std::string state_file;
  std::vector<std::string> descriptions{FMD_CHASSIS_DIR, FMD_LOCAL_CHASSIS_DIR};
};
Result<Options> load_options(const std::string& file);  // "": none

}  // namespace fmd::cpu
