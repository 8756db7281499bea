// /etc/fmd/ipmi.toml
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::ipmi {

struct Options {
  std::chrono::milliseconds interval{30000};         // between polls of all sensors
  std::chrono::milliseconds confirm{10000};          // until a new state is read a second time
  std::chrono::milliseconds deadline{60000};         // for one ipmitool
  std::chrono::milliseconds at_most{600000};         // between polls of a BMC that does not respond
  std::chrono::milliseconds parts{6 * 3600 * 1000};  // between queries of the FRU memories
  std::chrono::milliseconds old_entries{7 * 24 * 3600 * 1000};  // before this boot: not evidence
  struct {
    std::string host;  // "": this machine's BMC, in-band
    int64_t port = 623;
    std::string user, password_file, interface = "lanplus", privilege = "user";
  } lan;
  std::vector<std::string> descriptions{FMD_CHASSIS_DIR, FMD_LOCAL_CHASSIS_DIR};
  std::vector<std::string> meanings{FMD_IPMI_DIR, FMD_LOCAL_IPMI_DIR};
  std::string state_file;  // "": none
  std::string
      folder;  // for what ipmitool reads and writes; "": $RUNTIME_DIRECTORY, else one of our own
};

Result<Options> load_options(const std::string& file);  // "": none

}  // namespace fmd::ipmi
