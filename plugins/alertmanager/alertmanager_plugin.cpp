#include "plugins/alertmanager/alertmanager_plugin.h"

#include <syslog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "fmd/base/json_value.h"
#include "plugins/http/http_post.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/notice.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::alertmanager {
namespace {

using std::chrono::milliseconds;

// The answer must arrive before the core's deadline.
constexpr milliseconds kMargin{1000};

int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The results of all Alertmanagers of the cluster. They replicate alerts, but not to members that
// start later.
struct Round {
  size_t missing = 0;
  bool taken = false;
  std::string reason;
};

}  // namespace

AlertmanagerPlugin::AlertmanagerPlugin(sdk::Context& context, Options options, Alerts alerts)
    : host_(context.host),
      options_(std::move(options)),
      alerts_(std::move(alerts)),
      again_(context.loop) {}

Result<std::shared_ptr<AlertmanagerPlugin>> AlertmanagerPlugin::create(sdk::Context& context,
                                                                       Options options) {
  const auto folder = sdk::state_directory();
  if (!folder) return tl::unexpected(folder.error());
  auto alerts = Alerts::load(*folder);
  if (!alerts) return tl::unexpected(alerts.error());
  std::shared_ptr<AlertmanagerPlugin> plugin(
      new AlertmanagerPlugin(context, std::move(options), std::move(*alerts)));
  auto notifier = sdk::Notifier::create(
      context.loop, "alertmanager", context.socket,
      [self = plugin.get()](const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
        self->send(notice, answer);
      });
  if (!notifier) return tl::unexpected(notifier.error());
  plugin->notifier_ = std::move(*notifier);
  if (plugin->options_.urls.empty())
    plugin->notifier_->plugin().send_status("not-observed",
                                            "`urls` is not set in " + plugin->options_.file);
  else
    plugin->tell_again();
  return plugin;
}

void AlertmanagerPlugin::send(const sdk::Notice& notice, const sdk::Notifier::Answer& answer) {
  const auto failed = [&answer](const std::string& reason) {
    answer({"failed", reason, nlohmann::json::object()});
  };
  if (options_.urls.empty()) return failed("`urls` is not set in " + options_.file);
  if (notice.event == "digest")
    return failed(
        "Alertmanager groups alerts by itself: take \"alertmanager\" out of [digest] in fmd.toml");
  if (notice.is_happening())
    return answer(
        {"refused", "Alertmanager takes only what has an end: cases", {{"for_good", true}}});
  const auto changes = alerts_.take(notice, wall_ns(), options_.lasts());
  // Store it before sending: an alert that was sent but forgotten would never be resolved.
  if (const auto saved = alerts_.save(); !saved) return failed(saved.error().text());
  const milliseconds within =
      std::clamp(milliseconds(notice.deadline_ms) - kMargin, milliseconds(1), options_.timeout);
  post(changes, within, [this, answer](const std::string& reason) {
    note(reason);
    answer({reason.empty() ? "done" : "failed", reason, nlohmann::json::object()});
  });
}

void AlertmanagerPlugin::post(const nlohmann::json& alerts, milliseconds within, Told told) {
  const auto round = std::make_shared<Round>();
  round->missing = options_.urls.size();
  for (const std::string& url : options_.urls) {
    http::Request request;
    request.url = url + "/api/v2/alerts";
    request.body = dump_json(alerts);
    request.ca_file = options_.ca_file;
    request.user = options_.user;
    request.password_file = options_.password_file;
    request.token_file = options_.token_file;
    http::post(host_, request, within, [round, told](const http::Answer& answer) {
      round->taken |= answer.taken;
      if (!answer.taken) round->reason += (round->reason.empty() ? "" : "; ") + answer.reason;
      if (--round->missing == 0) told(round->taken ? "" : round->reason);
    });
  }
}

void AlertmanagerPlugin::tell_again() {
  again_.start(options_.resend, [this] { tell_again(); });
  if (std::exchange(telling_again_, true)) return;
  if (alerts_.empty()) {
    telling_again_ = false;
    return note("");
  }
  post(alerts_.open(wall_ns(), options_.lasts()), options_.timeout,
       [this](const std::string& reason) {
         telling_again_ = false;
         note(reason);
       });
}

void AlertmanagerPlugin::note(const std::string& reason) {
  notifier_->plugin().send_status(reason.empty() ? "ok" : "degraded", reason);
}

}  // namespace fmd::alertmanager
