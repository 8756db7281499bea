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
  std::string public_key;  // "sha256//…": the one certificate that is trusted; "" by authority
  std::chrono::milliseconds interval{60000};   // between two looks
  std::chrono::milliseconds confirm{10000};    // till the second look at what is new
  std::chrono::milliseconds request{30000};    // the longest for one request
  std::chrono::milliseconds deadline{300000};  // of a whole look
  std::chrono::milliseconds at_most{600000};  // between two tries at a service that does not answer
  bool bays = true;                           // tell of drive bays
  bool listen = true;                         // to events, where the service streams them
  std::string folder;  // for the session; "": $RUNTIME_DIRECTORY, else one of our own
};

Result<Options> load_options(const std::string& file);

}  // namespace fmd::redfish
