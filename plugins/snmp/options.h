// What /etc/fmd/snmp.toml says, checked.
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::snmp {

struct Options {
  std::string socket = "/var/agentx/master";  // the AgentX master's; net-snmp's own default

  // path "": no configuration. All errors are listed, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::snmp
