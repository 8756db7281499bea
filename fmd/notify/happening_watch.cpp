#include "fmd/notify/happening_watch.h"

#include "fmd/base/text.h"

namespace fmd {
namespace {

bool is_silent(const Resource& plugin) {
  return plugin.is("state", "silent") || plugin.is("state", "dead");
}

bool is_dark(const Resource& bay) {
  return bay.is("led.fault", "cannot-drive") || bay.is("led.locate", "cannot-drive");
}

// FMRI of the spare in use, "?" if unknown, "" if none.
std::string stands_in(const Resource& vdev) {
  const bool in = vdev.is("spare", "active") || vdev.is("spare", "resilvering");
  if (!in) return {};
  const std::string by = vdev.get("spare_by");
  return by.empty() ? "?" : by;
}

Happening of(HappeningKind kind, const char* severity, const Resource& part, const Sight& sight) {
  Happening happening;
  happening.kind = kind;
  happening.severity = severity;
  happening.time_ns = sight.now.wall_ns;
  happening.part = part.fmri;
  happening.name = part.get("name");
  return happening;
}

}  // namespace

void HappeningWatch::begin(const Inventory& inventory) {
  disks_.begin(inventory);
  scans_.begin(inventory);
  std::vector<Happening> none;
  for (const auto& [fmri, resource] : inventory.all()) look(resource, nullptr, none);
}

std::vector<Happening> HappeningWatch::observe(const Sight& sight, const InventoryUpdate& update,
                                               const std::vector<InventoryChange>& changes) {
  std::vector<Happening> news;
  disks_.observe(sight, update, changes, news);
  scans_.observe(sight, changes, news);
  for (const InventoryChange& change : changes) {
    if (const Resource* part = sight.inventory.find(change.fmri)) {
      look(*part, &sight, news);
      continue;
    }
    spares_.erase(change.fmri);
    silent_.erase(change.fmri);
    dark_.erase(change.fmri);
  }
  return news;
}

// Without a sight, only records the state.
void HappeningWatch::look(const Resource& part, const Sight* sight, std::vector<Happening>& news) {
  if (!part.get("spare").empty()) look_at_spare(part, sight, news);
  if (part.type == "plugin") look_at_plugin(part, sight, news);
  if (!part.get("led.fault").empty() || !part.get("led.locate").empty())
    look_at_lights(part, sight, news);
}

void HappeningWatch::look_at_spare(const Resource& vdev, const Sight* sight,
                                   std::vector<Happening>& news) {
  if (!vdev.present) return;
  const std::string by = stands_in(vdev);
  const auto [at, fresh] = spares_.try_emplace(vdev.fmri, by);
  const bool came = !fresh && at->second.empty() && !by.empty();
  at->second = by;
  if (!came || !sight) return;
  Happening happening = of(HappeningKind::spare_activated, "Minor", vdev, *sight);
  if (by != "?") happening.by = by;
  happening.pool = vdev.get("pool");
  if (const Resource* disk = sight->inventory.descend(vdev.fmri, Relation::redundancy, "dev")) {
    describe_disk(happening, *disk, sight->inventory);
    happening.name = vdev.get("name");
  }
  if (const Resource* spare = sight->inventory.find(by)) {
    happening.detail = display(spare->get("name"), 80);
    if (const Resource* disk = sight->inventory.descend(by, Relation::redundancy, "dev"))
      if (const std::string place = sight->inventory.location(disk->fmri); !place.empty())
        happening.detail = place;
  }
  news.push_back(std::move(happening));
}

void HappeningWatch::look_at_plugin(const Resource& plugin, const Sight* sight,
                                    std::vector<Happening>& news) {
  if (!is_silent(plugin)) {
    silent_.erase(plugin.fmri);
    return;
  }
  if (!silent_.insert(plugin.fmri).second || !sight) return;
  Happening happening = of(HappeningKind::plugin_silent, "Major", plugin, *sight);
  happening.detail = plugin.get("reason");
  news.push_back(std::move(happening));
}

void HappeningWatch::look_at_lights(const Resource& bay, const Sight* sight,
                                    std::vector<Happening>& news) {
  if (!is_dark(bay)) {
    dark_.erase(bay.fmri);
    return;
  }
  if (!dark_.insert(bay.fmri).second || !sight) return;
  Happening happening = of(HappeningKind::led_failed, "Minor", bay, *sight);
  happening.location = happening.name =
      bay.get("label").empty() ? bay.get("name") : bay.get("label");
  if (bay.type == "bay") happening.bay = bay.fmri;
  happening.detail = bay.get("led.reason");
  news.push_back(std::move(happening));
}

std::vector<StateRow> HappeningWatch::take_changes() {
  std::vector<StateRow> rows = disks_.take_changes();
  for (StateRow& row : scans_.take_changes()) rows.push_back(std::move(row));
  return rows;
}

void HappeningWatch::mark_all_changed() {
  disks_.mark_all_changed();
  scans_.mark_all_changed();
}

void HappeningWatch::restore(const std::vector<StateRow>& rows) {
  for (const StateRow& row : rows)
    if (row.kind == "sight" && !disks_.restore_row(row)) scans_.restore_row(row);
}

bool still_so(const Happening& happening, const Inventory& inventory) {
  const Resource* part = inventory.find(happening.part);
  const bool present = part && part->present;
  switch (happening.kind) {
    case HappeningKind::spare_activated:
      return present && !stands_in(*part).empty();
    case HappeningKind::resilver_started:
      return present && part->is("scan", "resilver");
    case HappeningKind::disk_inserted:
      return present;
    case HappeningKind::disk_removed:
      return !present;
    case HappeningKind::plugin_silent:
      return part && is_silent(*part);
    case HappeningKind::led_failed:
      return present && is_dark(*part);
    case HappeningKind::resilver_finished:
    case HappeningKind::scrub_errors:
      break;
  }
  return true;
}

}  // namespace fmd
