#include "plugins/redfish/health.h"

#include "fmd/base/lower_case.h"

namespace fmd::redfish {

void Health::worse(const std::string& other) {
  const auto rank = [](const std::string& one) {
    return one == "critical" ? 3 : one == "warning" ? 2 : one == "nominal" ? 1 : 0;
  };
  if (rank(other) > rank(level)) level = other;
}

void Health::because(const std::string& why) {
  if (reason.size() + why.size() > kLongestReason) return;
  if (!why.empty() && reason.find(why) == reason.npos) reason += (reason.empty() ? "" : ", ") + why;
}

// Some services do not write the words as the schema does.
std::string level_of(const std::string& written) {
  const std::string health = lower_case(written);
  return health == "ok"         ? "nominal"
         : health == "warning"  ? "warning"
         : health == "critical" ? "critical"
                                : "unknown";
}

bool names_forecast(const std::string& message_id) {
  return message_id.find("redict") != message_id.npos;
}

const char* status_of(const Health& health) {
  if (health.absent) return "not installed";
  return health.level == "critical"  ? "critical"
         : health.level == "warning" ? "non-critical"
         : health.level == "nominal" ? "OK"
                                     : "unknown";
}

}  // namespace fmd::redfish
