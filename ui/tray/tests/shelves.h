// Shelves: a big host for benchmarks: 20 shelves of 60 bays, all full, a raidz2 pool per shelf.
#pragma once
#include <initializer_list>
#include <string>
#include <utility>

#include "fmd/model/inventory.h"

namespace fmd::tray {

constexpr int kShelves = 20, kBays = 60;

inline Resource resource(const std::string& fmri, const char* type,
                         std::initializer_list<std::pair<const char*, Value>> properties) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  r.present = true;
  for (const auto& [name, value] : properties) r.properties[name] = value;
  return r;
}

// Like a 60-bay top loader: twelve rows of five.
inline Inventory shelves() {
  Inventory inventory;
  for (int shelf = 0; shelf < kShelves; ++shelf) {
    const std::string id = std::to_string(shelf);
    const std::string box = "hc://chassis=" + id, pool = "zfs://pool=" + id;
    Resource enclosure = resource(
        box, "enclosure", {{"label", "Shelf " + id}, {"views", std::string("top:440x900")}});
    Resource raidz =
        resource(pool + "/vdev=raidz", "zfs-vdev",
                 {{"name", std::string("raidz2-0")}, {"vdev_type", std::string("raidz")}});
    for (int bay = 0; bay < kBays; ++bay) {
      const std::string at = box + "/bay=" + std::to_string(bay);
      const std::string number = std::to_string(shelf * 100 + bay);
      const std::string disk = "dev://wwn=" + number, leaf = pool + "/vdev=" + std::to_string(bay);
      Resource one = resource(at, "bay",
                              {{"label", "SLOT " + std::to_string(bay)},
                               {"enclosure", box},
                               {"occupied", true},
                               {"led.fault", std::string("off")},
                               {"led.locate", std::string(bay == 7 ? "on" : "off")},
                               {"view", std::string("top")},
                               {"x_mm", 15.0 + 83 * (bay % 5)},
                               {"y_mm", 10.0 + 73 * (bay / 5)},
                               {"w_mm", 80.0},
                               {"h_mm", 70.0}});
      one.edges.push_back({Relation::contains, disk});
      inventory.restore(std::move(one));
      inventory.restore(resource(disk, "disk",
                                 {{"serial", "S" + number},
                                  {"model", std::string("WDC WUH721818ALE6L4")},
                                  {"path", "/dev/disk" + number},
                                  {"size_bytes", int64_t{18000000000000}},
                                  {"rotational", true},
                                  {"temperature_celsius", int64_t{31 + bay % 9}},
                                  {"smart.status", std::string("passed")},
                                  {"smart.state", std::string("observed")}}));
      Resource vdev = resource(leaf, "zfs-vdev",
                               {{"name", "disk" + number},
                                {"pool", "tank" + id},
                                {"state", std::string("ONLINE")},
                                {"role", std::string("data")},
                                {"service", std::string("in-service")},
                                {"read_errors", int64_t{0}},
                                {"write_errors", int64_t{0}},
                                {"checksum_errors", int64_t{0}}});
      vdev.edges.push_back({Relation::redundancy, disk});
      raidz.edges.push_back({Relation::redundancy, leaf});
      inventory.restore(std::move(vdev));
      enclosure.edges.push_back({Relation::contains, at});
    }
    Resource tank =
        resource(pool, "zfs-pool", {{"name", "tank" + id}, {"health", std::string("ONLINE")}});
    tank.edges.push_back({Relation::redundancy, raidz.fmri});
    inventory.restore(std::move(tank));
    inventory.restore(std::move(raidz));
    inventory.restore(std::move(enclosure));
  }
  return inventory;
}

}  // namespace fmd::tray
