#include "fmd/reconcile/lights.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

// Whether it holds of the suspect, or of a member that is on its disk.
bool is_any(const Suspect& s, const Inventory& inventory,
            bool (*fits)(const Inventory&, const Resource&)) {
  if (const Resource* part = inventory.find(s.asru); part && fits(inventory, *part)) return true;
  if (!s.fru.starts_with("dev://")) return false;
  const std::vector<const Resource*> users = inventory.parents(s.fru, Relation::redundancy);
  return std::any_of(users.begin(), users.end(),
                     [&](const Resource* user) { return fits(inventory, *user); });
}

bool has_last_copy(const Suspect& s, const Inventory& inventory) {
  if (const Resource* part = inventory.find(s.asru); part && holds_last_copy(*part, s.fru))
    return true;
  if (!s.fru.starts_with("dev://")) return false;
  const std::vector<const Resource*> users = inventory.parents(s.fru, Relation::redundancy);
  return std::any_of(users.begin(), users.end(),
                     [&](const Resource* user) { return holds_last_copy(*user, s.fru); });
}

bool is_of_reshaped(const Inventory& inventory, const Resource& member) {
  const Resource* array = member.type == "md-member" ? storage_of(inventory, member.fmri) : nullptr;
  return array && is_reshaped(*array) && !is_idle_spare(member);
}

// Why the disk has to stay, apart from last copies of a pool or volume; "" no reason.
std::string why_dark(const Suspect& s, const Inventory& inventory) {
  if (is_any(s, inventory, is_of_reshaped)) return "its array is being reshaped";
  const Resource* disk = s.fru.starts_with("dev://") ? inventory.find(s.fru) : nullptr;
  if (!disk || disk->type != "disk") return {};
  std::string why = why_kept(inventory, *disk);
  if (why.empty() && is_of_unknown_use(inventory, *disk) && !was_let_go(s, *disk))
    why = "fmd cannot see whether the data on it has another copy";
  return why;
}

// A lit bay says "replace the disk here now", which is wrong of the only copy of some data: the pool,
// volume or file system has no redundancy, or another disk of the group must be replaced or filled
// first.
enum class Wish { none, held_back, coming, light };

Wish wish_of(const Suspect& s, const std::string& bay, const Inventory& inventory) {
  if (s.status != SuspectStatus::faulty || !s.undecided.empty() || bay_of(s, inventory) != bay ||
      is_any(s, inventory, must_come_back))
    return Wish::none;
  const bool kept = has_last_copy(s, inventory) || !why_dark(s, inventory).empty();
  return kept ? Wish::held_back : Wish::light;
}

Wish wish_of(const Case& c, const std::string& bay, const Inventory& inventory) {
  Wish most = Wish::none;
  if (c.led && c.state != CaseState::unsolved)
    for (const Suspect& s : c.suspects) most = std::max(most, wish_of(s, bay, inventory));
  return most == Wish::light && c.acts_at_ns > 0 ? Wish::coming : most;
}

std::vector<const Case*> wishing(const Engine& engine, const std::string& bay, Wish wish) {
  const Inventory& inventory = engine.inventory();
  std::vector<const Case*> found;
  const auto add = [&](const std::vector<const Case*>& cases) {
    for (const Case* c : cases)
      if (wish_of(*c, bay, inventory) == wish &&
          std::find(found.begin(), found.end(), c) == found.end())
        found.push_back(c);
  };
  add(engine.cases_by_bay(bay));
  // The bay that holds the part now may be news that the case has not taken in.
  if (const Resource* r = inventory.find(bay))
    for (const Edge& e : r->edges)
      if (e.relation == Relation::contains) add(engine.cases_by_fru(e.to));
  return found;
}

std::string led_args(std::string_view indication, bool on) {
  return nlohmann::json{{"indication", indication}, {"on", on}}.dump();
}

Step light_step(const std::string& bay, ActionState state, std::string detail) {
  Step s;
  s.action = ActionKind::fault_led;
  s.part = bay;
  s.state = state;
  s.detail = std::move(detail);
  return s;
}

