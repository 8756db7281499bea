#include "fmd/diagnosis/serd_bank.h"

#include <algorithm>
#include <bit>

#include "fmd/base/moment.h"

namespace fmd {
namespace {

// 0: not known to be unique. An ENA names the underlying error, so that two events with the same
// ENA, time and content are one event that came twice; without an ENA nothing says so.
uint32_t content_hash(const Event& event) {
  if (event.ena == 0) return 0;
  const uint64_t hash = std::hash<std::string_view>{}(event.payload_json) ^ (event.ena * 31);
  return std::max<uint32_t>(1, static_cast<uint32_t>(hash ^ hash >> 32));
}

// Common to all events of the error.
uint32_t error_hash(uint64_t ena) {
  const uint64_t mixed = ena * 0x9e3779b97f4a7c15u;
  return std::max<uint32_t>(1, static_cast<uint32_t>(mixed >> 32));
}

// An override from the inventory, when it makes sense.
std::optional<uint64_t> positive(const Value* value) {
  if (!value) return {};
  if (const auto* i = std::get_if<int64_t>(value); i && *i > 0) return static_cast<uint64_t>(*i);
  if (const auto* u = std::get_if<uint64_t>(value); u && *u > 0 && *u < UINT64_MAX) return *u;
  return {};
}

std::optional<uint64_t> own_number(const Inventory& inventory, const std::string& resource,
                                   const std::string& property) {
  if (property.empty()) return {};
  return positive(inventory.inherited(resource, Relation::redundancy, property));
}

// The same for all events whose member has that value, or is a sector of the same block; 0: it has
// none.
uint32_t value_hash(const Rule& rule, const Event& event, const Inventory& inventory) {
  constexpr uint64_t kSector = 512;
  const Value* value = event.payload.find(rule.distinct);
  if (!value) return 0;
  std::string text = to_text(*value);
  const uint64_t sectors =
      own_number(inventory, event.resource, rule.distinct_block).value_or(0) / kSector;
  if (const auto sector = positive(value); sector && sectors > 1)
    text = std::to_string(*sector / sectors * sectors);
  return std::max<uint32_t>(1, static_cast<uint32_t>(std::hash<std::string>{}(text)));
}

}  // namespace

int64_t window_of(const Rule& rule, const Inventory& inventory, const std::string& resource) {
  const auto seconds = own_number(inventory, resource, rule.within_property);
  int64_t within = rule.within_ns;
  if (seconds && __builtin_mul_overflow(*seconds, uint64_t{1000000000}, &within))
    within = INT64_MAX;
  return within;
}

SerdBank::Content SerdBank::content_of(const Rule& rule, const Event& event) const {
  const bool one_error = rule.by_ena && event.ena != 0;
  const uint32_t value = rule.distinct.empty() ? 0 : value_hash(rule, event, inventory_);
  if (!rule.distinct.empty() && value == 0) return {};
  return {one_error    ? error_hash(event.ena)
          : value != 0 ? value
                       : content_hash(event),
          true, one_error, value != 0};
}

void SerdBank::set_rules(std::shared_ptr<const RuleSet> rules) {
  const std::shared_ptr<const RuleSet> old = std::exchange(rules_, std::move(rules));
  rule_names_.clear();
  number_names_.clear();
  for (const Rule& rule : rules_->rules()) {
    rule_names_.emplace_back(rule.name);
    for (const std::string* name : {&rule.count_property, &rule.within_property})
      if (!name->empty()) number_names_.insert(*name);
  }
  if (!old) return;
  last_ = nullptr;
  for (auto at = slots_.begin(); at != slots_.end();) {
    count_ -= std::erase_if(at->second, [&](Slot& slot) {
      const std::string& name = old->rules()[slot.rule].name;
      const Rule* rule = rules_->find(name);
      if (!rule || rule->kind != RuleKind::serd) {
        now_.push_back({at->first, name});
        return true;
      }
      slot.rule = static_cast<uint32_t>(rule - rules_->rules().data());
      slot.generation = UINT64_MAX;
      return false;
    });
    at = at->second.empty() ? slots_.erase(at) : std::next(at);
  }
  learn_known();
}

std::optional<uint64_t> SerdBank::own_number(const std::string& resource,
                                             const std::string& property) const {
  return fmd::own_number(inventory_, resource, property);
}

SerdBank::Taken SerdBank::take(uint32_t rule, const Event& event, int64_t wall_ns) {
  const Rule& of = rules_->rules()[rule];
  if (of.count == 0 && !own_number(event.resource, of.count_property)) {
    if (Slot* slot = find_slot(rule, event.resource)) mark(*slot, event.resource);
    return Taken::no;
  }
  Slots& slots = slots_of(event.resource);
  auto slot =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& s) { return s.rule == rule; });
  if (slot == slots.end()) {
    Slot fresh;
    fresh.rule = rule;
    slot = slots.insert(slots.end(), std::move(fresh));
    // A function of the state alone, so that a restart changes nothing.
    ++count_;
    if (count_ >= kFirstSweep && std::has_single_bit(count_)) sweep_due_ = true;
  }
  const Content content = content_of(of, event);
  if (!content.counts) return Taken::no;
  if (content.one_error && may_know(rule, content.hash) && slot->serd.knows(content.hash))
    return Taken::no;
  if (content.one_error && !of.culprits_property.empty()) {
    const bool shared = is_shared(rule, event.resource, content.hash);
    if (shared || slot->serd.fired()) {
      slot->serd.withdraw(content.hash);  // one that has fired is a witness yet
      knows_now(rule, content.hash);
      mark(*slot, event.resource, shared ? Due::now : Due::later);
      return Taken::no;
    }
  }
  if (slot->serd.fired()) return Taken::no;
  if (slot->generation != inventory_.generation()) configure(*slot, event.resource);
  const Taken taken = count(*slot, event, content, wall_ns);
  if (taken == Taken::fires) mark(*slot, event.resource);
  return taken;
}

