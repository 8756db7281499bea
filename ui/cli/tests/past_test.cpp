// The machine's parts at an earlier time: the present inventory corrected by bay history and cases.
#include "ui/cli/past.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fmd::cli {
namespace {

constexpr const char* kBay = "hc://chassis=5000/bay=4";
constexpr const char* kOld = "dev://wwn=5000c500a0000001";
constexpr const char* kNew = "dev://wwn=5000c500a0000002";
constexpr const char* kOldVdev = "zfs://pool=11/vdev=33";
constexpr const char* kNewVdev = "zfs://pool=11/vdev=44";
constexpr int64_t kPulled = 1000, kPut = 1100, kNow = 5000;

Resource part(const char* fmri, const char* type, std::vector<Edge> edges = {}) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  r.edges = std::move(edges);
  return r;
}

Inventory today() {
  Inventory inventory;
  inventory.restore(part(kBay, "bay", {{Relation::contains, kNew}}));
  inventory.restore(part(kNew, "disk"));
  inventory.restore(part(kNewVdev, "zfs-vdev", {{Relation::redundancy, kNew}}));
  inventory.restore(part("zfs://pool=11", "zfs-pool", {{Relation::redundancy, kNewVdev}}));
  return inventory;
}

std::vector<ui::Stay> stays() {
  return {{kBay, "SLOT 04", kOld, "OLD1", "ST4", 10, kPulled, false, true},
          {kBay, "SLOT 04", kNew, "NEW1", "ST8", kPut, 0, true, false}};
}

Case about_old() {
  Case c;
  c.uuid = "u";
  c.opened_ns = 500;
  c.resolved_ns = 3000;
  c.state = CaseState::resolved;
  Suspect s;
  s.resource = s.asru = kOldVdev;
  s.fru = kOld;
  s.bay = kBay;
  s.serial = "OLD1";
  s.status = SuspectStatus::replaced;
  s.facts["name"] = "sdd";
  s.facts["pool"] = "tank";
  c.suspects.push_back(s);
  return c;
}

const Resource* find(const std::vector<Resource>& parts, std::string_view fmri) {
  const auto at =
      std::find_if(parts.begin(), parts.end(), [&](const Resource& r) { return r.fmri == fmri; });
  return at == parts.end() ? nullptr : &*at;
}

bool leads(const Resource& from, Relation relation, const char* to) {
  return std::find(from.edges.begin(), from.edges.end(), Edge{relation, to}) != from.edges.end();
}

TEST(Past, TheDiskThatSatThereThen) {
  const auto then = Past(today(), stays(), {about_old()}).at(400);
  ASSERT_TRUE(find(then, kOld));
  EXPECT_EQ(find(then, kOld)->get("serial"), "OLD1");
  EXPECT_TRUE(find(then, kOld)->present);
  EXPECT_TRUE(leads(*find(then, kBay), Relation::contains, kOld));
  EXPECT_FALSE(leads(*find(then, kBay), Relation::contains, kNew));
  EXPECT_FALSE(find(then, kNew)) << "it was not there yet";
}

// Redundancy is counted per group: directly below the pool, a disk would seem to have none.
TEST(Past, AVdevThatHasLeftStoodWhereItsSuccessorStands) {
  constexpr const char* kGroup = "zfs://pool=11/vdev=22";
  Inventory inventory = today();
  inventory.restore(part("zfs://pool=11", "zfs-pool", {{Relation::redundancy, kGroup}}));
  inventory.restore(part(kGroup, "zfs-vdev", {{Relation::redundancy, kNewVdev}}));
  const auto then = Past(inventory, stays(), {about_old()}).at(400);
  EXPECT_TRUE(leads(*find(then, kGroup), Relation::redundancy, kOldVdev));
  EXPECT_FALSE(leads(*find(then, "zfs://pool=11"), Relation::redundancy, kOldVdev));
  const auto nobody = Past(inventory, {}, {about_old()}).at(400);
  EXPECT_TRUE(leads(*find(nobody, "zfs://pool=11"), Relation::redundancy, kOldVdev));
}

TEST(Past, WhatFirstWasFoundThereHadBeenThere) {
  EXPECT_TRUE(find(Past(today(), stays(), {}).at(5), kOld));
  auto watched = stays();
  watched[0].from_exact = true;
  EXPECT_FALSE(find(Past(today(), watched, {}).at(5), kOld));
}

