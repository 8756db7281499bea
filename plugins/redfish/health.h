// Health: what a Redfish service says of one resource's state (DSP0268, Resource.Status), in the words of
// IPMI's verdicts. Pure.
#pragma once
#include <string>

namespace fmd::redfish {

struct Health {
  std::string level = "unknown";  // also nominal, absent, warning, critical
  std::string reason;
  bool absent = false, standby = false, predicted = false;
  bool bad() const { return level == "warning" || level == "critical"; }
  void worse(const std::string& other);
  void because(const std::string& why);  // a second time it adds nothing
};

std::string level_of(const std::string& health);     // "OK", "Warning", "Critical"
bool names_forecast(const std::string& message_id);  // of a condition: it has not failed yet
const char* status_of(const Health& health);         // of a supply or fan, as SES has it

}  // namespace fmd::redfish
