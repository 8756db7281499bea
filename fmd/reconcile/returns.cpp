// A disk that was absent and is back: its vdevs and members are put back into service, unless they
// were retired. Only a line in the log, no case or message.
#include <fmt/format.h>

#include <utility>

#include "fmd/base/text.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/part_name.h"
#include "fmd/reconcile/reconciler_impl.h"

namespace fmd {
namespace {

// ZFS reports the loss of a disk before the kernel removes its device, and an arriving disk exists
// before all its names do.
constexpr int64_t kSettleNs = 5LL * 1000000000;
constexpr int64_t kResilverNs = 60LL * 1000000000;

std::string whose(const Asru& asru, const Inventory& inventory) {
  const Resource* group = asru.group.empty() ? nullptr : inventory.find(asru.group);
  const std::string pool = group ? display(group->get("name")) : "";
  return pool.empty() ? asru.name : fmt::format("{} of pool {}", asru.name, pool);
}

}  // namespace

bool comes_back(const PartFacts& facts, const std::vector<std::string>& faulty) {
  const Asru& a = facts.asru;
  if (!a.present || !a.lost || !a.replacing.empty()) return false;
  if (!facts.disk || !facts.disk->present || facts.done(InterventionKind::retire)) return false;
  // ZFS itself detects a spare that replaces nothing.
  const Resource* r = facts.engine.inventory().find(a.fmri);
  if (r && r->is("role", "spare") &&
      (r->get("parent_type").empty() || r->is("parent_type", "none")))
    return false;
  // A pool or array that has lost data is left to an administrator, who may want to read it first.
  if (r && may_hold_only_copy(facts.engine.inventory(), *r)) return false;
  return std::all_of(faulty.begin(), faulty.end(), [&](const std::string& uuid) {
    const RetirePolicy& policy = facts.engine.find_case(uuid)->retire;
    return policy.first.empty() || policy.returns;
  });
}

void Reconciler::Impl::look_at_return(const PartFacts& facts,
                                      const std::vector<std::string>& faulty, const Look& at) {
  const Asru& asru = facts.asru;
  const auto known = returns.find(asru.fmri);
  if (!comes_back(facts, faulty)) {
    if (known == returns.end() || flights.under_way(asru.fmri)) return;
    return look_at_returned(asru, known->second, at);
  }
  if (known == returns.end()) flights.reset({InterventionKind::retire, true, asru.fmri});
  Return& back = returns.try_emplace(asru.fmri, Return{at.now.steady_ns}).first->second;
  note_trouble(asru.fmri, back, at.now);
  if (const std::string doubt = facts.doubt(); !doubt.empty() || back.is_doubted) {
    back.is_doubted = !doubt.empty();
    if (std::exchange(back.trouble, doubt) != doubt && back.is_doubted)
      said.push_back(fmt::format("{} is not put back into service: {}. 'fmadm restore {}' does it",
                                 whose(asru, engine.inventory()), doubt, asru.fmri));
    note_trouble(asru.fmri, back, at.now);
    if (back.is_doubted) return;
  }
  const int64_t due = add_times(back.since_ns, kSettleNs);
  if (at.now.steady_ns < due) return flights.look_at(asru.fmri, due);
  const std::string where = engine.inventory().location(facts.disk->fmri);
  if (std::exchange(back.where, where) != where)
    flights.reset({InterventionKind::retire, true, asru.fmri});
  if (!start(return_step(facts), {Owner::Kind::acting_case, "fmd"}, {}, at)) return;
  if (!std::exchange(back.asked, true))
    said.push_back(
        fmt::format("the disk with serial {}, {}, is back{}{}: it is put back into service",
                    display(facts.disk->get("serial")), whose(asru, engine.inventory()),
                    where.empty() ? "" : " in ", display(where)));
}

// ZFS begins the resilver some seconds later, or finds nothing to do.
void Reconciler::Impl::look_at_returned(const Asru& asru, Return& back, const Look& at) {
  const bool in_service = asru.service == Service::in_service && back.asked;
  const int64_t due = add_times(back.since_ns, kResilverNs);
  back.resilvers = back.resilvers || (in_service && asru.busy == "resilver");
  if (in_service && !asru.busy.empty()) return;  // its end is seen
  if (in_service && !back.resilvers && at.now.steady_ns < due)
    return flights.look_at(asru.fmri, due);
  if (in_service)
    said.push_back(fmt::format("{} is back in service and holds all its data",
                               whose(asru, engine.inventory())));
  returns.erase(returns.find(asru.fmri));
}

// On each case about it once, also on one that is opened later.
void Reconciler::Impl::note_trouble(const std::string& part, Return& back, Moment now) {
  if (back.trouble.empty()) return;
  for (const Case* c : engine.cases_by_asru(part))
    if (back.noted.insert(c->uuid).second)
      engine.note(c->uuid, "note",
                  fmt::format("{} could not be put back into service: {}",
                              name_in_place(engine.inventory(), part), display(back.trouble, 500)),
                  now);
}

void Reconciler::Impl::return_answered(const Command& command, const CommandResult& result,
                                       Moment now) {
  const auto back = returns.find(command.resource);
  if (back == returns.end() || command.name != CommandName::restore ||
      result.status == CommandStatus::done || back->second.trouble == result.reason)
    return;
  back->second.trouble = result.reason;
  back->second.noted.clear();
  note_trouble(command.resource, back->second, now);
  said.push_back(fmt::format("{} could not be put back into service: {}",
                             name_in_place(engine.inventory(), command.resource),
                             display(result.reason, 500)));
}

}  // namespace fmd
