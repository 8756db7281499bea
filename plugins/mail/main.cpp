#include "plugins/mail/mail_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::mail::Options::load(context.config_path);
  if (!options) return tl::unexpected(options.error());
  auto plugin = fmd::mail::MailPlugin::create(context, std::move(*options));
  if (!plugin) return tl::unexpected(plugin.error());
  return std::shared_ptr<void>(std::move(*plugin));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "mail",
                               "fmd's mail plugin: tells people of faults by mail", make);
}
