#include "plugins/redfish/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "plugins/sdk/config.h"
#include "plugins/sdk/secret.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::redfish {
namespace {

// "https://HOST[:PORT]", with nothing after it.
bool is_service(std::string_view url) {
  constexpr std::string_view kStart = "https://";
  if (!url.starts_with(kStart)) return false;
  url.remove_prefix(kStart.size());
  return !url.empty() && url.front() != ':' && url.front() != '-' &&
         url.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-[]") == url.npos;
}

}  // namespace

Result<Options> load_options(const std::string& file) {
  Options o;
  sdk::Config config(file);
  o.service = config.text("service", "");
  o.user = config.text("user", "");
  o.password_file = config.text("password_file", "");
  o.ca_file = config.text("ca_file", "");
  o.public_key = config.text("public_key", "");
  o.interval = config.duration("interval", o.interval);
  o.confirm = config.duration("confirm", o.confirm);
  o.request = config.duration("request", o.request);
  o.deadline = config.duration("deadline", o.deadline);
  o.at_most = config.duration("at_most", o.at_most);
  o.bays = config.boolean("bays", o.bays);
  o.listen = config.boolean("listen", o.listen);
  if (o.service.ends_with('/')) o.service.pop_back();
  // Without a configured service the plugin reports that and waits.
  if (!o.service.empty()) {
    if (!is_service(o.service))
      config.wrong("service", "must be https://HOST or https://HOST:PORT");
    if (o.user.empty()) config.wrong("user", "is missing: an account that may read and log in");
    if (!o.password_file.starts_with("/"))
      config.wrong("password_file", "must be the absolute path of a file that holds the password");
    else if (auto password = sdk::read_secret(o.password_file); !password)
      config.wrong("password_file", password.error().message);
  }
  if (!o.public_key.empty() && !o.public_key.starts_with("sha256//"))
    config.wrong("public_key", "must be \"sha256//\" and the key's hash in base64");
  if (!o.ca_file.empty() && access(o.ca_file.c_str(), R_OK) != 0)
    config.wrong("ca_file", "cannot be read");
  if (o.interval < std::chrono::seconds(1) && config.has("interval"))
    config.wrong("interval", "must be at least \"1s\"");
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  o.state_file = sdk::state_file("redfish-memory.json");
  return o;
}

}  // namespace fmd::redfish