Step light_order(const std::string& bay, InterventionKind kind, bool on, std::string detail) {
  Step s = light_step(bay, ActionState::running, std::move(detail));
  const bool fault = kind == InterventionKind::fault_led;
  s.command = Step::Order{CommandName::set_led, kind, !on, Service::unknown,
                          led_args(fault ? "fault" : "locate", on)};
  return s;
}

}  // namespace

std::vector<const Case*> wishing_light(const Engine& engine, const std::string& bay) {
  return wishing(engine, bay, Wish::light);
}

std::vector<const Case*> coming_light(const Engine& engine, const std::string& bay) {
  return wishing(engine, bay, Wish::coming);
}

Step coming_step(const std::string& bay) {
  Step step = light_step(bay, ActionState::waiting, "");
  step.quiet = true;
  return step;
}

std::vector<const Case*> held_back_light(const Engine& engine, const std::string& bay) {
  return wishing(engine, bay, Wish::held_back);
}

Step held_back_step(const Engine& engine, const Case& c, const std::string& bay) {
  const Inventory& inventory = engine.inventory();
  std::string why = "some data on the disk has no other copy now";
  for (const Suspect& s : c.suspects) {
    if (is_any(s, inventory, must_wait_for_another)) {
      why = "another disk of its group is out, and must be back or replaced first";
      break;
    }
    if (std::string kept = why_dark(s, inventory); !kept.empty() && !has_last_copy(s, inventory))
      why = std::move(kept);
  }
  Step step = light_step(bay, ActionState::refused, why);
  step.obstacle = Obstacle::last_copy;
  step.said = "the fault LED is not lit: " + why;
  return step;
}

bool has_lights(const Resource& part) {
  return part.type == "bay" || (part.type == "system" && !part.get("led.locate").empty());
}

std::optional<Step> plan_fault_light(const Engine& engine, const Interventions& interventions,
                                     const std::string& bay) {
  const Resource* r = engine.inventory().find(bay);
  if (!r) return {};
  const std::string label = name_in_place(engine.inventory(), bay);
  const bool on = r->is("led.fault", "on");
  if (!wishing_light(engine, bay).empty()) {
    if (on) return light_step(bay, ActionState::done, fmt::format("fault LED of {} is on", label));
    const std::string method = r->get("led.method");
    if (method == "none" || (method.empty() && r->get("led.fault").empty())) {
      Step none = light_step(bay, ActionState::refused, fmt::format("{} has no fault LED", label));
      none.obstacle = Obstacle::error;
      return none;
    }
    return light_order(bay, InterventionKind::fault_led, true,
                       fmt::format("light the fault LED of {}", label));
  }
  if (!interventions.find(InterventionKind::fault_led, bay)) return {};
  return light_order(bay, InterventionKind::fault_led, false,
                     fmt::format("switch the fault LED of {} off", label));
}

std::optional<Step> plan_locate_light(const Engine& engine, const Interventions& interventions,
                                      const LocateWishes& wishes, const std::string& bay) {
  const Resource* r = engine.inventory().find(bay);
  const bool on = wishes.on(bay);
  // The LED reads off, but a command to light or darken it may still take effect: only an answer
  // settles that.
  const Intervention* lit = interventions.find(InterventionKind::locate_led, bay);
  if (r && !on && lit && lit->asked &&
      (lit->state == Intervention::State::undoing || lit->state == Intervention::State::intended))
    return light_order(bay, InterventionKind::locate_led, false, "");
  if (!r || r->is("led.locate", on ? "on" : "off") || r->get("led.locate").empty()) return {};
  // Off is wanted only for a light that is on, and only by those who wanted it on.
  if (!on && (!r->is("led.locate", "on") || !wishes.concern(bay))) return {};
  return light_order(bay, InterventionKind::locate_led, on, "");
}

