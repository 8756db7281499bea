// Health: the state of one Redfish resource (DSP0268, Resource.Status) in terms of IPMI's verdicts.
// Pure.
#pragma once
#include <string>

namespace fmd::redfish {

struct Health {
  std::string level = "unknown";  // also nominal, absent, warning, critical
  std::string reason;
  bool absent = false, standby = false, predicted = false;
  bool bad() const { return level == "warning" || level == "critical"; }
  void worse(const std::string& other);
  // Ignores repeated reasons, and further ones from kLongestReason bytes on: a part may list thousands.
  void because(const std::string& why);
  static constexpr size_t kLongestReason = 2000;
};

std::string level_of(const std::string& health);     // "OK", "Warning", "Critical"
bool names_forecast(const std::string& message_id);  // of a condition that predicts a failure
const char* status_of(const Health& health);         // of a supply or fan, in SES terms

}  // namespace fmd::redfish
