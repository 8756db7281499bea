#include "fmd/model/inventory.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "fmd/model/owners.h"

namespace fmd {

const Resource& InventoryChange::was() const {
  static const Resource nothing;
  return before ? *before : nothing;
}

std::string Resource::get(std::string_view property) const {
  const auto at = properties.find(property);
  return at == properties.end() ? std::string() : to_text(at->second);
}

bool Resource::is(std::string_view property, std::string_view text) const {
  const auto at = properties.find(property);
  if (at == properties.end()) return text.empty();
  const auto* own = std::get_if<std::string>(&at->second);
  return own ? *own == text : to_text(at->second) == text;
}

std::string Resource::printed_name() const {
  return type == "cpu" || type == "core" ? get("label") : "";
}

int64_t number_in(const Resource& resource, std::string_view property, int64_t fallback) {
  const auto at = resource.properties.find(property);
  if (at == resource.properties.end()) return fallback;
  if (const auto* i = std::get_if<int64_t>(&at->second)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&at->second)) return static_cast<int64_t>(*u);
  if (const auto* d = std::get_if<double>(&at->second); d && *d > -1e15 && *d < 1e15)
    return static_cast<int64_t>(*d);
  return fallback;
}

Inventory::Word::Word(const Word& other)
    : apart(other.apart ? std::make_unique<Resource>(*other.apart) : nullptr),
      order(other.order),
      source(other.source),
      declared(other.declared),
      changed(other.changed),
      measured(other.measured) {}

Inventory::Inventory(const Inventory& other)
    : sources_(other.sources_),
      dirty_(other.dirty_),
      written_to_(other.written_to_),
      order_(other.order_),
      generation_(other.generation_),
      structure_(other.structure_) {
  for (const Resource* resource : other.all_) {
    Part& copy = part_for(resource->fmri);
    const Part& original = *other.part(resource->fmri);
    copy.merged = original.merged;
    copy.known = true;
    copy.words.reserve(original.words.size());
    for (const Word& word : original.words) copy.words.push_back(word);
    all_.insert(all_.end(), &copy.merged);
    link(copy, true);
  }
  for (const Resource* resource : other.measured_) {
    Part& copy = *part(resource->fmri);
    copy.in_turn = true;
    measured_.insert(measured_.end(), &copy.merged);
  }
}

Inventory& Inventory::operator=(Inventory other) noexcept {
  std::swap(parts_, other.parts_);  // the parts stay where they are
  all_.swap(other.all_);
  sources_.swap(other.sources_);
  dirty_.swap(other.dirty_);
  measured_.swap(other.measured_);
  written_to_.swap(other.written_to_);
  order_ = other.order_;
  generation_ = other.generation_;
  structure_ = other.structure_;
  return *this;
}

const Inventory::Word* Inventory::Part::by(Source source) const {
  const auto at = std::find_if(words.begin(), words.end(),
                               [source](const Word& word) { return word.source == source; });
  return at == words.end() ? nullptr : &*at;
}

Inventory::Word* Inventory::Part::by(Source source) {
  return const_cast<Word*>(std::as_const(*this).by(source));
}

Resource& Inventory::Part::apart(Word& word) const {
  if (!word.apart) {
    word.apart = std::make_unique<Resource>();
    word.apart->type = merged.type;
    word.apart->properties = merged.properties;
    word.apart->edges = merged.edges;
    word.apart->present = merged.present;
  }
  return *word.apart;
}

const Inventory::Part* Inventory::part(std::string_view fmri) const {
  return parts_.find(fmri);
}

Inventory::Part* Inventory::part(std::string_view fmri) {
  return parts_.find(fmri);
}

Inventory::Part& Inventory::part_for(const std::string& fmri) {
  if (Part* known = parts_.find(fmri)) return *known;
  auto fresh = std::make_unique<Part>();
  fresh->merged.fmri = fmri;
  return parts_.add(std::move(fresh));
}

void Inventory::tidy(const Part& part) {
  if (part.known || !part.words.empty() || !part.tied.empty()) return;
  if (part.in_turn) measured_.erase(&part.merged);
  parts_.erase(part);
}

std::optional<Inventory::Source> Inventory::known_source(std::string_view name) const {
  const auto at = std::find_if(sources_.begin(), sources_.end(),
                               [name](const Told& told) { return told.source == name; });
  if (at == sources_.end()) return {};
  return static_cast<Source>(at - sources_.begin());
}

Inventory::Source Inventory::source_for(std::string_view name) {
  if (const auto known = known_source(name)) return *known;
  sources_.push_back({std::string(name)});
  return static_cast<Source>(sources_.size() - 1);
}

Inventory::Word& Inventory::word_for(Part& part, Source source) {
  if (Word* known = part.by(source)) return *known;
  ++sources_[source].words;
  part.words.reserve(part.words.size() + 1);  // there are few, and of many parts
  return part.words.emplace_back(source);
}

void Inventory::to_be_written(Word& word, const std::string& fmri) {
  word.measured = false;
  if (std::exchange(word.changed, true)) return;
  dirty_.emplace_back(word.source, fmri);
}