void LocateWishes::wish(const std::string& bay, bool on, std::string_view who) {
  Wish& wish = wishes_[bay];
  wish.kept = on;
  wish.who = who;
  wish.errand = {};
  if (!on) wish.holders.clear();
  dirty_.insert(bay);
}

void LocateWishes::hold(const std::string& bay, std::string_view holder) {
  wishes_[bay].holders.emplace(holder);
  dirty_.insert(bay);
}

std::vector<std::string> LocateWishes::release(std::string_view holder) {
  std::vector<std::string> bays;
  for (auto& [bay, wish] : wishes_) {
    const auto held = wish.holders.find(holder);
    if (held == wish.holders.end()) continue;
    wish.holders.erase(held);
    dirty_.insert(bay);
    bays.push_back(bay);
  }
  return bays;
}

std::set<std::string> LocateWishes::holders() const {
  std::set<std::string> all;
  for (const auto& [bay, wish] : wishes_) all.insert(wish.holders.begin(), wish.holders.end());
  return all;
}

std::vector<std::string> LocateWishes::bays() const {
  std::vector<std::string> all;
  for (const auto& [bay, wish] : wishes_) all.push_back(bay);
  return all;
}

bool LocateWishes::on(const std::string& bay) const {
  const auto at = wishes_.find(bay);
  return at != wishes_.end() && at->second.on();
}

bool LocateWishes::concern(const std::string& bay) const {
  return wishes_.count(bay) != 0;
}

std::string LocateWishes::who(const std::string& bay) const {
  const auto at = wishes_.find(bay);
  return at == wishes_.end() ? "" : at->second.who;
}

const LocateWishes::Errand* LocateWishes::errand(const std::string& bay) const {
  const auto at = wishes_.find(bay);
  return at != wishes_.end() && at->second.kept ? &at->second.errand : nullptr;
}

void LocateWishes::begin(const std::string& bay, Errand errand) {
  wishes_[bay].errand = std::move(errand);
  dirty_.insert(bay);
}

void LocateWishes::end_errand(const std::string& bay) {
  Wish& wish = wishes_[bay];
  wish.kept = false;
  wish.errand = {};
  dirty_.insert(bay);
}

std::optional<int64_t> LocateWishes::next_end_ns(int64_t lasts_ns) const {
  std::optional<int64_t> next;
  for (const auto& [bay, wish] : wishes_) {
    if (!wish.kept || wish.errand.since_ns == 0) continue;
    const int64_t end = add_times(wish.errand.since_ns, lasts_ns);
    next = std::min(end, next.value_or(end));
  }
  return next;
}

void LocateWishes::done_with(const std::string& bay) {
  if (wishes_.erase(bay)) dirty_.insert(bay);
}

std::vector<StateRow> LocateWishes::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& bay : std::exchange(dirty_, {})) {
    const auto at = wishes_.find(bay);
    const std::string doc = at == wishes_.end()
                                ? ""
                                : dump_json({{"on", at->second.kept},
                                             {"who", at->second.who},
                                             {"disk", at->second.errand.disk},
                                             {"case", at->second.errand.uuid},
                                             {"since_ns", at->second.errand.since_ns},
                                             {"holders", at->second.holders}});
    rows.push_back({"locate", bay, doc});
  }
  return rows;
}

void LocateWishes::mark_all_changed() {
  for (const auto& [bay, wish] : wishes_) dirty_.insert(bay);
}

Result<void> LocateWishes::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind != "locate" || row.doc.empty()) continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    if (doc.is_discarded() || !doc.is_object()) {
      outcome = fail(fmt::format("stored locate wish for {} is not JSON", display(row.key)));
      continue;
    }
    Wish& wish = wishes_[row.key];
    wish.kept = json_bool(doc, "on");
    wish.who = json_text(doc, "who");
    wish.errand = {json_text(doc, "disk"), json_text(doc, "case"), json_int(doc, "since_ns")};
    for (const auto& holder : doc.value("holders", nlohmann::json::array()))
      if (holder.is_string()) wish.holders.insert(holder.get<std::string>());
  }
  return outcome;
}

}  // namespace fmd
