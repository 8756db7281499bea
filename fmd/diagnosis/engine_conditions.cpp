// Engine: what the inventory's changes mean, and what rules say of the parts as they are.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

bool is_one_of(const std::vector<Value>& values, const Resource& r, const std::string& property) {
  const auto at = r.properties.find(property);
  return at != r.properties.end() && std::any_of(values.begin(), values.end(), [&](const Value& v) {
           return equal_values(at->second, v);
         });
}

}  // namespace

std::vector<InventoryChange> Engine::on_inventory(const InventoryUpdate& update, Moment now) {
  const Impl::Call call(*impl_, now);
  std::vector<InventoryChange> changes = impl_->context.inventory.apply(update);
  impl_->take_inventory(changes);
  return changes;
}

// A value decides what conditions say, which parts are good again, and how many errors are too many.
void Engine::Impl::take_change(const InventoryChange& change) {
  repairs.by_state(change.fmri);
  context.recheck.push_back(change.fmri);
  for (const auto& [rule, resource] : serds.renumber(change.fmri, context.now.wall_ns))
    verdicts.conclude({context.rules->rules()[rule], resource, serds.evidence(rule, resource)});
}

void Engine::Impl::take_inventory(std::vector<InventoryChange> changes) {
  for (const InventoryChange& change : pick_measured(changes)) take_change(change);
  context.paths.observe(context.inventory, changes);
  for (const InventoryChange& change : changes) book.regroup(change.fmri);
  for (const InventoryChange& change : changes) {
    if (change.is_new) context.new_here.insert(change.fmri);
  }
  for (const InventoryChange& change : changes) {
    if (change.kind == InventoryChange::Kind::removed) repairs.gone(change);
    take_change(change);
    look_at_users(change);
    inference.observe(change);
  }
  const CaseBook::List concerned = concerned_cases(book, context.inventory, changes);
  for (Case* c : concerned) folding.learn(*c);
  for (Case* c : concerned) repairs.swapped(*c);
  for (Case* c : concerned) repairs.resolve_if_due(*c);
}

// Parts stored on a disk that arrives or leaves, or on the one that has left a bay.
void Engine::Impl::look_at_users(const InventoryChange& change) {
  const Resource* r = context.inventory.find(change.fmri);
  const auto look_at = [&](const std::string& disk) {
    for (const Resource* user : context.inventory.parents(disk, Relation::redundancy))
      context.recheck.push_back(user->fmri);
  };
  if (r && r->type == "disk" && change.kind != InventoryChange::Kind::changed) look_at(r->fmri);
  if (r && r->type == "bay" && context.bays)
    if (const Tenancy* last = context.bays->last_in(r->fmri)) look_at(last->disk);
}

// known: something about it waits or is judged. False: as if it had not been examined.
bool Engine::Impl::look(const Rule& rule, const Resource& r, bool known) {
  const auto is_active = [&] {
    const RuleKey key{r.fmri, rule.name};
    return holds.waits(key) || conditions.find(key);
  };
  const ConditionBank::Look seen =
      conditions.look(rule, r, known && is_active(), context.now.steady_ns);
  if (!known && seen.finding != Finding::active) return false;
  judge(rule, r, seen);
  return true;
}

