#include "fmd/diagnosis/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/diagnosis/about.h"
#include "fmd/diagnosis/blame_layout.h"
#include "fmd/diagnosis/rule_key.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/diagnosis/suspects.h"

namespace fmd {
namespace {

using blame::Person;
using blame::Sign;
using blame::Way;

constexpr size_t kMostCounted = 20'000;  // rules and resources in the cache

std::string_view way_name(Way way) {
  return way == Way::path ? "path" : "data";
}

// Plugins whose silence hides the state of disks.
bool watches_disks(std::string_view fmri) {
  return fmri == "fmd://plugin=disk" || fmri == "fmd://plugin=zfs";
}

bool is_silent_plugin(const Resource& plugin) {
  const std::string state = plugin.get("state");
  return state == "silent" || state == "dead" || state == "stopped";
}

}  // namespace

// --- evidence

void Inference::follow_rules() {
  if (rules_ == context_.rules) return;
  rules_ = context_.rules;
  evidences_ = fault_evidence(*rules_);
  blame::HubRates rates;
  bool any_path = false, any_machine = false;  // several rules may be about the same parts
  for (const Rule& rule : rules_->rules())
    if (rule.kind == RuleKind::cause && rule.is_of_disks()) {
      const bool path = rule.in_common.empty();
      double& rate = path ? rates.path : rates.machine;
      rate = std::exchange(path ? any_path : any_machine, true) ? std::max(rate, rule.rate)
                                                                : rule.rate;
    }
  blame_.rates(rates);
  counted_.clear();
}

const FaultEvidence* Inference::evidence_of(std::string_view fault_class) {
  follow_rules();
  const auto at = evidences_.find(fault_class);
  return at == evidences_.end() ? nullptr : &at->second;
}

bool Inference::is_disk_like(const std::string& part) const {
  const Resource* r = context_.inventory.find(part);
  return r && (r->type == "disk" || r->type == "path" ||
               (r->type == "zfs-vdev" && r->is("vdev_type", "disk")));
}

std::vector<std::string> Inference::parts_of(const Suspect& suspect) const {
  const About found = about(context_, suspect);
  if (!is_disk_like(found.part)) return {};
  if (found.ways.empty() || paths_to(context_, found.part).empty()) return {found.part};
  return {found.ways.begin(), found.ways.end()};
}

// Until then a soft sign changes nothing about the item, unless it ends.
int64_t Inference::idle_until(const std::string& part, Way way) const {
  const blame::Item* item = blame_.items().find(part, way);
  if (!item || item->hard) return item ? INT64_MAX : 0;
  return item->signs < blame::Items::kMany ? 0 : item->last_ns + blame::Items::kRefresh;
}

Inference::Counted& Inference::counted(uint32_t index, const Interned& resource) {
  follow_rules();
  const Rule& rule = rules_->rules()[index];
  const uint64_t generation = context_.inventory.generation(), paths = context_.paths.changes();
  if (counted_generation_ != generation || counted_paths_ != paths) {
    counted_.clear();
    counted_generation_ = generation;
    counted_paths_ = paths;
  }
  if (counted_.size() <= index) counted_.resize(index + 1);
  ByResource& of_rule = counted_[index];
  if (const auto at = of_rule.find(resource); at != of_rule.end()) return at->second;
  Counted fresh;
  if (rule.fault) fresh.evidence = evidence_of(rule.fault->name);
  if (fresh.evidence && fresh.evidence->by_person) fresh.evidence = nullptr;
  if (fresh.evidence) fresh.parts = parts_of(make_suspect(context_, rule, resource));
  if (of_rule.size() >= kMostCounted) of_rule.clear();
  return of_rule.emplace(resource, std::move(fresh)).first->second;
}

void Inference::count(uint32_t rule, const Interned& resource) {
  Counted& known = counted(rule, resource);
  const int64_t now_ns = context_.now.steady_ns;
  if (!known.evidence || now_ns < known.idle_until_ns) return;
  Sign soft = known.evidence->sign;
  soft.hard = soft.left = false;
  known.idle_until_ns = INT64_MAX;
  for (const std::string& part : known.parts) {
    evidence_changed_ |= blame_.sign(part, known.evidence->way, soft, now_ns);
    known.idle_until_ns = std::min(known.idle_until_ns, idle_until(part, known.evidence->way));
  }
}

void Inference::withdraw(uint32_t rule, const std::string& resource) {
  Counted& known = counted(rule, Interned(resource));
  known.idle_until_ns = 0;
  if (!known.evidence) return;
  for (const std::string& part : known.parts)
    evidence_changed_ |= blame_.withdraw(part, known.evidence->way);
}

void Inference::claim(const Suspect& suspect, bool found_so, std::set<Key>& claims) {
  const FaultEvidence* evidence = evidence_of(suspect.fault_class);
  if (!evidence) return;
  Sign sign = evidence->sign;
  sign.undated = found_so;
  for (const std::string& part : parts_of(suspect)) {
    if (evidence->by_person || is_pulled(part)) {
      forget(part);
      continue;
    }
    // Only if it changes the item: cases are also examined at a start, without any news.
    const blame::Item* item = blame_.items().find(part, evidence->way);
    if (!item || item->end_ns || (sign.hard && (!item->hard || (item->undated && !found_so))) ||
        (sign.own && !item->own))
      evidence_changed_ |= blame_.sign(part, evidence->way, sign, context_.now.steady_ns);
    claims.insert({part, evidence->way});
  }
}

std::set<Inference::Key> Inference::claims_of(const Case& c) {
  std::set<Key> claims;
  if (c.state == CaseState::unsolved) {
    const std::optional<RuleKey> key = holds_.of_case(c.uuid);
    const Rule* rule = key ? context_.rules->find(key->rule) : nullptr;
    if (rule && rule->fault)
      claim(make_suspect(context_, *rule, key->resource), c.facts.contains(kFoundSo), claims);
  } else {
    for (const Suspect& s : c.suspects)
      if (s.status == SuspectStatus::faulty) claim(s, s.facts.contains(kFoundSo), claims);
  }
  // A later suspect may have been removed by a person.
  std::erase_if(claims,
                [this](const Key& key) { return !blame_.items().find(key.first, key.second); });
  return claims;
}

void Inference::look_at(const std::set<std::string>& cases) {
  std::set<Key> ended;
  for (const std::string& uuid : cases) {
    const Case* c = book_.find(uuid);
    std::set<Key> now = c && c->open() ? claims_of(*c) : std::set<Key>();
    std::set<Key> before;
    if (const auto at = claims_.find(uuid); at != claims_.end()) before = at->second;
    for (const Key& key : before)
      if (!now.contains(key)) release(key, uuid, ended);
    for (const Key& key : now)
      if (claimed_[key].insert(uuid).second) blame_.stored().mark_changed(key);
    if (!now.empty()) claims_[uuid] = std::move(now);
  }
  // Only now: a finding may have passed from one of these cases to another.
  for (const Key& key : ended) end(key);
}

void Inference::release(const Key& key, const std::string& uuid, std::set<Key>& ended) {
  if (const auto at = claims_.find(uuid); at != claims_.end()) {
    at->second.erase(key);
    if (at->second.empty()) claims_.erase(at);
  }
  const auto at = claimed_.find(key);
  if (at == claimed_.end() || at->second.erase(uuid) == 0) return;
  blame_.stored().mark_changed(key);
  if (!at->second.empty()) return;
  claimed_.erase(at);
  ended.insert(key);
}

// The item is gone.
void Inference::release_all(const Key& key) {
  const auto at = claimed_.find(key);
  if (at == claimed_.end()) return;
  const std::set<std::string> cases = at->second;
  std::set<Key> ended;
  for (const std::string& uuid : cases) release(key, uuid, ended);
}

void Inference::forget(const std::string& part) {
  for (const Way way : {Way::path, Way::data}) release_all({part, way});
  if (!blame_.person(part, Person::repaired)) return;
  counted_.clear();
  evidence_changed_ = true;
}

bool Inference::is_away(const std::string& part) const {
  const Resource* r = context_.inventory.find(part);
  return r && !r->present;
}

void Inference::end(const Key& key) {
  if (claimed_.contains(key) || (key.second == Way::path && is_away(key.first))) return;
  if (!blame_.over(key.first, key.second, context_.now.steady_ns)) return;
  counted_.clear();
  evidence_changed_ = true;
}

// --- the inventory

void Inference::observe(const InventoryChange& change) {
  const Resource* r = context_.inventory.find(change.fmri);
  if (r)
    observe_part(*r, change.is_new);
  else
    observe_plugin(change.fmri, false);
}

// Its bay reports that it is empty.
bool Inference::is_pulled(const std::string& disk) const {
  const Tenancy* last = context_.bays ? context_.bays->last_of(disk) : nullptr;
  const Resource* bay = last ? context_.inventory.find(last->bay) : nullptr;
  return is_away(disk) && bay && bay->is("tells_empty", "true") && bay->is("occupied", "false");
}

void Inference::observe_part(const Resource& r, bool is_new) {
  if (watches_disks(r.fmri)) return observe_plugin(r.fmri, is_silent_plugin(r));
  if (r.type == "bay") {
    const Tenancy* last = context_.bays ? context_.bays->last_in(r.fmri) : nullptr;
    if (last && is_pulled(last->disk)) forget(last->disk);
  }
  if ((r.type != "disk" && r.type != "path") || is_new) return;
  const Sign left{.hard = true, .left = true};
  if (r.present)
    end({r.fmri, Way::path});
  else if (r.type == "disk" && is_pulled(r.fmri))
    forget(r.fmri);
  else if (r.type == "disk" || context_.paths.to(r.fmri).size() > 0)
    evidence_changed_ |= blame_.sign(r.fmri, Way::path, left, context_.now.steady_ns);
}

void Inference::observe_plugin(const std::string& fmri, bool is_silent) {
  const bool changed = is_silent ? silent_.try_emplace(fmri, context_.now.steady_ns).second
                                 : silent_.erase(fmri) > 0;
  if (!changed) return;
  changed_silences_.insert(fmri);
  evidence_changed_ = true;
}

// --- odds

// OFFLINE is an administrator's doing; FAULTED and the like are not.
void Inference::take_out_of_use() {
  Parts now;
  for (const auto& [fmri, r] : context_.inventory.all()) {
    if (r.type != "zfs-vdev" || !r.is("state", "OFFLINE")) continue;
    const Resource* disk = context_.inventory.descend(fmri, Relation::redundancy, "dev");
    if (disk) now.insert(disk->fmri);
  }
  for (const std::string& disk : offline_)
    if (!now.contains(disk)) blame_.person(disk, Person::returned);
  for (const std::string& disk : now) blame_.person(disk, Person::removed);
  offline_ = std::move(now);
}

void Inference::bring_up_to_date(int64_t now_ns) {
  const uint64_t generation = context_.inventory.generation(), paths = context_.paths.changes();
  if (generation_ != generation || paths_ != paths) {
    layout_ = blame_layout(context_);
    blame_.topology(layout_);
    take_out_of_use();
    generation_ = generation;
    paths_ = paths;
  }
  std::optional<int64_t> known;
  for (const auto& [plugin, since] : silent_) known = std::min(known.value_or(since), since);
  blame_.known_until(known);
  const size_t count = blame_.items().all().size();
  blame_.settle(now_ns);
  if (blame_.items().all().size() == count) return;
  std::vector<Key> expired;  // those of Minor findings
  for (const auto& [key, cases] : claimed_)
    if (!blame_.items().find(key.first, key.second)) expired.push_back(key);
  for (const Key& key : expired) release_all(key);
}

// The part itself, its disk, and parts that have it above them.
Inference::Parts Inference::below(std::string_view fmri) const {
  Parts out{std::string(fmri)};
  for (const Relation relation : {Relation::redundancy, Relation::contains})
    if (const Resource* disk = context_.inventory.descend(fmri, relation, "dev"))
      out.insert(disk->fmri);
  for (const blame::Layout::Part& part : layout_.parts) {
    const bool is_below = part.group == fmri || out.contains(part.disk) ||
                          std::any_of(part.above.begin(), part.above.end(),
                                      [&](const auto& above) { return above.name == fmri; });
    if (is_below) out.insert(part.name);
  }
  return out;
}

std::vector<blame::Account> Inference::accounts(const Parts& parts) {
  std::vector<blame::Account> out;
  std::set<Key> covered;
  for (const std::string& part : parts)
    for (blame::Account& one : blame_.explanations(part)) {
      if (out.size() >= kMostAccounts) return out;
      if (covered.contains({one.part, one.way})) continue;
      const blame::Explanation& best = one.explanations.front();
      if (best.kind != blame::Explanation::Kind::alone)
        for (const std::string& other : best.parts) covered.insert({other, one.way});
      out.push_back(std::move(one));
    }
  return out;
}

std::vector<blame::Account> Inference::about_part(std::string_view fmri, int64_t now_ns) {
  bring_up_to_date(now_ns);
  if (!fmri.empty()) return accounts(below(fmri));
  Parts all;
  for (const auto& [key, item] : blame_.items().all()) all.insert(key.first);
  return accounts(all);
}

std::vector<blame::Account> Inference::about_case(std::string_view uuid, int64_t now_ns) {
  bring_up_to_date(now_ns);
  Parts parts;
  for (const auto& [claiming, keys] : claims_) {
    const Case* c = book_.find(claiming);
    if (c && (claiming == uuid || c->explained_by == uuid))
      for (const Key& key : keys) parts.insert(key.first);
  }
  return accounts(parts);
}

// --- rows

void Inference::mark_all_changed() {
  blame_.stored().mark_all_changed();
  for (const auto& [plugin, since] : silent_) changed_silences_.insert(plugin);
}

void Inference::take_changes(std::vector<StateRow>& rows) {
  for (const std::string& plugin : std::exchange(changed_silences_, {})) {
    const auto at = silent_.find(plugin);
    rows.push_back(
        {"silence", plugin, at == silent_.end() ? "" : dump_json({{"since", at->second}})});
  }
  for (const Key& key : blame_.stored().take_changed()) {
    StateRow row{"item", fmt::format("{} {}", way_name(key.second), key.first), {}};
    if (const blame::Item* item = blame_.items().find(key.first, key.second)) {
      nlohmann::json doc{{"onset", item->onset_ns}, {"last", item->last_ns}, {"hard", item->hard},
                         {"left", item->left},      {"own", item->own},      {"link", item->link},
                         {"scan", item->scan},      {"signs", item->signs}};
      if (item->undated) doc["undated"] = true;
      if (item->end_ns) doc["end"] = *item->end_ns;
      if (const auto at = claimed_.find(key); at != claimed_.end()) doc["cases"] = at->second;
      row.doc = dump_json(doc);
    }
    rows.push_back(std::move(row));
  }
}

Result<void> Inference::restore(const StateRow& row) {
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  if (row.kind == "silence") {
    silent_[row.key] = json_int(*doc, "since");
    return {};
  }
  const size_t space = row.key.find(' ');
  const std::string way = row.key.substr(0, space);
  if (space == std::string::npos || (way != "path" && way != "data"))
    return fail(fmt::format("row item {}: the key is no WAY FMRI", row.key));
  blame::Item item;
  item.part = row.key.substr(space + 1);
  item.way = way == "path" ? Way::path : Way::data;
  item.onset_ns = json_int(*doc, "onset");
  item.last_ns = json_int(*doc, "last");
  item.hard = json_bool(*doc, "hard");
  item.left = json_bool(*doc, "left");
  item.own = json_bool(*doc, "own");
  item.link = json_bool(*doc, "link");
  item.scan = json_bool(*doc, "scan");
  item.undated = json_bool(*doc, "undated");
  item.signs =
      static_cast<uint8_t>(std::min<uint64_t>(json_uint(*doc, "signs"), blame::Items::kMany));
  if (doc->contains("end")) item.end_ns = json_int(*doc, "end");
  const Key key{item.part, item.way};
  blame_.stored().restore(std::move(item));
  if (!blame_.items().find(key.first, key.second)) return {};
  const auto cases = doc->find("cases");
  if (cases == doc->end() || !cases->is_array()) return {};
  for (const auto& one : *cases) {
    if (!one.is_string()) continue;
    claims_[one].insert(key);
    claimed_[key].insert(one);
  }
  return {};
}

}  // namespace fmd
