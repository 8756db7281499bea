// Alerts: the open cases as Alertmanager's API v2 has them, kept on disk. Alertmanager forgets an alert that is not
// told again, and takes one for ended whose endsAt is over: so each is told again and again while its case is open,
// with an end somewhat later than the next time. Pure but for load() and save(). Times are wall times in ns.
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

  // The body for what the notice changes: begins, changes or ends its case's alert. An alert whose labels are new
  // is another one: the old one is ended with it.
  nlohmann::json take(const sdk::Notice& notice, int64_t now_ns, std::chrono::milliseconds lasts);
  // All that are open, to be told again.
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
