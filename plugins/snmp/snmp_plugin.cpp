#include "plugins/snmp/snmp_plugin.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/notice.h"
#include "plugins/sdk/whole_file.h"

#include <syslog.h>

#include <filesystem>

namespace fmd::snmp {
namespace {

// In the folder of this program.
std::string inform_program() {
  std::error_code none;
  return (std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "fmd-snmp-inform")
      .string();
}

}  // namespace

SnmpPlugin::SnmpPlugin(sdk::Context& context, Options options)
    : context_(context), options_(std::move(options)) {}

Result<std::unique_ptr<SnmpPlugin>> SnmpPlugin::create(sdk::Context& context, Options options) {
  const auto folder = sdk::state_directory();
  if (!folder) return tl::unexpected(folder.error());
  auto numbers = PartNumbers::open(*folder);
  if (!numbers) return tl::unexpected(numbers.error());
  // Left by versions that reported the ends of resilvers separately.
  std::error_code none;
  std::filesystem::remove(*folder + "/resilvers", none);
  std::unique_ptr<SnmpPlugin> plugin(new SnmpPlugin(context, std::move(options)));
  if (auto started = plugin->start(std::move(*numbers)); !started)
    return tl::unexpected(started.error());
  return plugin;
}

Result<void> SnmpPlugin::start(PartNumbers numbers) {
  auto notifier =
      sdk::Notifier::create(context_.loop, "snmp", context_.socket,
                            [this](const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
                              deliver(notice, answer);
                            });
  if (!notifier) return tl::unexpected(notifier.error());
  notifier_ = std::move(*notifier);
  informs_ =
      std::make_unique<Informs>(context_.host, options_, notifier_->delivered(), inform_program());
  const bool tables = options_.bus != "none";
  using Serves = Subagent::Serves;
  subagent_ = std::make_unique<Subagent>(context_.loop, options_.socket,
                                         !tables             ? Serves::nothing
                                         : options_.entities ? Serves::all
                                                             : Serves::own,
                                         [this](bool) { say(); });
  say();
  if (auto started = subagent_->start(); !started) return started;
  if (!tables) return {};
  auto reader = Reader::start(context_.loop, options_.bus, std::move(numbers),
                              [this](const Picture& picture) { subagent_->publish(picture); });
  if (!reader) return tl::unexpected(reader.error());
  reader_ = std::move(*reader);
  return {};
}

void SnmpPlugin::say() {
  const std::string missing = subagent_->missing();
  if (subagent_->connected())
    notifier_->plugin().send_status("ok", "");
  else if (informs_->any())
    notifier_->plugin().send_status(
        "ok", missing + "; notifications go to the managers directly, there are no tables");
  else
    notifier_->plugin().send_status("not-observed", missing);
}

void SnmpPlugin::deliver(const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
  const auto notification = notification_of(notice);
  if (!notification)
    return answer({"failed", notification.error().message, nlohmann::json::object()});
  send(*notification, notice.key, [answer](const std::string& problem) {
    answer({problem.empty() ? "done" : "failed", problem, nlohmann::json::object()});
  });
}

void SnmpPlugin::send(const Notification& notification, const std::string& key,
                      Informs::Done done) {
  if (!subagent_->connected() && informs_->any())
    return informs_->send(notification, key, std::move(done));
  subagent_->notify(notification, std::move(done));
}

}  // namespace fmd::snmp
