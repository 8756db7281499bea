#include "fmd/model/inventory.h"

#include <algorithm>
#include <iterator>

namespace fmd {

namespace {

// Readings come again and again with the same values: a sweep over all disks must cost next to
// nothing.
bool repeats(const std::map<std::string, Value, std::less<>>& known,
             const std::map<std::string, Value, std::less<>>& said) {
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

Inventory::Word& Inventory::say(const std::string& source, const Resource& resource, bool merge,
                                bool& changed) {
  Words& words = by_source_[source];
  const auto [at, is_new] = words.try_emplace(resource.fmri);
  Word& word = at->second;
  if (merge && !is_new && repeats(word.said.properties, resource.properties)) return word;
  Resource said = merge && !is_new ? word.said : resource;
  if (merge) {
    for (const auto& [name, value] : resource.properties) said.properties[name] = value;
  } else {
    std::sort(said.edges.begin(), said.edges.end());
    said.edges.erase(std::unique(said.edges.begin(), said.edges.end()), said.edges.end());
  }
  said.sources = {source};
  const bool declared = word.declared || !merge;
  changed = is_new || declared != word.declared || said.type != word.said.type ||
            said.present != word.said.present || said.properties != word.said.properties ||
            said.edges != word.said.edges;
  if (!changed) return word;
  word.said = std::move(said);
  word.declared = declared;
  word.order = ++order_;
  dirty_.emplace(source, resource.fmri);
  return word;
}

// A reading of what is known already, in place. True: it is another value; nothing: more changes than that.
std::optional<bool> Inventory::measure(const std::string& source, const Resource& reading) {
  const auto words = by_source_.find(source);
  if (words == by_source_.end()) return {};
  const auto at = words->second.find(reading.fmri);
  if (at == words->second.end()) return {};
  Word& word = at->second;
  if (repeats(word.said.properties, reading.properties)) return false;
  const auto merged = resources_.find(reading.fmri);
  if (merged == resources_.end() || told_by_others(merged->second, source, word, reading))
    return {};
  for (const auto& [name, value] : reading.properties)
    word.said.properties[name] = merged->second.properties[name] = value;
  word.order = ++order_;
  if (!dirty_.contains({source, reading.fmri})) measured_.emplace(reading.fmri, source);
  return true;
}

// Whose word is the later makes a difference.
bool Inventory::told_by_others(const Resource& merged, const std::string& source, const Word& word,
                               const Resource& reading) const {
  const auto differs = [&](const Resource& theirs) {
    if (!theirs.type.empty() && !word.said.type.empty() && theirs.type != word.said.type)
      return true;
    return std::any_of(theirs.properties.begin(), theirs.properties.end(), [&](const auto& one) {
      const auto ours = word.said.properties.find(one.first);
      return reading.properties.contains(one.first) ||
             (ours != word.said.properties.end() && ours->second != one.second);
    });
  };
  return std::any_of(merged.sources.begin(), merged.sources.end(), [&](const std::string& other) {
    if (other == source) return false;
    const auto words = by_source_.find(other);
    if (words == by_source_.end()) return true;
    const auto at = words->second.find(merged.fmri);
    return at == words->second.end() || differs(at->second.said);
  });
}

void Inventory::link(const Resource& resource, bool on) {
  for (const Edge& edge : resource.edges) {
    if (on) {
      incoming_[edge.to].insert(resource.fmri);
      continue;
    }
    const auto at = incoming_.find(edge.to);
    if (at == incoming_.end()) continue;
    at->second.erase(resource.fmri);
    if (at->second.empty()) incoming_.erase(at);
  }
}

bool Inventory::rebuild(const std::string& fmri) {
  std::vector<const Word*> words;
  for (const auto& [source, of_source] : by_source_)
    if (const auto at = of_source.find(fmri); at != of_source.end()) words.push_back(&at->second);
  const auto old = resources_.find(fmri);
  if (words.empty()) {
    if (old == resources_.end()) return false;
    link(old->second, false);
    resources_.erase(old);
    ++structure_;
    return true;
  }
  // The later word wins; that of a source which does not see the part any more is no late word.
  std::sort(words.begin(), words.end(), [](const Word* a, const Word* b) {
    return std::pair(a->said.present, a->order) < std::pair(b->said.present, b->order);
  });
  Resource merged;
  merged.fmri = fmri;
  merged.present = false;
  for (const Word* word : words) {
    if (!word->said.type.empty()) merged.type = word->said.type;
    for (const auto& [name, value] : word->said.properties) merged.properties[name] = value;
    merged.edges.insert(merged.edges.end(), word->said.edges.begin(), word->said.edges.end());
    merged.sources.insert(word->said.sources.begin(), word->said.sources.end());
    if (word->declared && word->said.present) merged.present = true;
  }
  std::sort(merged.edges.begin(), merged.edges.end());
  merged.edges.erase(std::unique(merged.edges.begin(), merged.edges.end()), merged.edges.end());
  if (old == resources_.end()) {
    link(merged, true);
    ++structure_;
    resources_.emplace(fmri, std::move(merged));
    return true;
  }
  const bool tied_anew = old->second.type != merged.type || old->second.present != merged.present ||
                         old->second.edges != merged.edges;
  const bool changed = tied_anew || old->second.properties != merged.properties;
  structure_ += tied_anew;
  link(old->second, false);
  old->second = std::move(merged);
  link(old->second, true);
  return changed;
}

std::vector<InventoryUpdate::Gone> Inventory::not_repeated(const InventoryUpdate& update) const {
  std::set<std::string_view> repeated;
  for (const Resource& r : update.resources) repeated.insert(r.fmri);
  repeated.insert(update.kept.begin(), update.kept.end());
  for (const auto& gone : update.gone) repeated.insert(gone.fmri);
  std::vector<InventoryUpdate::Gone> out;
  const auto words = by_source_.find(update.source);
  if (words == by_source_.end()) return out;
  for (const auto& [fmri, word] : words->second) {
    if (!word.declared || !word.said.present || repeated.count(fmri)) continue;
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

void Inventory::forget(const std::string& source, const InventoryUpdate::Gone& gone,
                       std::vector<InventoryChange>& changes) {
  const auto words = by_source_.find(source);
  if (words == by_source_.end()) return;
  const auto word = words->second.find(gone.fmri);
  if (word == words->second.end()) return;
  const bool may_come_back = gone.reason == "removed" || gone.reason.empty();
  if (may_come_back) {
    if (!word->second.said.present) return;
    word->second.said.present = false;
  } else {
    words->second.erase(word);
  }
  dirty_.emplace(source, gone.fmri);
  Resource was;
  was.fmri = gone.fmri;
  was.present = false;
  if (const auto before = resources_.find(gone.fmri); before != resources_.end())
    was = before->second;
  // Readings alone do not keep a part that its own source says is no more.
  if (!may_come_back) {
    bool declared = false;
    for (const auto& [other, of_source] : by_source_)
      if (const auto at = of_source.find(gone.fmri); at != of_source.end())
        declared = declared || at->second.declared;
    for (auto& [other, of_source] : by_source_)
      if (!declared && of_source.erase(gone.fmri)) dirty_.emplace(other, gone.fmri);
  }
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
    bool changed = false;
    say(update.source, resource, update.merge, changed);
    if (!changed) continue;
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
  const auto words = by_source_.find(source);
  return words == by_source_.end() ? 0 : words->second.size();
}

const Resource* Inventory::find(std::string_view fmri) const {
  const auto at = resources_.find(fmri);
  return at == resources_.end() ? nullptr : &at->second;
}

}  // namespace fmd