// Mostly several rules count one event.
SerdBank::Slots& SerdBank::slots_of(const Interned& resource) {
  if (!last_ || last_->first != resource) last_ = &*slots_.try_emplace(resource).first;
  return last_->second;
}

SerdBank::Taken SerdBank::count(Slot& slot, const Event& event, const Content& content,
                                int64_t wall_ns) {
  mark(slot, event.resource, Due::later);
  if (content.supersedes && !slot.serd.supersede(content.hash, event.time_ns)) return Taken::no;
  if (content.one_error) knows_now(slot.rule, content.hash);
  const bool fires =
      slot.serd.add({event.time_ns, event.seq, tag_of(event.event_class), content.hash}, wall_ns);
  return fires ? Taken::fires : Taken::counted;
}

// What an engine has no row of was not counted, and what the inventory decided is in the row: it may
// be another one by now.
void SerdBank::recount(uint32_t rule, const Event& event, int64_t wall_ns, uint64_t counted_to) {
  Slot* slot = find_slot(rule, event.resource);
  if (!slot || event.seq <= std::max(counted_to, slot->upto)) return;
  const Rule& of = rules_->rules()[rule];
  const Content content = content_of(of, event);
  if (!content.counts) return;
  if (content.one_error && slot->serd.knows(content.hash)) return;
  if (slot->serd.fired()) {
    if (!content.one_error || of.culprits_property.empty()) return;
    slot->serd.withdraw(content.hash);
    knows_now(rule, content.hash);
    mark(*slot, event.resource, Due::later);
    return;
  }
  // Only by a rule that has changed meanwhile: fired for nobody, it would be silent for good.
  if (count(*slot, event, content, wall_ns) != Taken::fires) return;
  slot->serd.reset();
  mark(*slot, event.resource);
}

// Whether any engine of the rule may know the error; asked before each is.
bool SerdBank::may_know(uint32_t rule, uint32_t hash) const {
  return rules_->rules()[rule].culprits_property.empty() || known_.may_know(rule, hash);
}

// An engine knows it now, or is about to.
void SerdBank::knows_now(uint32_t rule, uint32_t hash) {
  if (rules_->rules()[rule].culprits_property.empty()) return;
  if (known_.is_stale()) learn_known();
  known_.add(rule, hash);
}

void SerdBank::learn_known() {
  std::vector<std::pair<uint32_t, uint32_t>> errors;  // of which rule, their hash
  for (const auto& [resource, slots] : slots_)
    for (const Slot& slot : slots) {
      if (rules_->rules()[slot.rule].culprits_property.empty()) continue;
      for (const Serd::Entry& entry : slot.serd.entries())
        if (entry.hash != 0) errors.emplace_back(slot.rule, entry.hash);
      for (const uint32_t withdrawn : slot.serd.withdrawn())
        if (withdrawn != 0) errors.emplace_back(slot.rule, withdrawn);
    }
  known_.reset(errors.size());
  for (const auto& [rule, hash] : errors) known_.add(rule, hash);
}

