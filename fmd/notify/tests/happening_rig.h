// A machine whose inventory plugins describe, and the Happenings that watch it. Rows are kept as in
// the store, so that a restart is a new object.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmd/notify/happenings.h"

namespace fmd {

class HappeningRig {
 public:
  HappeningRig() { restart(); }

  static std::string disk_fmri(int n) { return "dev://wwn=" + std::to_string(n); }
  static std::string bay_fmri(int n) { return "hc://chassis=1/bay=" + std::to_string(n); }
  static std::string serial(int n) { return "S" + std::to_string(n); }

  static Resource resource(std::string fmri, std::string type, Properties properties) {
    Resource r;
    r.fmri = std::move(fmri);
    r.type = std::move(type);
    r.properties = std::move(properties);
    return r;
  }
  static Resource disk(int n) {
    return resource(disk_fmri(n), "disk", {{"serial", serial(n)}, {"model", std::string("M")}});
  }
  static Resource bay(int n, int disk_in = -1) {
    Resource r = resource(bay_fmri(n), "bay", {{"label", "SLOT " + std::to_string(n)}});
    if (disk_in >= 0) r.edges.push_back({Relation::contains, disk_fmri(disk_in)});
    return r;
  }
  static Resource pool(const std::string& ended, const std::string& scan = "none",
                       const std::string& started = {}) {
    Resource r = resource("zfs://pool=1", "zfs-pool",
                          {{"name", std::string("tank")},
                           {"health", std::string("ONLINE")},
                           {"scan", scan},
                           {"last_scan_text", ended}});
    if (!started.empty()) r.properties["scan_started"] = started;
    return r;
  }
  static Resource vdev(const std::string& spare, const std::string& by = {}) {
    Resource r =
        resource("zfs://pool=1/vdev=2", "zfs-vdev",
                 {{"name", std::string("sdb")}, {"pool", std::string("tank")}, {"spare", spare}});
    if (!by.empty()) r.properties["spare_by"] = by;
    return r;
  }
  static Resource plugin(const std::string& state) {
    return resource("fmd://plugin=smart", "plugin",
                    {{"name", std::string("smart")}, {"state", state}});
  }

  void say(const std::string& source, std::vector<Resource> resources, bool complete = false) {
    InventoryUpdate update;
    update.source = source;
    update.resources = std::move(resources);
    update.complete = complete;
    apply(update);
  }
  void gone(const std::string& source, const std::string& fmri,
            const std::string& reason = "removed") {
    InventoryUpdate update;
    update.source = source;
    update.gone.push_back({fmri, reason, ""});
    apply(update);
  }
  // The disk plugin's complete inventory.
  void snapshot(const std::vector<int>& disks) {
    std::vector<Resource> all;
    for (const int n : disks) all.push_back(disk(n));
    say("disk", std::move(all), true);
  }

  // Reported happenings until then, "disk-inserted SLOT 4"; "(over)" and the like for others.
  std::vector<std::string> pass(int64_t seconds) {
    std::vector<std::string> out;
    const int64_t until = now_ns + seconds * kSecondNs;
    for (int guard = 0; guard < 10000; ++guard) {
      take(out);
      const auto next = happenings->next_deadline_ns();
      if (!next || *next > until) break;
      now_ns = std::max(now_ns + 1, *next);
    }
    now_ns = until;
    take(out);
    return out;
  }

  void restart() {
    happenings = std::make_unique<Happenings>([this] { return "u" + std::to_string(++uuids_); });
    std::vector<StateRow> rows;
    for (const auto& [key, doc] : rows_) rows.push_back({key.first, key.second, doc});
    EXPECT_TRUE(happenings->restore(rows, inventory));
  }
  void reboot() {
    ++boot_;
    up_ns = 0;
    restart();
  }
  Sight sight() const {
    boot_id_ = "boot" + std::to_string(boot_);
    return {inventory, bays, boot_id_, up_ns + now_ns, {kWallAhead + now_ns, now_ns}};
  }
  void commit() {
    for (StateRow& row : happenings->take_changes()) {
      if (row.doc.empty())
        rows_.erase({row.kind, row.key});
      else
        rows_[{row.kind, row.key}] = row.doc;
    }
  }

  static constexpr int64_t kWallAhead = 1790000000LL * kSecondNs;
  Inventory inventory;
  BayHistory bays;
  std::unique_ptr<Happenings> happenings;
  Happenings::Held held;
  std::vector<Happening> told;
  int64_t now_ns = kSecondNs;
  int64_t up_ns = 3600 * kSecondNs;  // in addition to now_ns

 private:
  void apply(const InventoryUpdate& update) {
    const auto changes = inventory.apply(update);
    bays.observe(inventory, update, changes, sight().now.wall_ns);
    happenings->observe(sight(), update, changes);
    commit();
  }
  void take(std::vector<std::string>& out) {
    for (const Happenings::Due& due : happenings->due(sight(), held)) {
      const Happening& h = due.happening;
      std::string text(happening_name(h.kind));
      if (!h.location.empty()) text += " " + h.location;
      if (!h.pool.empty()) text += " " + h.pool;
      if (due.turn == Happenings::Turn::told)
        told.push_back(h);
      else
        text += due.turn == Happenings::Turn::waits  ? " (waits)"
                : due.turn == Happenings::Turn::over ? " (over)"
                                                     : " (too often)";
      out.push_back(std::move(text));
    }
    commit();
  }

  std::map<std::pair<std::string, std::string>, std::string> rows_;
  int uuids_ = 0, boot_ = 1;
  mutable std::string boot_id_;
};

}  // namespace fmd
