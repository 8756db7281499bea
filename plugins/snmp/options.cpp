#include "plugins/snmp/options.h"

#include "plugins/sdk/config.h"

namespace fmd::snmp {

namespace {

constexpr size_t kLongestPath = 107;  // sockaddr_un

}  // namespace

Result<Options> Options::load(const std::string& path) {
  sdk::Config config(path);
  Options options;
  std::string socket = config.text("agentx", options.socket);
  if (socket.starts_with("unix:")) socket.erase(0, 5);
  // No TCP: whoever can connect there could send notifications in this machine's name.
  if (!socket.starts_with('/') || socket.size() > kLongestPath)
    config.wrong("agentx", "must be the whole path of a socket, such as \"/var/agentx/master\"");
  options.socket = std::move(socket);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return options;
}

}  // namespace fmd::snmp
