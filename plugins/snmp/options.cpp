#include "plugins/snmp/options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "plugins/sdk/config.h"
#include "plugins/sdk/secret.h"

namespace fmd::snmp {

namespace {

constexpr size_t kLongestPath = 107;  // sockaddr_un
constexpr std::array<std::string_view, 6> kAuthentication{"MD5",     "SHA",     "SHA-224",
                                                          "SHA-256", "SHA-384", "SHA-512"};
constexpr std::array<std::string_view, 4> kPrivacy{"DES", "AES", "AES-192", "AES-256"};

void check_bus(sdk::Config& config, const std::string& bus) {
  if (bus != "system" && bus != "session" && bus != "none" && bus.find('=') == bus.npos)
    config.wrong("bus", R"(must be "system", "session", "none" or an address ("unix:path=/..."))");
}

template <size_t N>
void check_one_of(sdk::Config& config, const char* key, const std::string& value,
                  const std::array<std::string_view, N>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  std::string words;
  for (const std::string_view word : known)
    words += (words.empty() ? "\"" : ", \"") + std::string(word) + "\"";
  config.wrong(key, "must be one of " + words);
}

void check_file(sdk::Config& config, const char* key, const std::string& value, const char* what) {
  if (!value.starts_with('/'))
    config.wrong(key, std::string("must be the whole path of a file whose first line is ") + what);
  else if (const auto secret = sdk::read_secret(value); !secret)
    config.wrong(key, secret.error().message);
}

InformOptions load_inform(sdk::Config& config) {
  InformOptions inform;
  inform.managers = config.texts("inform.managers", {});
  const std::string version = config.text("inform.version", "3");
  inform.v3 = version != "2c";
  inform.community_file = config.text("inform.community_file", "");
  inform.user = config.text("inform.user", "");
  inform.auth = config.text("inform.auth", inform.auth);
  inform.auth_file = config.text("inform.auth_passphrase_file", "");
  inform.privacy = config.text("inform.privacy", inform.privacy);
  inform.privacy_file = config.text("inform.privacy_passphrase_file", "");
  inform.timeout = config.duration("inform.timeout", inform.timeout);
  if (version != "3" && version != "2c") config.wrong("inform.version", R"(must be "3" or "2c")");
  if (inform.timeout > std::chrono::seconds(10))
    config.wrong("inform.timeout", "must be at most 10 s");
  check_one_of(config, "inform.auth", inform.auth, kAuthentication);
  check_one_of(config, "inform.privacy", inform.privacy, kPrivacy);
  if (inform.managers.empty()) return inform;
  for (const std::string& manager : inform.managers)
    if (manager.empty() || manager.starts_with('-') ||
        manager.find_first_of(" \t\r\n") != manager.npos)
      config.wrong("inform.managers",
                   R"(must be addresses such as "192.0.2.10" or "udp6:[2001:db8::1]:162")");
  if (!inform.v3) {
    check_file(config, "inform.community_file", inform.community_file, "the community");
    return inform;
  }
  if (inform.user.empty()) config.wrong("inform.user", "must name the SNMPv3 user");
  check_file(config, "inform.auth_passphrase_file", inform.auth_file, "the passphrase");
  check_file(config, "inform.privacy_passphrase_file", inform.privacy_file, "the passphrase");
  return inform;
}

}  // namespace

Result<Options> Options::load(const std::string& path) {
  sdk::Config config(path);
  Options options;
  options.path = path;
  std::string socket = config.text("agentx", options.socket);
  if (socket.starts_with("unix:")) socket.erase(0, 5);
  // TCP is refused: any local user could send notifications in this machine's name.
  if (!socket.starts_with('/') || socket.size() > kLongestPath)
    config.wrong("agentx", "must be the whole path of a socket, such as \"/var/agentx/master\"");
  options.socket = std::move(socket);
  options.bus = config.text("bus", options.bus);
  check_bus(config, options.bus);
  options.entities = config.boolean("entities", options.entities);
  options.inform = load_inform(config);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return options;
}

}  // namespace fmd::snmp