// True if one error names more parts of a group than can be at fault. Then only one of them is
// known to be wrong, and the counts are withdrawn from all.
bool SerdBank::is_shared(uint32_t rule, std::string_view resource, uint32_t hash) {
  // A part without known siblings can always be at fault.
  if (!known_.may_know(rule, hash)) return false;
  const std::string& property = rules_->rules()[rule].culprits_property;
  std::string_view part = resource;
  const Resource* whole = nullptr;
  for (int floors = 0; floors < 8 && !whole; ++floors) {  // wholes may not be their own parts
    const std::vector<const Resource*> above = inventory_.parents(part, Relation::redundancy);
    if (above.empty()) return false;
    if (above.front()->properties.contains(property))
      whole = above.front();
    else
      part = above.front()->fmri;
  }
  const auto limit = whole ? positive(&whole->properties.find(property)->second) : std::nullopt;
  if (!limit) return false;
  knowing_.clear();
  uint64_t parts = 1;
  for (const Edge& edge : whole->edges)
    if (edge.relation == Relation::redundancy && find_that_know(rule, edge.to, hash) &&
        edge.to != part)
      ++parts;
  if (parts <= *limit) return false;
  for (OfPart* leaf : knowing_)
    for (Slot& slot : leaf->second)
      if (slot.rule == rule) {
        if (slot.serd.withdraw(hash)) withdrawn_.emplace_back(rule, leaf->first.str());
        mark(slot, leaf->first);
      }
  return true;
}

// True when it or any below it does; adds those.
bool SerdBank::find_that_know(uint32_t rule, std::string_view part, uint32_t hash) {
  const size_t known = knowing_.size();
  below_.assign(1, part);
  for (size_t i = 0; i < below_.size() && i < 64; ++i) {  // a slot: a disk, or pairs of them
    if (const auto at = slots_.find(below_[i]); at != slots_.end())
      if (const Slot* slot = slot_of(rule, at->second); slot && slot->serd.knows(hash))
        knowing_.push_back(&*at);
    if (const Resource* r = inventory_.find(below_[i]))
      for (const Edge& edge : r->edges)
        if (edge.relation == Relation::redundancy) below_.push_back(edge.to);
  }
  return knowing_.size() > known;
}

bool SerdBank::configure(Slot& slot, const Interned& resource) {
  const Rule& rule = rules_->rules()[slot.rule];
  uint64_t n = std::max<uint64_t>(1, rule.count);
  const int64_t within = window_of(rule, inventory_, resource);
  if (const auto count = own_number(resource, rule.count_property)) n = *count;
  const std::pair before{slot.serd.n(), slot.serd.within_ns()};
  slot.serd.configure(n, within);
  slot.generation = inventory_.generation();
  const bool changed = before != std::pair{slot.serd.n(), slot.serd.within_ns()};
  if (changed) mark(slot, resource);
  return changed;
}

std::vector<SerdBank::Counted> SerdBank::renumber(const std::string& resource, int64_t wall_ns) {
  const Resource* changed = inventory_.find(resource);
  const auto is_number = [&](const auto& property) {
    return number_names_.contains(property.first);
  };
  if (!changed || std::none_of(changed->properties.begin(), changed->properties.end(), is_number))
    return {};
  std::vector<Counted> firing;
  std::set<std::string> below{resource};  // numbers of a whole are those of its parts
  for (std::vector<std::string> open{resource}; !open.empty();) {
    const std::string part = std::move(open.back());
    open.pop_back();
    if (const auto at = slots_.find(part); at != slots_.end())
      for (Slot& slot : at->second) {
        if (configure(slot, at->first) && slot.serd.reconsider(wall_ns))
          firing.emplace_back(slot.rule, part);
      }
    if (const Resource* r = inventory_.find(part))
      for (const Edge& edge : r->edges)
        if (edge.relation == Relation::redundancy && below.insert(edge.to).second)
          open.push_back(edge.to);
  }
  return firing;
}

void SerdBank::mark(Slot& slot, const Interned& resource, Due due) {
  if (!slot.has_row) due = Due::now;  // nothing that could be counted on
  if (slot.due >= due) return;
  slot.due = due;
  (due == Due::now ? now_ : later_).push_back({resource, rule_names_[slot.rule]});
}

