// Identify: the machine's own locate light, as the BMC drives and shows it (IPMI specification, Get Chassis
// Status 28.2, Chassis Identify 28.5). Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/ipmi/raw.h"

namespace fmd::ipmi {

class Identify {
 public:
  // A look's answer to Get Chassis Status.
  void seen(const Answer& chassis_status);
  // To make it so: the order, and a look at what came of it.
  std::vector<Request> order(bool on) const;
  // What came of it; "" it is as ordered. again: the order in another form is to be tried.
  std::string take(bool on, const std::vector<Answer>& answers, bool& again);
  // Of a BMC that can light it for a time only: that again, with each look. {} nothing to do.
  std::vector<Request> renewal() const;
  // led.locate, led.method, led.reads_back, led.reason. Nothing of a BMC that never spoke of it.
  void add_properties(nlohmann::json& properties) const;

 private:
  bool spoken_ = false;         // a chassis status came
  std::optional<bool> shown_;   // by the BMC; nothing: it does not tell
  bool believed_ = false;       // what was ordered
  bool timed_ = false;          // it does not know "until further notice"
  std::optional<bool> failed_;  // could not be brought to this
  std::string reason_;
};

}  // namespace fmd::ipmi
