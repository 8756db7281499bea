// /etc/fmd/volumes.toml
#pragma once
#include <chrono>
#include <string>

#include "fmd/base/result.h"

namespace fmd::volumes {

struct Options {
  std::chrono::milliseconds rescan{30000};
  std::chrono::milliseconds rescan_busy{5000};
  std::chrono::milliseconds scan_deadline{60000};
  bool act = true;
  std::string state_file;
};
Result<Options> load_options(const std::string& file);  // "": none

}  // namespace fmd::volumes
