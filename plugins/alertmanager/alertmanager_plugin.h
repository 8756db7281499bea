// AlertmanagerPlugin: shows each case as an alert in Prometheus' Alertmanager while it is open.
#pragma once
#include <memory>
#include <string>

#include "plugins/alertmanager/alerts.h"
#include "plugins/alertmanager/options.h"
#include "plugins/sdk/notifier.h"
#include "plugins/sdk/timer.h"

namespace fmd::alertmanager {

class AlertmanagerPlugin {
 public:
  static Result<std::shared_ptr<AlertmanagerPlugin>> create(sdk::Context& context, Options options);

 private:
  AlertmanagerPlugin(sdk::Context& context, Options options, Alerts alerts);
  // "" if at least one of them has accepted it, else the reason.
  using Told = std::function<void(const std::string& reason)>;
  void send(const sdk::Notice& notice, const sdk::Notifier::Answer& answer);
  void post(const nlohmann::json& alerts, std::chrono::milliseconds within, Told told);
  void tell_again();
  void note(const std::string& reason);

  sdk::Host& host_;
  Options options_;
  Alerts alerts_;
  sdk::Timer again_;
  bool telling_again_ = false;
  std::unique_ptr<sdk::Notifier> notifier_;
};

}  // namespace fmd::alertmanager
