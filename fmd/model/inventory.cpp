#include "fmd/model/inventory.h"

#include <algorithm>
#include <iterator>

namespace fmd {

namespace {

// Readings come again and again with the same values: a sweep over all disks must cost next to
// nothing.
bool repeats(const Properties& known, const Properties& said) {
  return std::all_of(said.begin(), said.end(), [&](const auto& property) {
    const auto at = known.find(property.first);
    return at != known.end() && at->second == property.second;
  });
}

}  // namespace

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

Inventory::Word::Word(const Word& other)
    : source(other.source),
      apart(other.apart ? std::make_unique<Resource>(*other.apart) : nullptr),
      order(other.order),
      declared(other.declared) {}

Inventory::Inventory(const Inventory& other)
    : resources_(other.resources_),
      parts_(other.parts_),
      told_(other.told_),
      dirty_(other.dirty_),
      measured_(other.measured_),
      written_to_(other.written_to_),
      order_(other.order_),
      generation_(other.generation_),
      structure_(other.structure_) {
  for (auto& [fmri, resource] : resources_) parts_.find(fmri)->second.merged = &resource;
}

Inventory& Inventory::operator=(Inventory other) noexcept {
  resources_.swap(other.resources_);  // those that parts_ points to stay where they are
  parts_.swap(other.parts_);
  told_.swap(other.told_);
  dirty_.swap(other.dirty_);
  measured_.swap(other.measured_);
  written_to_.swap(other.written_to_);
  order_ = other.order_;
  generation_ = other.generation_;
  structure_ = other.structure_;
  return *this;
}

const Inventory::Word* Inventory::Part::by(std::string_view source) const {
  const auto at = std::find_if(words.begin(), words.end(),
                               [source](const Word& word) { return word.source == source; });
  return at == words.end() ? nullptr : &*at;
}

Inventory::Word* Inventory::Part::by(std::string_view source) {
  return const_cast<Word*>(std::as_const(*this).by(source));
}

Resource& Inventory::Part::apart(Word& word) const {
  if (!word.apart) {
    word.apart = std::make_unique<Resource>(*merged);
    word.apart->sources.clear();
  }
  return *word.apart;
}

const Inventory::Part* Inventory::part(std::string_view fmri) const {
  const auto at = parts_.find(fmri);
  return at == parts_.end() ? nullptr : &at->second;
}

void Inventory::tidy(std::string_view fmri) {
  const auto at = parts_.find(fmri);
  if (at != parts_.end() && !at->second.merged && at->second.words.empty() &&
      at->second.tied.empty())
    parts_.erase(at);
}

Inventory::Word& Inventory::word_for(Part& part, const std::string& source) {
  const auto at = std::find_if(part.words.begin(), part.words.end(),
                               [&](const Word& word) { return word.source >= source; });
  if (at != part.words.end() && at->source == source) return *at;
  ++told_[source];
  return *part.words.emplace(at, source);
}

bool Inventory::say(const std::string& source, const Resource& resource, bool merge) {
  Part& part = parts_[resource.fmri];
  const Word* known = part.by(source);
  const Resource* before = known ? &part.said(*known) : nullptr;
  if (merge && before && repeats(before->properties, resource.properties)) return false;
  Resource now = merge && before ? *before : resource;
  if (merge) now.properties.take(resource.properties);
  std::sort(now.edges.begin(), now.edges.end());
  now.edges.erase(std::unique(now.edges.begin(), now.edges.end()), now.edges.end());
  now.sources.clear();  // the word has it
  const bool declared = (known && known->declared) || !merge;
  const bool changed = !before || declared != known->declared || now.type != before->type ||
                       now.present != before->present || now.properties != before->properties ||
                       now.edges != before->edges;
  if (!changed) return false;
  Word& word = word_for(part, source);
  word.apart = std::make_unique<Resource>(std::move(now));
  word.declared = declared;
  word.order = ++order_;
  dirty_.emplace(source, resource.fmri);
  return true;
}

// A reading of what is known already, in place. True: it is another value; nothing: more changes than that.
std::optional<bool> Inventory::measure(const std::string& source, const Resource& reading) {
  const auto at = parts_.find(reading.fmri);
  if (at == parts_.end()) return {};
  Part& part = at->second;
  Word* word = part.by(source);
  if (!word) return {};
  if (repeats(part.said(*word).properties, reading.properties)) return false;
  if (told_by_others(part, *word, reading)) return {};
  part.merged->properties.take(reading.properties);
  if (word->apart) word->apart->properties.take(reading.properties);
  word->order = ++order_;
  if (!dirty_.contains({source, reading.fmri})) measured_.emplace(reading.fmri, source);
  return true;
}

// Whose word is the later makes a difference.
bool Inventory::told_by_others(const Part& part, const Word& word, const Resource& reading) {
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

void Inventory::link(const Resource& resource, bool on) {
  for (const Edge& edge : resource.edges) {
    const auto known = parts_.find(edge.to);
    if (known == parts_.end() && !on) continue;
    Part& to = known != parts_.end() ? known->second : parts_[edge.to];
    if (on) {
      to.tied.insert(resource.fmri);
    } else {
      to.tied.erase(resource.fmri);
      tidy(edge.to);
    }
  }
}

Resource Inventory::merge(const std::string& fmri, Part& part) {
  Resource merged;
  if (part.words.size() == 1) {
    Word& only = part.words.front();
    if (only.declared || !only.apart->present) {
      merged = std::move(*only.apart);
      only.apart.reset();
      merged.sources = {only.source};
      return merged;
    }
  }
  // The later word wins; that of a source which does not see the part any more is no late word.
  std::vector<const Word*> words;
  for (const Word& word : part.words) words.push_back(&word);
  std::sort(words.begin(), words.end(), [](const Word* a, const Word* b) {
    return std::pair(a->apart->present, a->order) < std::pair(b->apart->present, b->order);
  });
  merged.fmri = fmri;
  merged.present = false;
  for (const Word* word : words) {
    const Resource& said = *word->apart;
    if (!said.type.empty()) merged.type = said.type;
    merged.properties.take(said.properties);
    merged.edges.insert(merged.edges.end(), said.edges.begin(), said.edges.end());
    merged.sources.insert(word->source);
    if (word->declared && said.present) merged.present = true;
  }
  std::sort(merged.edges.begin(), merged.edges.end());
  merged.edges.erase(std::unique(merged.edges.begin(), merged.edges.end()), merged.edges.end());
  return merged;
}

bool Inventory::rebuild(const std::string& fmri) {
  Part& part = parts_[fmri];
  Resource* const old = part.merged;
  if (part.words.empty()) {
    if (old) {
      link(*old, false);
      part.merged = nullptr;
      resources_.erase(fmri);
      ++structure_;
    }
    tidy(fmri);
    return old != nullptr;
  }
  if (part.words.size() == 1 && !part.words.front().apart) return false;
  for (Word& word : part.words) part.apart(word);
  Resource merged = merge(fmri, part);
  if (!old) {
    link(merged, true);
    ++structure_;
    part.merged = &resources_.emplace(fmri, std::move(merged)).first->second;
    return true;
  }
  const bool tied_anew =
      old->type != merged.type || old->present != merged.present || old->edges != merged.edges;
  const bool changed = tied_anew || old->properties != merged.properties;
  structure_ += tied_anew;
  if (old->edges != merged.edges) {
    link(*old, false);
    link(merged, true);
  }
  *old = std::move(merged);
  return changed;
}

std::vector<InventoryUpdate::Gone> Inventory::not_repeated(const InventoryUpdate& update) const {
  std::set<std::string_view> repeated;
  for (const Resource& r : update.resources) repeated.insert(r.fmri);
  repeated.insert(update.kept.begin(), update.kept.end());
  for (const auto& gone : update.gone) repeated.insert(gone.fmri);
  std::vector<InventoryUpdate::Gone> out;
  for (const auto& [fmri, merged] : resources_) {
    if (!merged.sources.contains(update.source) || repeated.contains(fmri)) continue;
    const Part& told = parts_.find(fmri)->second;
    const Word& word = *told.by(update.source);
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
bool Inventory::unsay(Part& part, const std::string& source, const InventoryUpdate::Gone& gone) {
  Word* word = part.by(source);
  if (!word) return false;
  const bool may_come_back = gone.reason == "removed" || gone.reason.empty();
  if (may_come_back) {
    if (!part.said(*word).present) return false;
    part.apart(*word).present = false;
    dirty_.emplace(source, gone.fmri);
    return true;
  }
  // Readings alone do not keep a part that its own source says is no more.
  const bool kept = std::any_of(part.words.begin(), part.words.end(), [&](const Word& other) {
    return other.declared && &other != word;
  });
  std::erase_if(part.words, [&](const Word& other) {
    if (kept && other.source != source) return false;
    dirty_.emplace(other.source, gone.fmri);
    --told_[other.source];
    return true;
  });
  return true;
}

void Inventory::forget(const std::string& source, const InventoryUpdate::Gone& gone,
                       std::vector<InventoryChange>& changes) {
  const auto at = parts_.find(gone.fmri);
  if (at == parts_.end() || !at->second.by(source)) return;
  const Resource was = *at->second.merged;
  if (!unsay(at->second, source, gone)) return;
  if (!rebuild(gone.fmri)) return;
  const Resource* now = find(gone.fmri);
  using Kind = InventoryChange::Kind;
  if (!now)
    changes.push_back({Kind::removed, gone.fmri, gone.reason, gone.replaced_by, was});
  else if (was.present && !now->present)
    changes.push_back({Kind::absent, gone.fmri, "removed", ""});
  else
    changes.push_back({Kind::changed, gone.fmri, "", ""});
}

std::vector<InventoryChange> Inventory::apply(const InventoryUpdate& update) {
  std::vector<InventoryChange> changes;
  // Before anything changes: the relations that tell "detached" from "removed" are the old ones.
  std::vector<InventoryUpdate::Gone> gone = update.gone;
  if (update.complete) {
    std::vector<InventoryUpdate::Gone> rest = not_repeated(update);
    gone.insert(gone.end(), rest.begin(), rest.end());
  }
  for (const Resource& resource : update.resources) {
    if (const auto measured = update.merge ? measure(update.source, resource) : std::nullopt) {
      if (*measured) changes.push_back({InventoryChange::Kind::measured, resource.fmri, "", ""});
      continue;
    }
    if (!say(update.source, resource, update.merge)) continue;
    const Resource* before = find(resource.fmri);
    const bool known = before != nullptr;
    const bool was_present = known && before->present;
    std::vector<Edge> edges = known ? before->edges : std::vector<Edge>{};
    if (!rebuild(resource.fmri)) continue;
    const Resource* now = find(resource.fmri);
    using Kind = InventoryChange::Kind;
    const Kind kind = !known || (!was_present && now->present) ? Kind::added
                      : was_present && !now->present           ? Kind::absent
                                                               : Kind::changed;
    changes.push_back({kind, resource.fmri, kind == Kind::absent ? "removed" : "", ""});
    changes.back().is_new = !known;
    if (edges != now->edges) changes.back().was.edges = std::move(edges);
  }
  for (const auto& one : gone) forget(update.source, one, changes);
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
  const auto words = told_.find(source);
  return words == told_.end() ? 0 : words->second;
}

const Resource* Inventory::find(std::string_view fmri) const {
  const Part* known = part(fmri);
  return known ? known->merged : nullptr;
}

}  // namespace fmd
