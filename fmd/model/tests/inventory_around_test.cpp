// What there is to be said about a part is the same by what is around it as by the whole inventory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "fmd/model/inventory_around.h"

namespace fmd {
namespace {

Resource part(const std::string& fmri, const std::string& type, std::vector<Edge> edges = {}) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  r.properties["label"] = "label of " + fmri;
  r.edges = std::move(edges);
  return r;
}

std::string name(const char* of, unsigned number) {
  return fmt::format("{}={}", of, number);
}

// Two shelves of bays with disks, paths of which some lead to a phy, pools of raidz of disks, a spare, and what is left
// of a vdev that its pool knows no longer.
Inventory host(std::mt19937& random) {
  constexpr unsigned kDisks = 24;
  Inventory out;
  for (unsigned shelf = 0; shelf < 2; ++shelf) {
    std::vector<Edge> bays;
    for (unsigned disk = shelf; disk < kDisks; disk += 2) {
      const std::string bay = name("hc://chassis", shelf) + "/" + name("bay", disk);
      if (random() % 8)
        out.restore(part(bay, "bay", {{Relation::contains, name("dev://wwn", disk)}}));
      bays.push_back({Relation::contains, bay});
    }
    out.restore(part(name("hc://chassis", shelf), "chassis", bays));
  }
  for (unsigned disk = 0; disk < kDisks; ++disk) {
    const std::string fmri = name("dev://wwn", disk);
    if (random() % 8) out.restore(part(fmri, "disk"));
    out.restore(
        part(name("path://path", disk), random() % 2 ? "path" : "phy", {{Relation::path, fmri}}));
    Resource vdev =
        part("zfs://pool=1/" + name("vdev", disk), "zfs-vdev", {{Relation::redundancy, fmri}});
    if (random() % 4 == 0)
      vdev.properties["spare_by"] =
          "zfs://pool=1/" + name("vdev", static_cast<unsigned>(random() % kDisks));
    out.restore(std::move(vdev));
  }
  std::vector<Edge> groups;
  for (unsigned group = 0; group < 4; ++group) {
    std::vector<Edge> leaves;
    for (unsigned disk = group * 6; disk < group * 6 + 5; ++disk)
      leaves.push_back({Relation::redundancy, "zfs://pool=1/" + name("vdev", disk)});
    out.restore(part("zfs://pool=1/" + name("group", group), "zfs-vdev", leaves));
    groups.push_back({Relation::redundancy, "zfs://pool=1/" + name("group", group)});
  }
  out.restore(part("zfs://pool=1", "zfs-pool", groups));
  out.restore(
      part("hba://1", "hba", {{Relation::path, "path://path=3"}, {Relation::path, "hba://1"}}));
  return out;
}

Inventory only(const Inventory& whole, const std::vector<std::string>& parts) {
  Inventory out;
  for (const std::string& fmri : around(whole, parts)) out.restore(*whole.find(fmri));
  return out;
}

// All that programs ask of it about one part.
std::string said(const Inventory& inventory, const std::string& fmri, int deep = 1) {
  const Resource* itself = inventory.find(fmri);
  const auto* disk = inventory.descend(fmri, Relation::redundancy, "dev");
  const auto* above = inventory.ascend(fmri, Relation::redundancy, "zfs");
  std::string out = fmt::format(
      "{} at {} is {}, disk {} at {}, below {}; pool {}", fmri, inventory.location(fmri),
      itself ? itself->get("label") : "-", disk ? disk->fmri : "-",
      disk ? inventory.location(disk->fmri) : "-", above ? above->fmri : "-",
      inventory.find(fmri.substr(0, fmri.find("/vdev="))) != nullptr);
  if (itself && disk) out += ", " + inventory.fru_path(disk->fmri);
  for (const Relation relation : {Relation::contains, Relation::redundancy, Relation::path})
    for (const Resource* holder : inventory.parents(fmri, relation)) out += " < " + holder->fmri;
  if (itself && deep > 0)
    if (const std::string by = itself->get("spare_by"); !by.empty())
      out += "; " + said(inventory, by, deep - 1);
  return out;
}

TEST(InventoryAround, SaysTheSameAsTheWhole) {
  std::mt19937 random(16);
  for (int round = 0; round < 200; ++round) {
    const Inventory whole = host(random);
    std::vector<std::string> parts;
    for (const auto& [fmri, resource] : whole.all())
      if (random() % 30 == 0) parts.push_back(fmri);
    const Inventory some = only(whole, parts);
    for (const std::string& fmri : parts) ASSERT_EQ(said(some, fmri), said(whole, fmri));
  }
}

TEST(InventoryAround, IsLittleForADiskAndNothingForNobody) {
  std::mt19937 random(1);
  const Inventory whole = host(random);
  EXPECT_GT(whole.all().size(), 70u);
  for (unsigned disk = 0; disk < 24; ++disk)
    EXPECT_LE(around(whole, {name("dev://wwn", disk)}).size(), 10u) << disk;
  EXPECT_TRUE(around(whole, {}).empty());
  EXPECT_TRUE(around(whole, {"dev://wwn=none", ""}).empty());
  EXPECT_EQ(around(whole, {"zfs://pool=1/vdev=none"}).count("zfs://pool=1"), 1u) << "by its name";
}

}  // namespace
}  // namespace fmd
