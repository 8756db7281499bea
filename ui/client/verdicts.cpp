#include "ui/client/verdicts.h"

namespace fmd::ui {

void Verdicts::add(const Case& open) {
  if (!open.open() || open.state == CaseState::unsolved) return;
  const auto say = [&](auto& told, std::string_view fmri) {
    if (fmri.empty()) return;
    const auto [at, is_new] = told.try_emplace(fmri, &open);
    if (!is_new && severity_rank(open.severity) > severity_rank(at->second->severity))
      at->second = &open;
  };
  for (const Suspect& s : open.suspects) {
    const bool faulty = s.status == SuspectStatus::faulty;
    for (const std::string_view fmri :
         {std::string_view(s.fru), std::string_view(s.resource), std::string_view(s.asru)})
      say(faulty ? faulty_ : repaired_, fmri);
    say(repaired_, s.bay);
  }
}

const Case* Verdicts::gravest(std::string_view fmri) const {
  const auto at = faulty_.find(fmri);
  return at == faulty_.end() ? nullptr : at->second;
}

const Case* Verdicts::under_repair(std::string_view fmri) const {
  const auto at = repaired_.find(fmri);
  return at == repaired_.end() ? nullptr : at->second;
}

Health health_of(const Resource& part, const Verdicts& verdicts) {
  Health health = Health::ok;
  const std::string status = part.get("status");
  if (status == "critical" || status == "unrecoverable" || status == "failed")
    health = Health::failed;
  if (status == "non-critical" || status == "alarm") health = Health::degraded;
  const Case* found = verdicts.gravest(part.fmri);
  if (found == nullptr) return health;
  if (severity_rank(found->severity) >= severity_rank("Major")) return Health::failed;
  return health == Health::failed ? health : Health::predicted_failure;
}

}  // namespace fmd::ui
