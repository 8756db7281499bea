// Verdicts: the open cases of each part, and the part's health by them. Pure; the cases must
// outlive this.
#pragma once
#include <map>
#include <string_view>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::ui {

class Verdicts {
 public:
  void add(const Case& open);  // UNSOLVED cases are ignored: they accuse no part yet
  // The most severe case in which the part is faulty, as resource, ASRU or FRU; nullptr: none.
  const Case* gravest(std::string_view fmri) const;
  // An open case in which the part is no longer faulty, or about this bay; nullptr: none.
  const Case* under_repair(std::string_view fmri) const;

 private:
  std::map<std::string_view, const Case*> faulty_, repaired_;
};

// Values of OpenTelemetry's hw.status.
enum class Health { ok, degraded, failed, predicted_failure };
constexpr std::string_view health_name(Health health) {
  return health == Health::ok         ? "ok"
         : health == Health::degraded ? "degraded"
         : health == Health::failed   ? "failed"
                                      : "predicted_failure";
}
// By the cases, and by the part's own status.
Health health_of(const Resource& part, const Verdicts& verdicts);

}  // namespace fmd::ui
