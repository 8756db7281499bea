#include "fmd/model/bay_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr std::string_view kKind = "tenancy";
constexpr const char* kWatchedKey = "watched";  // end of the observed time
// Rarely written on its own, so that an idle host writes nothing. After a crash, "some time after"
// is less exact by this much.
constexpr int64_t kWatchedEachNs = 1800LL * 1000000000;

std::string key_of(const Tenancy& tenancy) {
  return fmt::format("{} {} {}", tenancy.bay, tenancy.disk, tenancy.from_ns);
}

std::string doc_of(const Tenancy& t) {
  std::string out = "{";
  const auto add = [&out](std::string_view name, std::string_view text) {
    out += fmt::format("\"{}\":", name);
    append_json_text(text, out);
    out += ',';
  };
  add("bay", t.bay);
  add("label", t.label);
  add("disk", t.disk);
  add("serial", t.serial);
  add("model", t.model);
  out += fmt::format(
      R"("from":{},"from_exact":{},"from_after":{},"to":{},"to_exact":{},"to_after":{}}})",
      t.from_ns, t.from_exact, t.from_after_ns, t.to_ns, t.to_exact, t.to_after_ns);
  return out;
}

Tenancy tenancy_of(const nlohmann::json& doc) {
  Tenancy t;
  const auto take = [&doc](const char* key, auto& into) { doc.at(key).get_to(into); };
  take("bay", t.bay);
  take("label", t.label);
  take("disk", t.disk);
  take("serial", t.serial);
  take("model", t.model);
  take("from", t.from_ns);
  take("from_exact", t.from_exact);
  take("from_after", t.from_after_ns);
  take("to", t.to_ns);
  take("to_exact", t.to_exact);
  take("to_after", t.to_after_ns);
  return t;
}

// A plugin that only queries a disk (fmd-smart) sends neither its type nor its presence; one that
// lists disks sends both.
bool is_described(const Resource& disk) {
  return disk.present || !disk.get("serial").empty() || !disk.get("model").empty();
}

// The disks in that bay by the inventory. An edge to an undescribed disk counts; an edge to an
// absent one does not.
std::set<std::string> disks_in(const Inventory& inventory, const Resource* bay) {
  std::set<std::string> disks;
  if (!bay || !bay->present) return disks;
  for (const Edge& edge : bay->edges) {
    if (edge.relation != Relation::contains) continue;
    const Resource* disk = inventory.find(edge.to);
    const bool is_there = disk && disk->present && (disk->type == "disk" || disk->type.empty());
    const bool may_be = (!disk || !is_described(*disk)) &&
                        (edge.to.starts_with("dev://wwn=") || edge.to.starts_with("dev://serial="));
    if (is_there || may_be) disks.insert(edge.to);
  }
  return disks;
}

// Adds values that became known later or were corrected. True if something is new.
bool describe(Tenancy& tenancy, const Resource* bay, const Resource* disk) {
  bool news = false;
  const auto take = [&news](std::string& into, const std::string& from) {
    if (from.empty() || from == into) return;
    into = from;
    news = true;
  };
  if (bay) take(tenancy.label, bay->get("label"));
  if (disk) take(tenancy.serial, disk->get("serial"));
  if (disk) take(tenancy.model, disk->get("model"));
  return news;
}

}  // namespace

void BayHistory::changed(const Tenancy& tenancy) {
  dirty_[key_of(tenancy)] = doc_of(tenancy);
}

bool BayHistory::watched(std::string_view bay) const {
  return std::any_of(heard_.begin(), heard_.end(),
                     [bay](const auto& entry) { return entry.second.contains(bay); });
}

void BayHistory::unwatched(std::string_view source) {
  if (const auto heard = heard_.find(source); heard != heard_.end()) heard_.erase(heard);
}

void BayHistory::observe(const Inventory& inventory, const InventoryUpdate& update,
                         const std::vector<InventoryChange>& changes, int64_t now_ns) {
  std::set<std::string> bays;
  for (const InventoryChange& change : changes) {
    const Resource* resource = inventory.find(change.fmri);
    if (bays_.contains(change.fmri) || (resource && resource->type == "bay"))
      bays.insert(change.fmri);
    if (const auto at = disks_.find(change.fmri); at != disks_.end())
      for (const std::string* bay : at->second.now) bays.insert(*bay);
    for (const Resource* holder : inventory.parents(change.fmri, Relation::contains))
      if (holder->type == "bay") bays.insert(holder->fmri);
  }
  // The stored inventory may lack its history, so each reported bay is examined.
  for (const Resource& resource : update.resources)
    if (resource.type == "bay") bays.insert(resource.fmri);
  for (const std::string& bay : bays) check(inventory, bay, now_ns);
  for (const Resource& resource : update.resources)
    if (resource.type == "bay") heard_[update.source].insert(resource.fmri);
  const bool due = !dirty_.empty() || now_ns - watched_told_ns_ >= kWatchedEachNs;
  if (heard_.empty() || !due) return;
  watched_told_ns_ = now_ns;
  dirty_[kWatchedKey] = dump_json({{"time", now_ns}});
}

