// Events: which rules they concern, and the counting.
#include <algorithm>
#include <bit>

#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

constexpr size_t kFirstSweep = 4096, kMostSlots = 131072;

bool concerns(const Rule& rule, const Payload& payload) {
  for (const auto& [member, values] : rule.where)
    if (!is_among(payload, member, values)) return false;
  for (const auto& [member, values] : rule.where_not)
    if (is_among(payload, member, values)) return false;
  return true;
}

// 0: not known to be unique. An ENA names the underlying error, so that two events with the same
// ENA, time and content are one event that came twice; without an ENA nothing says so.
uint32_t content_hash(const Event& event) {
  if (event.ena == 0) return 0;
  const uint64_t hash = std::hash<std::string_view>{}(event.payload_json) ^ (event.ena * 31);
  return std::max<uint32_t>(1, static_cast<uint32_t>(hash ^ hash >> 32));
}

// An override from the inventory, when it makes sense.
std::optional<uint64_t> positive(const Value* value) {
  if (!value) return {};
  if (const auto* i = std::get_if<int64_t>(value); i && *i > 0) return static_cast<uint64_t>(*i);
  if (const auto* u = std::get_if<uint64_t>(value); u && *u > 0 && *u < UINT64_MAX) return *u;
  return {};
}

bool has_rule(const Case& c, const std::string& name) {
  return std::find(c.rules.begin(), c.rules.end(), name) != c.rules.end();
}

bool still_about(const Case& c, const std::string& resource) {
  if (c.state == CaseState::unsolved) return true;
  return std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.resource == resource && s.status == SuspectStatus::faulty;
  });
}

}  // namespace

Engine::Impl::Part* Engine::Impl::find_part(std::string_view resource) {
  const auto at = parts.find(resource);
  return at == parts.end() ? nullptr : &at->second;
}

void Engine::Impl::take_event(const Event& event) {
  const ClassRoles& roles = rules->roles(event.event_class);
  Part* part = find_part(event.resource);
  if (part && !part->cases.empty()) {
    for (const uint32_t i : roles.unless) cancel_hold({rules->rules()[i].name, event.resource});
    repair_by_event(event);
  }
  if (part)
    for (const uint32_t i : roles.reset) reset_slot(rules->rules()[i].name, event.resource);
  std::vector<Case*> counted;
  for (const uint32_t i : roles.evidence) {
    const Rule& rule = rules->rules()[i];
    if (concerns(rule, event.payload)) take_evidence(rule, i, event, counted);
  }
}

void Engine::Impl::take_evidence(const Rule& rule, uint32_t index, const Event& event,
                                 std::vector<Case*>& counted) {
  Part& part = parts.try_emplace(event.resource).first->second;
  const Evidence evidence{event.seq, event.time_ns, event.event_class};
  for (Case* c : part.cases) {
    if (!has_rule(*c, rule.name) || !still_about(*c, event.resource)) continue;
    if (std::find(counted.begin(), counted.end(), c) != counted.end()) continue;
    counted.push_back(c);
    add_evidence(*c, evidence);
  }
  if (rule.kind == RuleKind::immediate) {
    conclude(rule, event.resource, {evidence}, &event);
  } else if (count_serd(rule, index, part, event)) {
    conclude(rule, event.resource, evidence_of(rule, event.resource), &event);
  }
}

bool Engine::Impl::count_serd(const Rule&, uint32_t index, Part& part, const Event& event) {
  auto slot = std::find_if(part.slots.begin(), part.slots.end(),
                           [&](const Slot& s) { return s.rule == index; });
  if (slot == part.slots.end()) {
    Slot fresh;
    fresh.rule = index;
    slot = part.slots.insert(part.slots.end(), std::move(fresh));
    // A function of the state alone, so that a restart changes nothing.
    ++slot_count;
    if (slot_count >= kFirstSweep && std::has_single_bit(slot_count)) sweep_due = true;
  }
  if (slot->serd.fired()) return false;
  if (slot->generation != inventory.generation()) configure(*slot, event.resource);
  mark(*slot, event.resource);
  return slot->serd.add({event.time_ns, event.seq, intern(event.event_class), content_hash(event)},
                        now.wall_ns);
}

