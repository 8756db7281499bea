// Identify: the machine's own locate LED, which the BMC drives and reads back (IPMI specification,
// Get Chassis Status 28.2, Chassis Identify 28.5). Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/ipmi/raw.h"

namespace fmd::ipmi {

class Identify {
 public:
  // The answer to Get Chassis Status.
  void seen(const Answer& chassis_status);
  // The requests that set the LED and read it back.
  std::vector<Request> order(bool on) const;
  // Their result: why it failed, or "". again: retry with order(), which now uses another form.
  std::string take(bool on, const std::vector<Answer>& answers, bool& again);
  // For a BMC that lights it only for a limited time: repeat at each poll. Empty: nothing to do.
  std::vector<Request> renewal() const;
  // led.locate, led.method, led.reads_back, led.reason. Adds nothing without a chassis status.
  void add_properties(nlohmann::json& properties) const;

 private:
  bool spoken_ = false;         // a chassis status was received
  std::optional<bool> shown_;   // as reported by the BMC; empty: it does not report it
  bool believed_ = false;       // as ordered
  bool timed_ = false;          // the BMC does not support "until further notice"
  std::optional<bool> failed_;  // the state that could not be set
  std::string reason_;
};

}  // namespace fmd::ipmi
