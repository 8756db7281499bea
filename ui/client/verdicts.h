// Verdicts: what the open cases say of each part, and how well a part is with that. Pure; the cases must outlive it.
#pragma once
#include <map>
#include <string_view>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::ui {

class Verdicts {
 public:
  void add(const Case& open);  // UNSOLVED ones say nothing yet
  // The gravest case that finds the part faulty, as what is broken, to be disabled or to be replaced; nullptr: none.
  const Case* gravest(std::string_view fmri) const;
  // A case that did, and whose repair is not over yet, or that waits for a part in that bay; nullptr: none.
  const Case* under_repair(std::string_view fmri) const;

 private:
  std::map<std::string_view, const Case*> faulty_, repaired_;
};

// As OpenTelemetry's hw.status has it.
enum class Health { ok, degraded, failed, predicted_failure };
constexpr std::string_view health_name(Health health) {
  return health == Health::ok         ? "ok"
         : health == Health::degraded ? "degraded"
         : health == Health::failed   ? "failed"
                                      : "predicted_failure";
}
// By the cases, and by what the part says of itself.
Health health_of(const Resource& part, const Verdicts& verdicts);

}  // namespace fmd::ui