bool Inventory::say(Part& part, Source source, const Resource& resource, bool merge) {
  const Word* known = part.by(source);
  const Resource* before = known ? &part.said(*known) : nullptr;
  if (merge && before && before->properties.include(resource.properties)) return false;
  auto now = std::make_unique<Resource>();
  const Resource& first = merge && before ? *before : resource;
  now->type = first.type;
  now->properties = first.properties;
  now->edges = first.edges;
  now->present = first.present;
  if (merge) now->properties.take(resource.properties);
  std::sort(now->edges.begin(), now->edges.end());
  now->edges.erase(std::unique(now->edges.begin(), now->edges.end()), now->edges.end());
  const bool declared = (known && known->declared) || !merge;
  const bool changed = !before || declared != known->declared || now->type != before->type ||
                       now->present != before->present || now->properties != before->properties ||
                       now->edges != before->edges;
  if (!changed) return false;
  Word& word = word_for(part, source);
  word.apart = std::move(now);
  word.declared = declared;
  word.order = ++order_;
  to_be_written(word, part.merged.fmri);
  return true;
}

// Updates a reading of a known resource in place: a sweep over all disks must be cheap. True: the
// value has changed; nothing: more than that changes.
std::optional<bool> Inventory::measure(Source source, const Resource& reading) {
  Part* const at = part(reading.fmri);
  Word* const word = at ? at->by(source) : nullptr;
  if (!word) return {};
  if (at->said(*word).properties.include(reading.properties)) return false;
  if (told_by_others(*at, *word, reading)) return {};
  at->merged.properties.take(reading.properties);
  if (word->apart) word->apart->properties.take(reading.properties);
  word->order = ++order_;
  if (!word->changed) word->measured = true;
  if (word->measured && !std::exchange(at->in_turn, true)) measured_.insert(&at->merged);
  return true;
}

// The result depends on which report is later.
bool Inventory::told_by_others(const Part& part, const Word& word, const Resource& reading) const {
  if (part.words.size() == 1) return false;
  const PartOwners* const owners = owners_of(part.fmri());
  const std::string& source = sources_[word.source].source;
  if (owners && std::any_of(reading.properties.begin(), reading.properties.end(),
                            [&](const auto& one) { return !owners->is_own(source, one.first); }))
    return true;  // whether it counts depends on who else sees the part
  const Resource& told = part.said(word);
  const auto differs = [&](const Resource& theirs) {
    if (!theirs.type.empty() && !told.type.empty() && theirs.type != told.type) return true;
    return std::any_of(theirs.properties.begin(), theirs.properties.end(), [&](const auto& one) {
      const auto ours = told.properties.find(one.first);
      return reading.properties.contains(one.first) ||
             (ours != told.properties.end() && ours->second != one.second);
    });
  };
  return std::any_of(part.words.begin(), part.words.end(), [&](const Word& other) {
    return &other != &word && differs(part.said(other));
  });
}

void Inventory::link(const Part& part, bool on) {
  const auto by_fmri = [](const Part* a, const Part* b) { return a->merged.fmri < b->merged.fmri; };
  for (const Edge& edge : part.merged.edges) {
    Part* const to = on ? &part_for(edge.to) : this->part(edge.to);
    if (!to) continue;
    const auto at = std::lower_bound(to->tied.begin(), to->tied.end(), &part, by_fmri);
    const bool is_tied = at != to->tied.end() && *at == &part;
    if (on && !is_tied) to->tied.insert(at, &part);
    if (!on && is_tied) to->tied.erase(at);
    if (!on) tidy(*to);
  }
}

bool Inventory::rebuild(Part& part) {
  Resource& old = part.merged;
  const bool was_known = part.known;
  const auto become = [&old](Resource&& now) {  // but for the FMRI
    old.type = std::move(now.type);
    old.properties = std::move(now.properties);
    old.edges = std::move(now.edges);
    old.present = now.present;
    old.sources = std::move(now.sources);
  };
  if (part.words.empty()) {
    if (was_known) {
      link(part, false);
      all_.erase(&old);
      become({});
      part.known = false;
      ++structure_;
    }
    tidy(part);
    return was_known;
  }
  if (part.words.size() == 1 && !part.words.front().apart) return false;
  for (Word& word : part.words) part.apart(word);
  Resource now = merge(part);
  const bool tied_anew =
      !was_known || old.type != now.type || old.present != now.present || old.edges != now.edges;
  const bool changed = tied_anew || old.properties != now.properties;
  structure_ += tied_anew;
  const bool relink = !was_known || old.edges != now.edges;
  if (was_known && relink) link(part, false);
  become(std::move(now));
  if (!was_known) all_.insert(&old);
  part.known = true;
  if (relink) link(part, true);
  return changed;
}

