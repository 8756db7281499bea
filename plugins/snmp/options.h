// What /etc/fmd/snmp.toml says, checked.
#pragma once
#include <string>

#include "fmd/core/result.h"

namespace fmd::snmp {

struct Options {
  std::string agentx = "/var/agentx/master";  // net-snmp transport address of the AgentX master

  // path "": no configuration. All errors are listed, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::snmp
