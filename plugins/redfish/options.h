// /etc/fmd/redfish.toml
#pragma once
#include <chrono>
#include <string>

#include "fmd/base/result.h"

namespace fmd::redfish {

struct Options {
  std::string state_file;  // "": none
  std::string service;     // "https://192.0.2.7", without a path
  std::string user, password_file;
  std::string ca_file;     // "": the system's authorities
  std::string public_key;  // "sha256//…": the only trusted key; "": trust by authority
  std::chrono::milliseconds interval{60000};   // between polls
  std::chrono::milliseconds confirm{10000};    // until a new state is read a second time
  std::chrono::milliseconds request{30000};    // for one request
  std::chrono::milliseconds deadline{300000};  // for a whole poll
  std::chrono::milliseconds at_most{600000};   // between polls of a service that does not respond
  bool bays = true;                            // report drive bays
  bool listen = true;                          // to events, if the service streams them
  std::string folder;  // for the session; "": $RUNTIME_DIRECTORY, else one of our own
};

Result<Options> load_options(const std::string& file);

}  // namespace fmd::redfish
