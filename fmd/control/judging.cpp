// ControlService: a person's verdict on a part.
#include <fmt/format.h>

#include <map>

#include "fmd/base/text.h"
#include "fmd/control/control_service.h"
#include "fmd/control/named_parts.h"
#include "fmd/model/fmri.h"
#include "fmd/model/self_events.h"
#include "fmd/reconcile/observed.h"

namespace fmd {

// "Replaced" has fmd put back into service what it had taken out. While the very part is still there
// that is the bad one.
Result<void> ControlService::refuse_if_still_there(std::string_view uuid,
                                                   std::string_view part) const {
  const Inventory& inventory = engine_.inventory();
  const auto meant = engine_.meant_by(uuid, part);
  if (!meant) return tl::unexpected(meant.error());
  for (const Suspect& s : *meant) {
    const Resource* fru = inventory.find(s.fru);
    // A device is named by what it is; a place (a power supply's, a DIMM's) by where it is.
    const bool same = fru && fru->present && !s.serial.empty() && fru->is("serial", s.serial);
    if (!same) continue;
    const std::string where = inventory.location(s.fru);
    return fail(
        fmt::format("the {} with serial {} is still {}: nothing has been replaced. Pull it first; "
                    "'fmadm repaired' if it was repaired in place; "
                    "with --force it goes back into service as it is",
                    fru->type.empty() ? "part" : display(fru->type), display(s.serial),
                    where.empty() ? "in the machine" : "in " + display(where)));
  }
  return {};
}

// No case is about the part, and yet it is out of service: the case was lost with the database, or fmd never had one.
std::string ControlService::restore_hint(std::string_view uuid, std::string_view part) const {
  const auto asru = uuid.empty() ? asru_named(engine_, part) : Result<std::string>(fail(""));
  const auto seen = asru ? observe(engine_.inventory(), *asru) : std::nullopt;
  if (!seen || service_rank(seen->service) <= service_rank(Service::in_service)) return {};
  return fmt::format("; it is {}: 'fmadm restore \"{}\"' puts it back into service", seen->state,
                     display(part));
}

Result<std::vector<std::string>> ControlService::judge(std::string_view verdict,
                                                       std::string_view uuid, std::string_view part,
                                                       bool force, std::string_view who) {
  using Verdict = Engine::Verdict;
  static const std::map<std::string_view, Verdict> verdicts = {{"repaired", Verdict::repaired},
                                                               {"replaced", Verdict::replaced},
                                                               {"acquitted", Verdict::acquitted}};
  const auto known = verdicts.find(verdict);
  if (known == verdicts.end())
    return fail(fmt::format("\"{}\" is not a verdict; use repaired, replaced or acquitted",
                            display(verdict)));
  if (auto taken = road_.take_in(); !taken) return tl::unexpected(taken.error());
  // A case narrows a part's name down by itself.
  if (uuid.empty())
    if (auto one = engine_.inventory().meant(part); !one) return tl::unexpected(one.error());
  if (known->second == Verdict::replaced && !force)
    if (auto gone = refuse_if_still_there(uuid, part); !gone) return tl::unexpected(gone.error());
  auto judged = engine_.judge(known->second, uuid, part, who, road_.now());
  if (!judged) return fail(judged.error().message + restore_hint(uuid, part));
  if (known->second == Verdict::acquitted) forget_plugins(*judged);
  if (auto written = road_.commit(); !written) return tl::unexpected(written.error());
  return judged;
}

// A dead plugin that is acquitted was taken away on purpose: it is not expected back.
void ControlService::forget_plugins(const std::vector<std::string>& uuids) {
  for (const std::string& uuid : uuids) {
    const Case* c = engine_.find_case(uuid);
    for (const Suspect& suspect : c ? c->suspects : std::vector<Suspect>()) {
      const auto fmri = Fmri::parse(suspect.resource);
      if (!fmri || fmri->scheme != "fmd" || !hub_.table().forget(fmri->get("plugin"))) continue;
      InventoryUpdate update;
      update.source = kSelfSource;
      update.gone.push_back({suspect.resource, "destroyed", ""});
      road_.submit(std::move(update));
    }
  }
}

}  // namespace fmd
