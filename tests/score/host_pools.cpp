// The pools of a simulated host, spread over the shelves as a careful administrator would.
#include <fmt/format.h>

#include <algorithm>

#include "host.h"

namespace fmd::score {

// raidz2 groups; the last disks are spares, shared by all pools.
void Host::build_pools() {
  const int data = static_cast<int>(disks.size()) - spec.spares;
  const int tops = (data + spec.group - 1) / spec.group, pools = std::min(form_.pools, tops);
  const auto pool_of = [&](int top) { return top * pools / tops; };
  const auto name_of = [&](int pool) { return pool ? fmt::format("tank{}", pool) : "tank"; };
  for (int n = 0; n < pools; ++n) {
    Resource& p = add(Teller::zfs, fmt::format("zfs://pool={}", 7 + n), "zfs-pool");
    p.properties = {{"name", text(name_of(n))},
                    {"health", text("ONLINE")},
                    {"scan", text("none")},
                    {"spares_available", number(spec.spares)}};
  }
  for (int i = 0; i < static_cast<int>(disks.size()); ++i) {
    Disk& d = disks[static_cast<size_t>(i)];
    d.pool = i < data ? pool_of(i / spec.group) : 0;
    const std::string pool = fmt::format("zfs://pool={}", 7 + d.pool), name = name_of(d.pool);
    d.vdev = fmt::format("{}/vdev={}", pool, 1000 + number_of(i));
    d.spare = i >= data;
    Resource& v = add(Teller::zfs, d.vdev, "zfs-vdev");
    v.properties = {{"name", text(fmt::format("sd{}", i))},
                    {"pool", text(name)},
                    {"vdev_type", text("disk")},
                    {"role", text(d.spare ? "spare" : "data")},
                    {"state", text(d.spare ? "AVAIL" : "ONLINE")},
                    {"service", text("in-service")},
                    {"busy", text("")},
                    {"spare", text("none")},
                    {"parity", number(2)},
                    {"parent_type", text("raidz")},
                    {"spares_available", number(d.spare ? 0 : spec.spares)},
                    {"group", text(pool)}};
    v.edges.push_back({Relation::redundancy, d.fmri});
    if (d.spare) continue;
    const int top_at = i / spec.group;
    const std::string top = fmt::format("{}/vdev={}", pool, 500 + number_of(top_at));
    if (!told_[Teller::zfs].contains(top)) {
      told_[Teller::zfs][pool].edges.push_back({Relation::redundancy, top});
      Resource& t = add(Teller::zfs, top, "zfs-vdev");
      t.properties = {{"name", text(fmt::format("raidz2-{}", top_at))},
                      {"pool", text(name)},
                      {"vdev_type", text("raidz")},
                      {"role", text("data")},
                      {"state", text("ONLINE")},
                      {"group", text(pool)}};
    }
    told_[Teller::zfs][top].edges.push_back({Relation::redundancy, d.vdev});
  }
}

std::optional<InventoryUpdate> Host::bring_spare(const std::string& vdev, const std::string& key) {
  auto& zfs = told_.at(Teller::zfs);
  for (const Disk& d : disks) {
    if (!d.spare || !zfs.at(d.vdev).is("state", "AVAIL")) continue;
    standing_in_[vdev] = d.vdev;
    zfs.at(d.vdev).properties["state"] = text("INUSE");
    zfs.at(vdev).properties["spare"] = text("active");
    zfs.at(vdev).properties["spare_key"] = text(key);
    return tell_spares();
  }
  return {};
}

InventoryUpdate Host::return_spare(const std::string& vdev) {
  auto& zfs = told_.at(Teller::zfs);
  if (const auto at = standing_in_.find(vdev); at != standing_in_.end()) {
    zfs.at(at->second).properties["state"] = text("AVAIL");
    standing_in_.erase(at);
  }
  zfs.at(vdev).properties["spare"] = text("none");
  return tell_spares();
}

// A vdev with a spare gets no second one.
InventoryUpdate Host::tell_spares() {
  InventoryUpdate update;
  update.source = teller_name(Teller::zfs);
  const auto left = spec.spares - static_cast<int64_t>(standing_in_.size());
  for (auto& [fmri, r] : told_.at(Teller::zfs)) {
    if (!r.properties.contains("spares_available")) continue;
    const bool none = r.is("role", "spare") || standing_in_.contains(fmri);
    r.properties["spares_available"] = number(none ? 0 : left);
    update.resources.push_back(r);
  }
  return update;
}

}  // namespace fmd::score
