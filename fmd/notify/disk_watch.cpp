#include "fmd/notify/disk_watch.h"

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr std::string_view kSource = "source ";

bool is_disk(const Resource& resource) {
  return resource.type == "disk";
}

// Sets its last place.
void place_of_gone(Happening& happening, const BayHistory& bays) {
  const Tenancy* stay = bays.last_of(happening.part);
  if (!stay) return;
  happening.bay = stay->bay;
  happening.location = stay->label;
}

}  // namespace

void describe_disk(Happening& happening, const Resource& disk, const Inventory& inventory) {
  const auto take = [](std::string& into, std::string from) {
    if (!from.empty()) into = std::move(from);
  };
  take(happening.name, disk.get("path"));
  take(happening.serial, disk.get("serial"));
  take(happening.model, disk.get("model"));
  take(happening.location, inventory.location(disk.fmri));
  for (const Resource* holder : inventory.parents(disk.fmri, Relation::contains))
    if (holder->type == "bay" && holder->present) happening.bay = holder->fmri;
}

void DiskWatch::begin(const Inventory& inventory) {
  for (const auto& [fmri, resource] : inventory.all())
    if (is_disk(resource) && resource.present) there_.insert(fmri);
}

bool DiskWatch::knows_the_machine(std::string_view source, std::string_view boot_id) const {
  const auto whole = whole_in_.find(source);
  return whole != whole_in_.end() && whole->second == boot_id;
}

void DiskWatch::observe(const Sight& sight, const InventoryUpdate& update,
                        const std::vector<InventoryChange>& changes, std::vector<Happening>& news) {
  const bool speaks = knows_the_machine(update.source, sight.boot_id);
  for (const InventoryChange& change : changes) {
    const Resource* resource = sight.inventory.find(change.fmri);
    const Resource& disk = resource ? *resource : change.was();
    if (!is_disk(disk)) continue;
    const bool present = resource && resource->present;
    if (present == (there_.count(change.fmri) != 0)) continue;
    Happening happening;
    happening.kind = present ? HappeningKind::disk_inserted : HappeningKind::disk_removed;
    happening.time_ns = sight.now.wall_ns;
    happening.part = change.fmri;
    describe_disk(happening, disk, sight.inventory);
    if (present) {
      there_.insert(change.fmri);
    } else {
      there_.erase(change.fmri);
      place_of_gone(happening, sight.bays);
    }
    if (speaks && (!present || sight.up_ns >= kStartingNs)) news.push_back(std::move(happening));
  }
  std::stable_partition(news.begin(), news.end(),
                        [](const Happening& h) { return h.kind == HappeningKind::disk_removed; });
  if (!update.complete || speaks) return;
  whole_in_[update.source] = sight.boot_id;
  dirty_.insert(update.source);
}

std::vector<StateRow> DiskWatch::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& source : std::exchange(dirty_, {}))
    rows.push_back(
        {"sight", std::string(kSource) + source, dump_json({{"boot", whole_in_[source]}})});
  return rows;
}

void DiskWatch::mark_all_changed() {
  for (const auto& [source, boot_id] : whole_in_) dirty_.insert(source);
}

bool DiskWatch::restore_row(const StateRow& row) {
  if (!row.key.starts_with(kSource)) return false;
  const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
  whole_in_[row.key.substr(kSource.size())] = json_text(doc, "boot");
  return true;
}

}  // namespace fmd
