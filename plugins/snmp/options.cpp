#include "plugins/snmp/options.h"

#include "plugins/sdk/config.h"

namespace fmd::snmp {

Result<Options> Options::load(const std::string& path) {
  sdk::Config config(path);
  Options options;
  options.agentx = config.text("agentx", options.agentx);
  if (options.agentx.empty()) config.wrong("agentx", "must be a path, unix:PATH or tcp:HOST:PORT");
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return options;
}

}  // namespace fmd::snmp