TEST(Past, TheVdevThatACaseRemembersAndNotTheOneOnTheNewDisk) {
  const auto then = Past(today(), stays(), {about_old()}).at(400);
  ASSERT_TRUE(find(then, kOldVdev));
  EXPECT_EQ(find(then, kOldVdev)->get("name"), "sdd");
  EXPECT_TRUE(leads(*find(then, kOldVdev), Relation::redundancy, kOld));
  EXPECT_TRUE(leads(*find(then, "zfs://pool=11"), Relation::redundancy, kOldVdev));
  EXPECT_FALSE(find(then, kNewVdev));
  EXPECT_FALSE(leads(*find(then, "zfs://pool=11"), Relation::redundancy, kNewVdev));
}

TEST(Past, TodayIsAsItIs) {
  const auto now = Past(today(), stays(), {about_old()}).at(kNow);
  EXPECT_FALSE(find(now, kOldVdev));
  ASSERT_TRUE(find(now, kOld));
  EXPECT_FALSE(find(now, kOld)->present);
  EXPECT_TRUE(leads(*find(now, kBay), Relation::contains, kNew));
  EXPECT_TRUE(leads(*find(now, "zfs://pool=11"), Relation::redundancy, kNewVdev));
}

TEST(Past, EachChangeInItsTime) {
  const auto changes = Past(today(), stays(), {about_old()}).changes(400, kNow);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].at_ns, kPulled);
  ASSERT_TRUE(find(changes[0].parts, kOld));
  EXPECT_FALSE(find(changes[0].parts, kOld)->present);
  EXPECT_EQ(changes[1].at_ns, kPut);
  EXPECT_TRUE(find(changes[1].parts, kNew));
  EXPECT_TRUE(find(changes[1].parts, kNewVdev));
  EXPECT_EQ(changes[2].gone, std::vector<std::string>{kOldVdev});
  EXPECT_TRUE(Past(today(), stays(), {about_old()}).changes(kNow, kNow + 1).empty());
}

TEST(Past, AValueThatACaseMet) {
  Inventory inventory = today();
  Resource disk = *inventory.find(kNew);
  disk.properties["smart.pending"] = int64_t{90};
  inventory.restore(disk);
  Case c;
  c.opened_ns = 2000;
  c.observations.push_back({2000, 2000, "smart-pending", kNew, "smart.pending", "20", "8", "3"});
  const Past past(inventory, stays(), {c});
  EXPECT_EQ(find(past.at(1500), kNew)->get("smart.pending"), "3");
  EXPECT_EQ(find(past.at(2500), kNew)->get("smart.pending"), "20");
  c.observations[0].baseline.clear();
  EXPECT_EQ(find(Past(inventory, stays(), {c}).at(1500), kNew)->get("smart.pending"), "")
      << "nobody knows";
  const auto changes = past.changes(1500, kNow);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].at_ns, 2000);
}

TEST(Past, WhatHasFailedSinceHadNot) {
  Inventory inventory = today();
  Resource vdev = *inventory.find(kNewVdev);
  vdev.properties["state"] = std::string("FAULTED");
  vdev.properties["retired_by"] = std::string("k");
  inventory.restore(vdev);
  Case c = about_old();
  c.opened_ns = 2000;
  c.resolved_ns = 0;
  c.state = CaseState::solved;
  c.suspects[0].status = SuspectStatus::faulty;
  c.suspects[0].resource = c.suspects[0].asru = kNewVdev;
  c.suspects[0].fru = kNew;
  const Past past(inventory, stays(), {c});
  EXPECT_EQ(find(past.at(1500), kNewVdev)->get("state"), "");
  EXPECT_EQ(find(past.at(1500), kNewVdev)->get("retired_by"), "");
  EXPECT_EQ(find(past.at(2000), kNewVdev)->get("state"), "FAULTED");
}

TEST(Past, PluginsAreNoParts) {
  Inventory inventory = today();
  inventory.restore(part("fmd://plugin=zfs", "plugin"));
  EXPECT_FALSE(find(Past(inventory, {}, {}).at(kNow), "fmd://plugin=zfs"));
}

}  // namespace
}  // namespace fmd::cli