void Engine::Impl::judge(const Rule& rule, const Resource& r, const ConditionBank::Look& seen) {
  const RuleKey key{r.fmri, rule.name};
  const bool waits = holds.waits(key);
  const ConditionBank::Condition* judged = conditions.find(key);
  const bool stands = judged && !judged->acknowledged;  // else more growth is news
  if (seen.risen && judged)
    if (Case* c = book.find(judged->uuid); c && c->open()) book.goes_on(*c);
  if (seen.risen && waits)
    if (Case* cause = book.find(holds.find(key)->cause)) book.goes_on(*cause);
  Finding finding = seen.finding;
  if (finding == Finding::clear && ends_by_value(rule, key) &&
      !is_one_of(rule.fault->repair.values, r, rule.property))
    finding = Finding::unknown;
  if (finding == Finding::active && !stands && rule.unless_open &&
      folding.covered(rule, make_suspect(context, rule, r.fmri), nullptr))
    finding = Finding::clear;
  // A disk that went when no disk had to be replaced was not pulled by mistake, whatever is found later.
  if (finding == Finding::active && !stands && !waits && rule.while_exchange &&
      !folding.awaiting_exchange(make_suspect(context, rule, r.fmri)))
    return conditions.acquit(key, {"no disk had to be replaced", context.now.wall_ns});
  if (finding == Finding::active && !judged && was_left_in(rule, r)) finding = Finding::clear;
  if (finding == Finding::active && rule.while_pulled &&
      !folding.is_pulled(make_suspect(context, rule, r.fmri)))
    finding = Finding::clear;
  if (finding == Finding::active && !judged && !rule.where_bay.empty())
    finding = look_at_bay(rule, r);
  if (finding == Finding::active && !judged &&
      stands_against(book, rule.unless_fault, r.fmri, OfCases::unacknowledged))
    finding = Finding::clear;
  if (finding == Finding::active && !judged && !rule.while_fault.empty() &&
      !stands_against(book, rule.while_fault, r.fmri, OfCases::all))
    finding = Finding::clear;
  if (finding == Finding::unknown && !r.present && waits && !ends_by_value(rule, key))
    finding = Finding::clear;
  if (finding == Finding::active && !stands) verdicts.conclude({rule, r.fmri});
  if (finding == Finding::clear) clear(rule, r);
}

// Only a good value ends what is explained, as it ends a case: a shelf without power that nothing reaches any more still has
// none, and an md member that was faulty is no better for having been removed.
bool Engine::Impl::ends_by_value(const Rule& rule, const RuleKey& key) const {
  const Hold* hold = holds.find(key);
  return hold && hold->stage == HoldStage::explained && rule.kind == RuleKind::state &&
         rule.property == rule.fault->repair.property;
}

// Nobody has pulled what is still there, or of what is gone, what its bay says is still there.
bool Engine::Impl::was_left_in(const Rule& rule, const Resource& r) const {
  if (!rule.while_exchange && rule.where_bay_not.empty()) return false;
  const std::string disk = make_suspect(context, rule, r.fmri).fru;
  const Resource* there = rule.while_exchange ? context.inventory.find(disk) : nullptr;
  if (there && there->present) return true;
  return !rule.where_bay_not.empty() && left_bay_is(context, disk, rule.where_bay_not) == true;
}

Finding Engine::Impl::look_at_bay(const Rule& rule, const Resource& r) {
  const Suspect suspect = make_suspect(context, rule, r.fmri);
  const std::optional<bool> so = left_bay_is(context, suspect.fru, rule.where_bay);
  if (so == false) {
    verdicts.cancel_hold({r.fmri, rule.name});
    conditions.acquit({r.fmri, rule.name}, {"what its bay says", context.now.wall_ns});
  }
  return so == true ? Finding::active : so == false ? Finding::unknown : Finding::clear;
}

void Engine::Impl::clear(const Rule& rule, const Resource& r) {
  const RuleKey key{r.fmri, rule.name};
  verdicts.cancel_hold(key);
  const ConditionBank::Condition* judged = conditions.find(key);
  if (!judged) return;
  const ConditionBank::Condition was = *judged;
  conditions.end(key);
  // Where the fault says which values of this property are good ones (Repairs::by_state), no other
  // is: neither "unknown" nor an empty place.
  const FaultClass& fault = *rule.fault;
  const bool by_values = rule.kind == RuleKind::state && rule.property == fault.repair.property;
  Case* c = book.find(was.uuid);
  if (was.acquittal || !fault.repair.when_clear || by_values || !c ||
      conditions.goes_on(fault, r.fmri, was.uuid))
    return;
  repairs.repair(
      *c, SuspectStatus::repaired,
      [&](const Suspect& s) { return s.resource == r.fmri && s.fault_class == fault.name; },
      rule.while_pulled && is_one_of(rule.values, r, rule.property)
          ? fmt::format("{}: what was pulled is there again",
                        name_in_place(context.inventory, r.fmri))
          : fmt::format("{}: {} is {} again", name_in_place(context.inventory, r.fmri),
                        rule.property, display(r.get(rule.property))));
}

}  // namespace fmd