std::vector<InventoryUpdate::Gone> Inventory::not_repeated(Source source,
                                                           const InventoryUpdate& update) const {
  std::set<std::string_view> repeated;
  for (const Resource& r : update.resources) repeated.insert(r.fmri);
  repeated.insert(update.kept.begin(), update.kept.end());
  for (const auto& gone : update.gone) repeated.insert(gone.fmri);
  std::vector<InventoryUpdate::Gone> out;
  for (const auto& [fmri, merged] : all()) {
    if (!merged.sources.contains(update.source) || repeated.contains(fmri)) continue;
    const Part& told = *part(fmri);
    const Word& word = *told.by(source);
    if (!word.declared || !told.said(word).present) continue;
    // Climb to the nearest ancestors that the snapshot repeats.
    std::set<std::string> seen{fmri};
    std::vector<std::string> open{fmri};
    bool whole_is_there = false;
    while (!open.empty() && !whole_is_there) {
      const std::string part = std::move(open.back());
      open.pop_back();
      for (const Resource* whole : parents(part, Relation::redundancy)) {
        whole_is_there = whole_is_there || repeated.count(whole->fmri);
        if (seen.insert(whole->fmri).second) open.push_back(whole->fmri);
      }
    }
    out.push_back({fmri, whole_is_there ? "detached" : "removed", ""});
  }
  return out;
}

// False: it was so already.
bool Inventory::unsay(Part& part, Source source, const InventoryUpdate::Gone& gone) {
  Word* word = part.by(source);
  if (!word) return false;
  const bool may_come_back = gone.reason == "removed" || gone.reason.empty();
  if (may_come_back) {
    if (!part.said(*word).present) return false;
    part.apart(*word).present = false;
    to_be_written(*word, gone.fmri);
    return true;
  }
  // Readings alone do not keep a part that its source has reported as gone.
  const bool kept = std::any_of(part.words.begin(), part.words.end(), [&](const Word& other) {
    return other.declared && &other != word;
  });
  const auto goes = [&](const Word& other) { return !kept || other.source == source; };
  for (Word& other : part.words) {
    if (!goes(other)) continue;
    to_be_written(other, gone.fmri);
    --sources_[other.source].words;
  }
  std::erase_if(part.words, goes);
  return true;
}

void Inventory::forget(Source source, const InventoryUpdate::Gone& gone,
                       std::vector<InventoryChange>& changes) {
  Part* const told = part(gone.fmri);
  if (!told || !told->by(source)) return;
  const auto was = std::make_shared<const Resource>(told->merged);
  if (!unsay(*told, source, gone)) return;
  if (!rebuild(*told)) return;
  const Resource* now = find(gone.fmri);
  using Kind = InventoryChange::Kind;
  if (!now)
    changes.push_back({Kind::removed, gone.fmri, gone.reason, gone.replaced_by, was});
  else if (was->present && !now->present)
    changes.push_back({Kind::absent, gone.fmri, "removed", ""});
  else
    changes.push_back({Kind::changed, gone.fmri, "", ""});
}

std::vector<InventoryChange> Inventory::apply(const InventoryUpdate& update) {
  std::vector<InventoryChange> changes;
  const Source source = source_for(update.source);
  // Before anything changes: the relations that tell "detached" from "removed" are the old ones.
  std::vector<InventoryUpdate::Gone> gone = update.gone;
  if (update.complete) {
    std::vector<InventoryUpdate::Gone> rest = not_repeated(source, update);
    gone.insert(gone.end(), rest.begin(), rest.end());
  }
  for (const Resource& resource : update.resources) {
    if (const auto measured = update.merge ? measure(source, resource) : std::nullopt) {
      if (*measured) changes.push_back({InventoryChange::Kind::measured, resource.fmri, "", ""});
      continue;
    }
    Part& part = part_for(resource.fmri);
    if (!say(part, source, resource, update.merge)) continue;
    const Resource& now = part.merged;
    const bool known = part.known;
    const bool was_present = known && now.present;
    std::vector<Edge> edges = now.edges;
    if (!rebuild(part)) continue;
    using Kind = InventoryChange::Kind;
    const Kind kind = !known || (!was_present && now.present) ? Kind::added
                      : was_present && !now.present           ? Kind::absent
                                                              : Kind::changed;
    changes.push_back({kind, resource.fmri, kind == Kind::absent ? "removed" : "", ""});
    changes.back().is_new = !known;
    if (edges == now.edges) continue;
    Resource was;
    was.edges = std::move(edges);
    changes.back().before = std::make_shared<const Resource>(std::move(was));
  }
  for (const auto& one : gone) forget(source, one, changes);
  if (!changes.empty()) ++generation_;
  return changes;
}

std::vector<InventoryChange> pick_measured(std::vector<InventoryChange>& changes) {
  const auto measured = std::stable_partition(
      changes.begin(), changes.end(),
      [](const InventoryChange& change) { return change.kind != InventoryChange::Kind::measured; });
  std::vector<InventoryChange> taken(std::make_move_iterator(measured),
                                     std::make_move_iterator(changes.end()));
  changes.erase(measured, changes.end());
  return taken;
}

size_t Inventory::told_by(std::string_view source) const {
  const auto known = known_source(source);
  return known ? sources_[*known].words : 0;
}

const Resource* Inventory::find(std::string_view fmri) const {
  const Part* told = part(fmri);
  return told && told->known ? &told->merged : nullptr;
}

}  // namespace fmd