void Engine::Impl::configure(Slot& slot, const std::string& resource) {
  const Rule& rule = rules->rules()[slot.rule];
  uint64_t n = rule.count;
  int64_t within = rule.within_ns;
  const auto override_of = [&](const std::string& property) -> std::optional<uint64_t> {
    if (property.empty()) return {};
    return positive(inventory.inherited(resource, Relation::redundancy, property));
  };
  if (const auto count = override_of(rule.count_property)) n = *count;
  if (const auto seconds = override_of(rule.within_property))
    if (__builtin_mul_overflow(*seconds, uint64_t{1000000000}, &within)) within = INT64_MAX;
  slot.serd.configure(n, within);
  slot.generation = inventory.generation();
}

void Engine::Impl::mark(Slot& slot, const std::string& resource) {
  if (slot.dirty) return;
  slot.dirty = true;
  dirty_serds.emplace_back(rules->rules()[slot.rule].name, resource);
}

std::vector<Evidence> Engine::Impl::evidence_of(const Rule& rule, const std::string& resource) {
  std::vector<Evidence> out;
  Part* part = find_part(resource);
  if (!part) return out;
  for (const Slot& slot : part->slots) {
    if (&rules->rules()[slot.rule] != &rule) continue;
    for (const Serd::Entry& e : slot.serd.entries())
      out.push_back({e.seq, e.time_ns, e.tag < class_names.size() ? class_names[e.tag] : ""});
  }
  return out;
}

uint32_t Engine::Impl::intern(std::string_view event_class) {
  if (const auto at = class_ids.find(event_class); at != class_ids.end()) return at->second;
  constexpr size_t kMostClasses = 65536;
  if (class_names.size() >= kMostClasses) return 0;
  const auto id = static_cast<uint32_t>(class_names.size());
  class_names.emplace_back(event_class);
  class_ids.emplace(event_class, id);
  return id;
}

void Engine::Impl::reset_slot(const std::string& rule, std::string_view resource) {
  Part* part = find_part(resource);
  if (!part) return;
  const auto slot = std::find_if(part->slots.begin(), part->slots.end(), [&](const Slot& s) {
    return rules->rules()[s.rule].name == rule;
  });
  if (slot == part->slots.end()) return;
  mark(*slot, std::string(resource));
  part->slots.erase(slot);
  --slot_count;
}

void Engine::Impl::reset_slots(std::string_view resource) {
  Part* part = find_part(resource);
  if (!part) return;
  for (Slot& slot : part->slots) mark(slot, std::string(resource));
  slot_count -= part->slots.size();
  part->slots.clear();
}

// Forgets what cannot matter any more. Should a source make up resources without end, the stalest
// half of the counting goes too: memory stays bounded.
void Engine::Impl::sweep() {
  const auto drop_where = [this](const auto& stale) {
    for (auto at = parts.begin(); at != parts.end();) {
      std::vector<Slot>& slots = at->second.slots;
      for (size_t i = slots.size(); i-- > 0;)
        if (stale(slots[i])) reset_slot(rules->rules()[slots[i].rule].name, at->first);
      const bool empty = slots.empty() && at->second.cases.empty();
      at = empty ? parts.erase(at) : std::next(at);
    }
  };
  drop_where([this](const Slot& s) { return s.serd.expired(now.wall_ns); });
  if (slot_count < kMostSlots) return;
  std::vector<int64_t> newest;
  for (const auto& [resource, part] : parts)
    for (const Slot& slot : part.slots)
      if (!slot.serd.fired()) newest.push_back(slot.serd.newest_ns());
  if (newest.empty()) return;
  const auto middle = newest.begin() + static_cast<ptrdiff_t>(newest.size() / 2);
  std::nth_element(newest.begin(), middle, newest.end());
  drop_where([&](const Slot& s) { return !s.serd.fired() && s.serd.newest_ns() <= *middle; });
}

}  // namespace fmd
