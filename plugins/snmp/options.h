// /etc/fmd/snmp.toml, checked.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::snmp {

// Informs that fmd-snmp sends directly to managers while there is no AgentX master.
struct InformOptions {
  std::vector<std::string> managers;  // "192.0.2.10", "udp6:[2001:db8::1]:162"; {}: none
  bool v3 = true;                     // else 2c
  std::string community_file;         // for 2c
  // For v3, always with authentication and encryption.
  std::string user, auth = "SHA", auth_file, privacy = "AES", privacy_file;
  std::chrono::milliseconds timeout{3000};  // per attempt; there are three
};

struct Options {
  std::string path;                           // of the configuration file
  std::string socket = "/var/agentx/master";  // of the AgentX master; net-snmp's default
  std::string bus = "system";                 // on which fmd is queried; "none": no tables
  bool entities = true;  // also serve ENTITY-MIB, ENTITY-SENSOR-MIB and ENTITY-STATE-MIB
  InformOptions inform;

  // path "": no configuration. Reports all errors, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::snmp
