// A chassis for tests: short functions for an inventory and cases.
#pragma once
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/scene/scene.h"

namespace fmd::scene {

struct Box {
  Inventory inventory;
  std::vector<Case> cases;
  static constexpr const char* kChassis = "hc://chassis=c1";

  Resource& add(const std::string& fmri, const std::string& type) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    r.present = true;
    r.sources = {"test"};
    return told.emplace_back(std::move(r));
  }
  void chassis(const std::string& views) {
    Resource& r = add(kChassis, "enclosure");
    r.properties["label"] = Value{std::string("Shelf A")};
    if (!views.empty()) r.properties["views"] = Value{views};
  }
  static std::string bay_fmri(int n) { return std::string(kChassis) + "/bay=" + std::to_string(n); }
  static std::string disk_fmri(int n) { return "dev://wwn=" + std::to_string(n); }
  static std::string vdev_fmri(int n) { return "zfs://pool=1/vdev=" + std::to_string(n); }

  // A bay at its place; bays are 20 mm apart.
  Resource& bay(int n, bool placed = true) {
    Resource& r = add(bay_fmri(n), "bay");
    r.properties["label"] = Value{"Slot " + std::to_string(n)};
    r.properties["enclosure"] = Value{std::string(kChassis)};
    r.properties["occupied"] = Value{false};
    if (placed) {
      r.properties["view"] = Value{std::string("front")};
      r.properties["x_mm"] = Value{20.0 * n + 20};
      for (const char* name : {"y_mm"}) r.properties[name] = Value{4.0};
      r.properties["w_mm"] = Value{18.0};
      r.properties["h_mm"] = Value{78.0};
    }
    return r;
  }
  // A 4 TB disk in that bay, a leaf of pool 1.
  void disk(int n, const std::string& service = "in-service", const std::string& role = "data") {
    for (Resource& r : told)
      if (r.fmri == bay_fmri(n)) {
        r.properties["occupied"] = Value{true};
        r.edges.push_back({Relation::contains, disk_fmri(n)});
      }
    Resource& d = add(disk_fmri(n), "disk");
    d.properties["serial"] = Value{"S" + std::to_string(n)};
    d.properties["size_bytes"] = Value{int64_t{4000787030016}};
    d.properties["rotational"] = Value{true};
    if (role.empty()) return;
    Resource& v = add(vdev_fmri(n), "zfs-vdev");
    v.properties["service"] = Value{service};
    v.properties["role"] = Value{role};
    v.properties["pool"] = Value{std::string("tank")};
    v.edges.push_back({Relation::redundancy, disk_fmri(n)});
  }
  Case& accuse(int n, const std::string& severity = "Major") {
    Case c;
    c.uuid = "case-" + std::to_string(cases.size() + 1);
    c.severity = severity;
    c.state = CaseState::solved;
    Suspect s;
    s.resource = s.asru = vdev_fmri(n);
    s.fru = disk_fmri(n);
    s.bay = bay_fmri(n);
    c.suspects.push_back(s);
    return cases.emplace_back(std::move(c));
  }
  Resource& of(const std::string& fmri) {
    for (Resource& r : told)
      if (r.fmri == fmri) return r;
    return add(fmri, "?");
  }
  Scene scene() {
    inventory = Inventory();
    for (const Resource& r : told) inventory.restore(r);
    return compose(inventory, cases, kChassis).value();
  }
  PartState state(int n) {
    const Scene s = scene();
    for (const Face& face : s.faces)
      if (const Part* part = face.find(bay_fmri(n))) return part->state;
    return PartState::unknown;
  }

  std::vector<Resource> told;
};

}  // namespace fmd::scene
