// What /etc/fmd/snmp.toml says, checked.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::snmp {

// Informs sent to managers by fmd-snmp itself, while there is no AgentX master.
struct InformOptions {
  std::vector<std::string> managers;  // "192.0.2.10", "udp6:[2001:db8::1]:162"; {}: none
  bool v3 = true;                     // else 2c
  std::string community_file;         // of 2c
  // Of v3, always with authentication and encryption.
  std::string user, auth = "SHA", auth_file, privacy = "AES", privacy_file;
  std::chrono::milliseconds timeout{3000};  // of each try; there are three
};

struct Options {
  std::string path;                           // of the file
  std::string socket = "/var/agentx/master";  // the AgentX master's; net-snmp's own default
  std::string bus = "system";  // where fmd is asked; "none": not at all, and there are no tables
  bool entities = true;        // serve ENTITY-MIB, ENTITY-SENSOR-MIB and ENTITY-STATE-MIB too
  InformOptions inform;

  // path "": no configuration. All errors are listed, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::snmp
