// Alerts: the open cases in the format of Alertmanager's API v2, kept on disk. Alertmanager ends an
// alert once its endsAt has passed, so each is resent while its case is open, with an endsAt
// somewhat later than the next resend. Pure except for load() and save(). Times are wall times in
// ns.
#pragma once
#include <chrono>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fmd/base/result.h"
#include "plugins/sdk/notifier.h"

namespace fmd::alertmanager {

class Alerts {
 public:
  static Result<Alerts> load(const std::string& folder);
  Result<void> save() const;

  // The request body for a notice: begins, changes or ends its case's alert. Changed labels make a
  // new alert, so the old one is ended in the same request.
  nlohmann::json take(const sdk::Notice& notice, int64_t now_ns, std::chrono::milliseconds lasts);
  // All open alerts, for resending.
  nlohmann::json open(int64_t now_ns, std::chrono::milliseconds lasts) const;
  bool empty() const { return alerts_.empty(); }

 private:
  struct Alert {
    std::map<std::string, std::string> labels, annotations;
    int64_t starts_ns = 0;
  };
  explicit Alerts(std::string file) : file_(std::move(file)) {}
  static Alert alert_of(const sdk::Notice& notice);
  static nlohmann::json body_of(const Alert& alert, int64_t ends_ns);

  std::string file_;
  std::map<std::string, Alert> alerts_;  // by case
};

std::string rfc3339(int64_t time_ns);  // "2026-11-21T02:48:41.000Z"

}  // namespace fmd::alertmanager