void BayHistory::check(const Inventory& inventory, const std::string& bay, int64_t now_ns) {
  const Resource* resource = inventory.find(bay);
  std::set<std::string> now = disks_in(inventory, resource);
  const bool exact = watched(bay);
  auto known = bays_.find(bay);
  const bool seen_before = known != bays_.end();
  if (seen_before) {
    for (Tenancy& tenancy : known->second) {
      if (tenancy.to_ns != 0) continue;
      const bool stays = now.erase(tenancy.disk) > 0;
      const bool news = stays && describe(tenancy, resource, inventory.find(tenancy.disk));
      if (news) changed(tenancy);
      if (stays) continue;
      tenancy.to_ns = std::max(now_ns, tenancy.from_ns);  // the clock may have been set back
      tenancy.to_exact = exact;
      if (!exact) tenancy.to_after_ns = std::max(last_watched_ns_, tenancy.from_ns);
      changed(tenancy);
      std::erase(disks_[tenancy.disk].now, &known->first);
    }
  }
  for (const std::string& disk : now) {
    Tenancy tenancy{bay, "", disk, "", "", now_ns, 0, exact, false, 0, 0};
    if (!exact && seen_before) tenancy.from_after_ns = last_watched_ns_;
    describe(tenancy, resource, inventory.find(disk));
    changed(tenancy);
    auto& [name, stays] = *bays_.try_emplace(bay).first;
    Whereabouts& where = disks_[disk];
    where.last = &name;
    where.now.push_back(&name);
    stays.push_back(std::move(tenancy));
  }
  if (!seen_before) return;
  auto& all = known->second;
  const auto ended = [](const Tenancy& t) { return t.to_ns != 0; };
  while (static_cast<size_t>(std::count_if(all.begin(), all.end(), ended)) > kMostPerBay) {
    const auto oldest = std::find_if(all.begin(), all.end(), ended);
    dirty_[key_of(*oldest)].clear();
    all.erase(oldest);
  }
}

void BayHistory::forget(int64_t before_ns) {
  for (auto& [bay, tenancies] : bays_) {
    std::erase_if(tenancies, [&](const Tenancy& tenancy) {
      const bool old = tenancy.to_ns != 0 && tenancy.to_ns < before_ns;
      if (old) dirty_[key_of(tenancy)].clear();
      return old;
    });
  }
  for (auto& [disk, where] : disks_)
    if (!last_of(disk)) where.last = nullptr;
  std::erase_if(disks_,
                [](const auto& entry) { return !entry.second.last && entry.second.now.empty(); });
  std::erase_if(bays_, [](const auto& entry) { return entry.second.empty(); });
}

const Tenancy* BayHistory::last_in(std::string_view bay) const {
  const auto stays = bays_.find(bay);
  return stays == bays_.end() || stays->second.empty() ? nullptr : &stays->second.back();
}

const Tenancy* BayHistory::last_of(std::string_view disk) const {
  const auto where = disks_.find(disk);
  if (where == disks_.end() || !where->second.last) return nullptr;
  const auto stays = bays_.find(*where->second.last);
  const auto last = std::find_if(stays->second.rbegin(), stays->second.rend(),
                                 [&](const Tenancy& t) { return t.disk == disk; });
  return last == stays->second.rend() ? nullptr : &*last;
}

std::vector<StateRow> BayHistory::take_changes() {
  std::vector<StateRow> rows;
  for (auto& [key, doc] : dirty_) rows.push_back({std::string(kKind), key, std::move(doc)});
  dirty_.clear();
  return rows;
}

std::vector<StateRow> BayHistory::all_rows() const {
  std::vector<StateRow> rows;
  for (const auto& [bay, tenancies] : bays_)
    for (const Tenancy& tenancy : tenancies)
      rows.push_back({std::string(kKind), key_of(tenancy), doc_of(tenancy)});
  if (watched_told_ns_ != 0)
    rows.push_back({std::string(kKind), kWatchedKey, dump_json({{"time", watched_told_ns_}})});
  return rows;
}

Result<void> BayHistory::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind != kKind) continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    try {
      if (row.key == kWatchedKey) {
        last_watched_ns_ = doc.at("time").get<int64_t>();
        continue;
      }
      Tenancy tenancy = tenancy_of(doc);
      bays_[tenancy.bay].push_back(std::move(tenancy));
    } catch (const nlohmann::json::exception&) {
      outcome = fail(fmt::format("stored tenancy \"{}\" cannot be read", display(row.key)));
    }
  }
  for (auto& [bay, tenancies] : bays_) {
    std::stable_sort(tenancies.begin(), tenancies.end(),
                     [](const Tenancy& a, const Tenancy& b) { return a.from_ns < b.from_ns; });
    for (const Tenancy& t : tenancies) {
      const Tenancy* last = last_of(t.disk);
      Whereabouts& where = disks_[t.disk];
      if (!last || last->from_ns <= t.from_ns) where.last = &bay;
      if (t.to_ns == 0) where.now.push_back(&bay);
    }
  }
  return outcome;
}

}  // namespace fmd