const SerdBank::Slot* SerdBank::slot_of(uint32_t rule, const Slots& slots) {
  const auto at =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& s) { return s.rule == rule; });
  return at == slots.end() ? nullptr : &*at;
}

const SerdBank::Slot* SerdBank::find(uint32_t rule, std::string_view resource) const {
  const auto at = slots_.find(resource);
  return at == slots_.end() ? nullptr : slot_of(rule, at->second);
}

SerdBank::Slot* SerdBank::find_slot(uint32_t rule, std::string_view resource) {
  return const_cast<Slot*>(std::as_const(*this).find(rule, resource));
}

std::vector<Evidence> SerdBank::evidence(uint32_t rule, std::string_view resource) const {
  std::vector<Evidence> out;
  if (const Slot* slot = find(rule, resource))
    for (const Serd::Entry& e : slot->serd.entries())
      out.push_back({e.seq, e.time_ns, class_name(e.tag)});
  return out;
}

std::vector<int64_t> SerdBank::times(uint32_t rule, std::string_view resource) const {
  std::vector<int64_t> out;
  if (const Slot* slot = find(rule, resource))
    for (const Serd::Entry& e : slot->serd.entries()) out.push_back(e.time_ns);
  return out;
}

void SerdBank::disown(uint32_t rule, std::string_view resource,
                      const std::vector<int64_t>& times_ns) {
  Slot* slot = find_slot(rule, resource);
  if (!slot) return;
  slot->serd.disown(times_ns);
  mark(*slot, slots_.find(resource)->first);
}

uint32_t SerdBank::tag_of(const Interned& event_class) {
  if (last_tag_ < class_names_.size() && class_names_[last_tag_] == event_class) return last_tag_;
  if (const auto at = tags_.find(event_class); at != tags_.end()) return last_tag_ = at->second;
  constexpr size_t kMostClasses = 65536;
  if (class_names_.size() >= kMostClasses) return 0;
  const auto id = static_cast<uint32_t>(class_names_.size());
  class_names_.emplace_back(event_class);
  tags_.emplace(event_class, id);
  return id;
}

Interned SerdBank::class_name(uint32_t tag) const {
  return tag < class_names_.size() ? class_names_[tag] : Interned();
}

void SerdBank::reset(std::string_view rule, std::string_view resource) {
  drop(resource, [&](const Slot& slot) { return rule_name(slot) == rule; });
}

void SerdBank::reset(std::string_view resource) {
  drop(resource, [](const Slot&) { return true; });
}

void SerdBank::reset_of_fault(std::string_view fault, std::string_view resource) {
  drop(resource, [&](const Slot& slot) { return rules_->rules()[slot.rule].fault->name == fault; });
}

template <class Which>
void SerdBank::drop_everywhere(const Which& which) {
  last_ = nullptr;
  for (auto at = slots_.begin(); at != slots_.end();) {
    count_ -= std::erase_if(at->second, [&](Slot& slot) {
      if (!which(slot)) return false;
      mark(slot, at->first);
      return true;
    });
    at = at->second.empty() ? slots_.erase(at) : std::next(at);
  }
}

void SerdBank::sweep_if_due(int64_t wall_ns) {
  if (!std::exchange(sweep_due_, false)) return;
  drop_everywhere([&](const Slot& slot) { return slot.serd.expired(wall_ns); });
  if (count_ < kMost) return;
  std::vector<int64_t> newest;
  for (const auto& [resource, slots] : slots_)
    for (const Slot& slot : slots)
      if (!slot.serd.fired()) newest.push_back(slot.serd.newest_ns());
  if (newest.empty()) return;
  const auto middle = newest.begin() + static_cast<ptrdiff_t>(newest.size() / 2);
  std::nth_element(newest.begin(), middle, newest.end());
  drop_everywhere(
      [&](const Slot& slot) { return !slot.serd.fired() && slot.serd.newest_ns() <= *middle; });
}

std::vector<SerdView> SerdBank::view() const {
  std::vector<SerdView> out;
  for (const auto& [resource, slots] : slots_)
    for (const Slot& slot : slots)
      out.push_back({rule_name(slot), resource, slot.serd.count(), slot.serd.n(),
                     slot.serd.within_ns(), slot.serd.oldest_ns(), slot.serd.newest_ns(),
                     slot.serd.fired()});
  std::sort(out.begin(), out.end(), [](const SerdView& a, const SerdView& b) {
    return std::tie(a.rule, a.resource) < std::tie(b.rule, b.resource);
  });
  return out;
}

}  // namespace fmd
