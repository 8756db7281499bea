#include "plugins/snmp/snmp_plugin.h"
#include "plugins/sdk/whole_file.h"

#include <syslog.h>

#include <filesystem>

namespace fmd::snmp {
namespace {

constexpr std::chrono::milliseconds kAtOnce{1}, kTellAgain{15000};

// Beside this program.
std::string inform_program() {
  std::error_code none;
  return (std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "fmd-snmp-inform")
      .string();
}

}  // namespace

SnmpPlugin::SnmpPlugin(sdk::Context& context, Options options, Resilvers resilvers)
    : context_(context),
      options_(std::move(options)),
      resilvers_(std::move(resilvers)),
      again_(context.loop) {}

Result<std::unique_ptr<SnmpPlugin>> SnmpPlugin::create(sdk::Context& context, Options options) {
  const auto folder = sdk::state_directory();
  if (!folder) return tl::unexpected(folder.error());
  auto numbers = PartNumbers::open(*folder);
  if (!numbers) return tl::unexpected(numbers.error());
  auto resilvers = Resilvers::open(*folder);
  if (!resilvers) return tl::unexpected(resilvers.error());
  std::unique_ptr<SnmpPlugin> plugin(
      new SnmpPlugin(context, std::move(options), std::move(*resilvers)));
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
                                         [this](bool) {
                                           say();
                                           // Not from within the library's call.
                                           again_.start(kAtOnce, [this] { tell_resilvers(); });
                                         });
  say();
  if (auto started = subagent_->start(); !started) return started;
  if (!tables) return {};
  auto reader = Reader::start(context_.loop, options_.bus, std::move(numbers),
                              [this](const Picture& picture) { take(picture); });
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

void SnmpPlugin::take(const Picture& picture) {
  subagent_->publish(picture.view);
  if (!picture.fresh) return;
  if (auto seen = resilvers_.see(picture.pools, picture.host, picture.wall_ns); !seen)
    sdk::log(LOG_WARNING, seen.error().text());
  tell_resilvers();
}

void SnmpPlugin::tell_resilvers() {
  if (!subagent_->connected() && !informs_->any()) return;  // once there is somebody to tell
  const auto all = resilvers_.to_tell();
  for (const auto& [key, resilvered] : all) {
    if (!telling_.insert(key).second) continue;
    send(notification_of(resilvered), key, [this, one = key](const std::string& problem) {
      telling_.erase(one);
      if (problem.empty()) {
        if (auto kept = resilvers_.told(one); !kept) sdk::log(LOG_WARNING, kept.error().text());
        return;
      }
      sdk::log(LOG_WARNING, "the end of a resilver is not told yet: " + problem);
      if (!again_.running()) again_.start(kTellAgain, [this] { tell_resilvers(); });
    });
  }
}

}  // namespace fmd::snmp
