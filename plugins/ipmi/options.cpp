#include "plugins/ipmi/options.h"

#include <algorithm>

#include "plugins/sdk/config.h"
#include "plugins/sdk/secret.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::ipmi {

Result<Options> load_options(const std::string& file) {
  Options o;
  sdk::Config config(file);
  o.interval = config.duration("interval", o.interval);
  o.confirm = config.duration("confirm", o.confirm);
  o.deadline = config.duration("deadline", o.deadline);
  o.at_most = config.duration("at_most", o.at_most);
  o.parts = config.duration("parts", o.parts);
  o.old_entries = config.duration("old_entries", o.old_entries);
  o.descriptions = config.texts("descriptions", o.descriptions);
  o.meanings = config.texts("meanings", o.meanings);
  o.lan.host = config.text("lan.host", "");
  o.lan.port = config.integer("lan.port", o.lan.port, 1, 65535);
  o.lan.user = config.text("lan.user", "");
  o.lan.password_file = config.text("lan.password_file", "");
  o.lan.interface = config.text("lan.interface", o.lan.interface);
  o.lan.privilege = config.text("lan.privilege", o.lan.privilege);
  if (o.interval < std::chrono::seconds(1) && config.has("interval"))
    config.wrong("interval", "must be at least \"1s\"");
  if (o.lan.interface != "lanplus" && o.lan.interface != "lan")
    config.wrong("lan.interface", "must be \"lanplus\" or \"lan\"");
  // ipmitool would treat an address that begins with "-" as an option.
  if (o.lan.host.starts_with("-")) config.wrong("lan.host", "is no address");
  if (!o.lan.host.empty() && o.lan.password_file.empty())
    config.wrong("lan.password_file", "is missing: a file that holds the password");
  if (!o.lan.password_file.empty() && !o.lan.password_file.starts_with("/"))
    config.wrong("lan.password_file", "must be an absolute path");
  if (!o.lan.host.empty() && o.lan.password_file.starts_with("/"))
    if (const auto password = sdk::read_secret(o.lan.password_file); !password)
      config.wrong("lan.password_file", password.error().text());
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  o.state_file = sdk::state_file("ipmi-memory.json");
  return o;
}

}  // namespace fmd::ipmi
