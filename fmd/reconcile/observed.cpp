#include "fmd/reconcile/observed.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/fmri_in_text.h"
#include "fmd/model/part_name.h"

namespace fmd {

std::optional<Asru> observe(const Inventory& inventory, std::string_view fmri) {
  const Resource* r = inventory.find(fmri);
  if (!r || r->get("service").empty()) return {};
  Asru a;
  a.fmri = r->fmri;
  a.name = name_in_place(inventory, r->fmri);
  a.present = r->present;
  a.service = parse_service(r->get("service"));
  a.lost = a.service == Service::removed ||
           (a.service == Service::out_of_service && r->is("lost", "true"));
  a.state = display(r->get("state"));
  if (a.state.empty()) a.state = service_name(a.service);
  a.busy = r->get("busy");
  a.group = r->get("group");
  a.retire_refusal = with_places(inventory, r->get("retire_refusal"));
  a.spare_refusal = with_places(inventory, r->get("spare_refusal"));
  a.degrade_refusal = with_places(inventory, r->get("degrade_refusal"));
  a.replace_refusal = with_places(inventory, r->get("replace_refusal"));
  a.replacing = r->get("replacing");
  a.retired_by = r->get("retired_by");
  a.until_boot = r->is("service_until", "boot");
  a.by_restart = r->is("service_by", "restart");
  a.spare_key = r->get("spare_key");
  const std::string spare = r->get("spare");
  a.spare = spare == "active"        ? Asru::Spare::active
            : spare == "resilvering" ? Asru::Spare::resilvering
                                     : Asru::Spare::none;
  const auto available = r->properties.find("spares_available");
  if (available != r->properties.end()) a.spare_available = !r->is("spares_available", "0");
  return a;
}

std::string Asru::facts() const {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", present, service_name(service), state, busy,
                     retire_refusal, degrade_refusal, replacing, retired_by,
                     static_cast<int>(spare), spare_available.value_or(true));
}

std::string out_words(const Asru& a, std::string_view location, bool ours) {
  // A disk that left the bus is REMOVED without anyone's command.
  if (!a.lost)
    return fmt::format("{} is {}{}", a.name, a.state, ours ? "" : ", which was not fmd's doing");
  const std::string where = display(location);
  if (where.empty() || a.name.find(where) != a.name.npos)
    return fmt::format("{} is {}", a.name, a.state);
  return fmt::format("{}, which was in {}, is {}", a.name, where, a.state);
}

bool is_faulty(const Case& c, std::string_view asru) {
  return c.state != CaseState::unsolved &&
         std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
           return s.asru == asru && s.status == SuspectStatus::faulty;
         });
}

std::string bay_of(const Suspect& suspect, const Inventory& inventory) {
  const Resource* fru = suspect.fru.empty() ? nullptr : inventory.find(suspect.fru);
  if (fru && fru->present) {
    for (const Resource* parent : inventory.parents(suspect.fru, Relation::contains))
      if (parent->type == "bay" && parent->present) return parent->fmri;
  }
  return suspect.bay;
}

}  // namespace fmd
