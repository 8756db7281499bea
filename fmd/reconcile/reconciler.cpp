#include "fmd/reconcile/reconciler.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/only_copy.h"
#include "fmd/reconcile/reconciler_impl.h"

namespace fmd {
namespace {

constexpr const char* kDryRun = "dry run is on: no locate LED is switched ('fmadm dry-run off')";

}  // namespace

void Reconciler::Impl::mark_case(const Case& c) {
  for (const Suspect& s : c.suspects) {
    if (!s.asru.empty()) parts.insert(s.asru);
    if (!s.bay.empty()) parts.insert(s.bay);
    if (const std::string bay = bay_of(s, engine.inventory()); !bay.empty()) parts.insert(bay);
  }
  for (const Action& action : c.actions) parts.insert(action.part);
  for (const Intervention* i : interventions.owned_by(c.uuid)) parts.insert(i->part);
}

namespace {

bool has_groups(const Resource& r) {
  return r.type == "zfs-vdev" || r.type == "md-member" || r.type == "md-array" ||
         r.type == "lvm-volume" || r.type == "btrfs-device";
}

}  // namespace

// Whether a disk may be replaced, and have its LED lit, depends on other members of its pool or group.
void Reconciler::Impl::judge_copies(const std::string& fmri) {
  const Inventory& inventory = engine.inventory();
  const Resource* r = inventory.find(fmri);
  const bool lost = r && lacks_copies(*r);
  if (lost != lost_storages.contains(fmri)) {
    if (lost)
      lost_storages.insert(fmri);
    else
      lost_storages.erase(fmri);
    everything = true;
  }
  if (!r) {
    std::set<std::string> orphans;
    std::erase_if(waiting, [&](const auto& w) {
      const bool concerns = w.first == fmri || w.second.contains(fmri);
      if (concerns) mark_members(w.second);
      if (concerns) orphans.insert(w.second.begin(), w.second.end());
      return concerns;
    });
    // Members whose group has left before them.
    for (const std::string& member : orphans)
      if (inventory.find(member)) judge_copies(member);
    return;
  }
  if (!has_groups(*r)) return;
  for (const Edge& edge : r->edges)
    if (edge.relation == Relation::redundancy)
      for (const Case* c : engine.cases_by_fru(edge.to)) mark_case(*c);
  const Resource* top = group_of(inventory, *r);
  const Resource& group = top ? *top : *r;
  std::set<std::string> now = kept_in(inventory, group);
  const auto before = waiting.find(group.fmri);
  if (before == waiting.end() ? now.empty() : before->second == now) return;
  if (before != waiting.end()) mark_members(before->second);
  mark_members(now);
  if (now.empty())
    waiting.erase(before);
  else
    waiting[group.fmri] = std::move(now);
}

// Their lights may change. A large machine has very many groups, so only these are looked at.
void Reconciler::Impl::mark_members(const std::set<std::string>& members) {
  for (const std::string& fmri : members)
    for (const auto& cases : {engine.cases_by_fru(fmri), engine.cases_by_asru(fmri)})
      for (const Case* c : cases) mark_case(*c);
}

void Reconciler::Impl::mark_resource(const std::string& fmri) {
  parts.insert(fmri);
  // Parts that wait for a new disk, or for their own, are examined whenever a disk arrives.
  const Resource* r = engine.inventory().find(fmri);
  if (!r) places.forget(fmri);
  judge_copies(fmri);
  if (r && (r->type == "bay" || r->type == "disk") && places.changed(*r)) {
    parts.insert(awaiting.begin(), awaiting.end());
    for (const auto& [part, back] : returns) parts.insert(part);
  }
  // A part that was absent and is back.
  if (r && r->type == "disk")
    for (const Resource* user : engine.inventory().parents(fmri, Relation::redundancy)) {
      parts.insert(user->fmri);
      if (user->type == "lvm-volume") judge_copies(user->fmri);
    }
  if (fmri.starts_with("fs://")) file_systems_changed = true;
  // A disk is what a case would replace, and may be the new one in a faulty one's bay.
  for (const Case* c : engine.cases_by_fru(fmri)) mark_case(*c);
  for (const Case* c : engine.cases_by_bay(fmri)) mark_case(*c);
  for (const Resource* holder : engine.inventory().parents(fmri, Relation::contains)) {
    parts.insert(holder->fmri);
    for (const Case* c : engine.cases_by_bay(holder->fmri)) mark_case(*c);
  }
}

void Reconciler::Impl::mark_everything() {
  // The inventory may have been restored without news of each part.
  for (const auto& [fmri, r] : engine.inventory().all()) judge_copies(fmri);
  everything = false;
  for (const auto& [uuid, c] : engine.cases())
    if (c.open() && c.state != CaseState::unsolved) mark_case(c);
  for (const auto& [id, i] : interventions.all()) parts.insert(i.part);
  for (const std::string& bay : wishes.bays()) parts.insert(bay);
  for (const std::string& part : overrides.parts()) parts.insert(part);
  for (const auto& [part, order] : orders) parts.insert(part);
}

// Which disks a file system was on is unknown once it is unmounted.
void Reconciler::Impl::mark_lights() {
  for (const Case* c : engine.open_cases_by_age())
    if (c->led && c->state != CaseState::unsolved) mark_case(*c);
}

void Reconciler::Impl::tell_owed(Moment now) {
  for (const std::string& uuid : interventions.take_owners_changed())
    if (engine.find_case(uuid)) engine.set_owed(uuid, interventions.owed_by(uuid), now);
}

Reconciler::Reconciler(Engine& engine, ActionConfig config)
    : impl_(std::make_unique<Impl>(engine, config)) {}

Reconciler::~Reconciler() = default;

void Reconciler::set_bay_history(const BayHistory* bays) {
  impl_->bays = bays;
}

void Reconciler::set_config(ActionConfig config) {
  impl_->config = config;
  impl_->everything = true;
}

const ActionConfig& Reconciler::config() const {
  return impl_->config;
}

void Reconciler::case_changed(std::string_view uuid) {
  if (const Case* c = impl_->engine.find_case(uuid)) impl_->mark_case(*c);
  for (const Intervention* i : impl_->interventions.owned_by(uuid)) impl_->parts.insert(i->part);
}

// A spare that has left is followed by another only if the errors go on, and what is degraded is taken out of service
// at once (part_plan.cpp).
void Reconciler::case_goes_on(const Case& c) {
  if (std::any_of(c.actions.begin(), c.actions.end(), [](const Action& action) {
        return action.state == ActionState::lost ||
               (action.state == ActionState::waiting && action.kind == ActionKind::out_of_service);
      }))
    case_changed(c.uuid);
}

void Reconciler::resource_changed(std::string_view fmri) {
  impl_->mark_resource(std::string(fmri));
}

void Reconciler::handlers_changed() {
  impl_->parts.merge(impl_->unhandled);
  impl_->unhandled.clear();
}

bool Reconciler::has_work() const {
  return impl_->everything || impl_->file_systems_changed || !impl_->parts.empty();
}

std::vector<Command> Reconciler::step(Moment now,
                                      const std::function<bool(std::string_view)>& handled,
                                      Scope scope) {
  Impl& i = *impl_;
  std::vector<Command> out;
  i.parts.merge(i.flights.take_due(now.steady_ns));
  if (i.locate_end_ns && now.steady_ns >= *i.locate_end_ns)
    for (const std::string& bay : i.wishes.bays()) i.parts.insert(bay);
  if (std::exchange(i.everything, false)) i.mark_everything();
  if (std::exchange(i.file_systems_changed, false)) i.mark_lights();
  const Impl::Look at{now, handled, out};
  std::set<std::string> now_due, later;
  for (const std::string& part : std::exchange(i.parts, {})) {
    const Resource* r = i.engine.inventory().find(part);
    (scope == Scope::lights && !(r && r->type == "bay") ? later : now_due).insert(part);
  }
  // Before any command: what fmd did earlier counts for the blast radius of the other parts.
  for (const std::string& part : now_due) i.adopt_done(part, now);
  for (const std::string& part : now_due) i.look(part, at);
  i.parts.merge(later);
  i.tell_owed(now);
  const int64_t lasts_ns = i.config.locate_off_after_ns;
  const bool by_time = lasts_ns > 0 && !i.config.dry_run;
  const auto end = by_time ? i.wishes.next_end_ns(lasts_ns) : std::nullopt;
  i.locate_end_ns.reset();
  if (end) i.locate_end_ns = add_times(now.steady_ns, *end - now.wall_ns);
  return out;
}

std::optional<int64_t> Reconciler::next_deadline_ns() const {
  const auto next = impl_->flights.next_ns();
  const auto& locate = impl_->locate_end_ns;
  return next && locate ? std::min(*next, *locate) : next ? next : locate;
}

Result<void> Reconciler::locate(std::string_view bay, bool on, std::string_view who) {
  const Resource* r = impl_->engine.inventory().find(bay);
  if (!r || !has_lights(*r)) return fail(fmt::format("{} has no locate light", display(bay)));
  if (impl_->config.dry_run && !r->is("led.locate", on ? "on" : "off")) return fail(kDryRun);
  impl_->wishes.wish(r->fmri, on, who);
  impl_->flights.reset({InterventionKind::locate_led, !on, r->fmri});
  impl_->parts.insert(r->fmri);
  return {};
}

Result<void> Reconciler::hold_locate(std::string_view bay, std::string_view holder) {
  const Resource* r = impl_->engine.inventory().find(bay);
  if (!r || !has_lights(*r)) return fail(fmt::format("{} has no locate light", display(bay)));
  if (impl_->config.dry_run && !r->is("led.locate", "on")) return fail(kDryRun);
  impl_->wishes.hold(r->fmri, holder);
  impl_->flights.reset({InterventionKind::locate_led, false, r->fmri});
  impl_->parts.insert(r->fmri);
  return {};
}

std::vector<std::string> Reconciler::release_locate(std::string_view holder) {
  std::vector<std::string> bays = impl_->wishes.release(holder);
  for (const std::string& bay : bays) {
    impl_->flights.reset({InterventionKind::locate_led, true, bay});
    impl_->parts.insert(bay);
  }
  return bays;
}

std::set<std::string> Reconciler::locate_holders() const {
  return impl_->wishes.holders();
}

const Interventions& Reconciler::interventions() const {
  return impl_->interventions;
}

const std::map<std::string, std::string, std::less<>>& Reconciler::kept_in_service() const {
  return impl_->overrides.kept();
}

std::vector<OrderResult> Reconciler::take_order_results() {
  return std::exchange(impl_->order_results, {});
}

std::vector<std::string> Reconciler::take_said() {
  return std::exchange(impl_->said, {});
}

std::set<std::string> Reconciler::take_forgotten() {
  return std::exchange(impl_->forgotten, {});
}

std::vector<StateRow> Reconciler::take_changes() {
  std::vector<StateRow> rows = impl_->interventions.take_changes();
  for (std::vector<StateRow> more : {impl_->overrides.take_changes(), impl_->wishes.take_changes()})
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  return rows;
}

void Reconciler::mark_all_changed() {
  impl_->interventions.mark_all_changed();
  impl_->overrides.mark_all_changed();
  impl_->wishes.mark_all_changed();
}

Result<void> Reconciler::restore(const std::vector<StateRow>& rows) {
  impl_->everything = true;
  Result<void> outcome = impl_->interventions.restore(rows);
  for (Result<void> other : {impl_->overrides.restore(rows), impl_->wishes.restore(rows)})
    if (!other) outcome = other;
  return outcome;
}

}  // namespace fmd
