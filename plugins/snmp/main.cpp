// fmd-snmp: each notice becomes one SNMP notification, handed to the AgentX master, once.
#include "plugins/sdk/notifier.h"
#include "plugins/snmp/options.h"
#include "plugins/snmp/subagent.h"

namespace {

using fmd::Result;
using fmd::sdk::Notice;
using fmd::sdk::Notifier;

struct SnmpPlugin {
  fmd::snmp::Options options;
  std::unique_ptr<Notifier> notifier;
  std::unique_ptr<fmd::snmp::Subagent> subagent;  // last: what is under way ends before the rest

  void say(bool connected) const {
    if (connected)
      notifier->plugin().send_status("ok", "");
    else
      notifier->plugin().send_status(
          "not-observed",
          "no AgentX master at " + options.socket + ": snmpd needs `master agentx` in snmpd.conf");
  }

  void send(const Notice& notice, const Notifier::Answer& answer) const {
    const auto notification = fmd::snmp::notification_of(notice);
    if (!notification)
      return answer({"failed", notification.error().message, nlohmann::json::object()});
    subagent->notify(*notification, [answer](const std::string& problem) {
      answer({problem.empty() ? "done" : "failed", problem, nlohmann::json::object()});
    });
  }
};

Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::snmp::Options::load(context.config_path);
  if (!options) return tl::unexpected(options.error());
  auto plugin = std::make_shared<SnmpPlugin>();
  plugin->options = std::move(*options);
  auto* self = plugin.get();
  auto notifier = Notifier::create(
      context.loop, "snmp", context.socket,
      [self](const Notice& notice, const Notifier::Answer& answer) { self->send(notice, answer); });
  if (!notifier) return tl::unexpected(notifier.error());
  plugin->notifier = std::move(*notifier);
  plugin->say(false);
  plugin->subagent = std::make_unique<fmd::snmp::Subagent>(
      context.loop, plugin->options.socket, [self](bool connected) { self->say(connected); });
  if (auto started = plugin->subagent->start(); !started) return tl::unexpected(started.error());
  return std::shared_ptr<void>(std::move(plugin));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(
      argc, argv, "snmp", "fmd's SNMP plugin: tells managers of faults by notifications", make);
}
