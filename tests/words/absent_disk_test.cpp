// Advice about a disk to be replaced while another disk of its pool is out of its bay, as after the wrong one was pulled.
#include <gtest/gtest.h>

#include <algorithm>

#include "fmd/advice/say.h"
#include "tests/lib/made.h"
#include "tests/words/told_machine.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

Case about_disk(int n, const std::string& fault, bool replaces) {
  Case c;
  c.uuid = "3f6d2c40-0000-4000-8000-000000000002";
  c.state = CaseState::solved;
  c.fault_class = fault;
  c.replaces = replaces;
  Suspect s;
  s.resource = s.asru = vdev(n);
  s.fru = disk(n);
  s.bay = bay(n);
  s.location = "SLOT 0" + std::to_string(n);
  s.serial = "Z1Y0DD0" + std::to_string(n);
  c.suspects = {std::move(s)};
  return c;
}

// The case of SLOT 04, whose data its spare holds, after SLOT 05 was pulled in its place.
TEST(AbsentDisk, ComesBackBeforeTheNextIsReplaced) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::spare_holds_all);
  ASSERT_TRUE(world.say().do_now.starts_with("Replace the disk in SLOT 04")) << world.say().do_now;
  world.lose_disk(5);
  const Case wrong = about_disk(5, "upset.fs.zfs.vdev.wrong_disk", false);
  world.others = {&world.c, &wrong};
  const Say say = world.say();
  EXPECT_EQ(say.do_now,
            "Put the disk with serial Z1Y0DD05 back into SLOT 05 first: pool tank lacks it.");
  ASSERT_FALSE(say.steps.empty());
  EXPECT_EQ(say.steps.front(),
            "When 'fmadm resilver' shows the end, replace the disk in SLOT 04 (serial Z1Y0DD04) "
            "with a blank one at least as large.");
  EXPECT_EQ(say.needs, Needs::you);
  EXPECT_FALSE(say.safe_to_pull.yes()) << "an order to wait beside it would contradict it";
  EXPECT_EQ(say.safe_to_pull.why, "SLOT 05 comes back first");
}

// It was pulled before the other one had a case, so that no case says that it was the wrong one.
TEST(AbsentDisk, NeedsNoCaseOfItsOwn) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::out_of_service);
  world.lose_disk(5);
  EXPECT_EQ(world.say().do_now, "Put disk Z1Y0DD05 back first: pool tank lacks it.");
}

TEST(AbsentDisk, ThatIsToBeReplacedGetsItsNewDiskFirst) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::spare_holds_all);
  world.lose_disk(5);
  const Case other = about_disk(5, "fault.fs.zfs.vdev.checksum", true);
  world.others = {&other};
  EXPECT_EQ(world.say().do_now, "Put a blank disk into SLOT 05 first: pool tank waits for it.");
}

TEST(AbsentDisk, ThatIsBackIsFilledFirst) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::spare_holds_all);
  world.lose_disk(5);
  world.put_back(5);
  EXPECT_EQ(world.say().do_now,
            "Get a blank disk for SLOT 04 (serial Z1Y0DD04), and replace it when the resilver of "
            "pool tank has ended.");
  EXPECT_EQ(world.say().safe_to_pull.why, "another disk is being filled, and comes first");
}

TEST(AbsentDisk, OfAnotherPoolOrOfASpareChangesNothing) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::spare_holds_all);
  const std::string before = world.say().do_now;
  world.lose_disk(7);
  EXPECT_EQ(world.say().do_now, before);
}

enum class Kind { md, btrfs, lvm };

// Two disks of a machine without a pool: the first is to be replaced, the second is gone.
Say say_of_array(Kind kind) {
  Inventory inventory;
  InventoryUpdate all{"t", {}, {}, true};
  std::vector<Edge> members;
  for (const int n : {4, 5}) {
    const std::string d = disk(n), at = std::to_string(n);
    all.resources.push_back(made(d, "disk", {{"serial", text("S" + at)}}, {}));
    if (kind == Kind::lvm) {
      members.push_back({Relation::redundancy, d});
      continue;
    }
    const std::string leaf =
        (kind == Kind::md ? "md://uuid=1/disk=" : "btrfs://uuid=1/devid=") + at;
    all.resources.push_back(made(leaf, kind == Kind::md ? "md-member" : "btrfs-device",
                                 {{"name", text("sd" + at)},
                                  {"devid", text(at)},
                                  {"role", text("data")},
                                  {"service", text(kind == Kind::md ? "in-service" : "")},
                                  {"losses_left", int64_t{1}}},
                                 {{Relation::redundancy, d}}));
    members.push_back({Relation::redundancy, leaf});
  }
  all.resources.push_back(
      kind == Kind::md ? made("md://uuid=1", "md-array", {{"name", text("md0")}}, members)
      : kind == Kind::btrfs
          ? made("btrfs://uuid=1", "btrfs", {{"name", text("data")}}, members)
          : made("lvm://vg=a/lv=b", "lvm-volume", {{"name", text("a/b")}}, members));
  all.resources.push_back(
      made(bay(4), "bay", {{"label", text("SLOT 04")}}, {{Relation::contains, disk(4)}}));
  inventory.apply(all);
  inventory.apply({"t", {}, {{disk(5), "removed", ""}}, false});
  Case c = about_disk(4, "fault.io.disk.failing", true);
  if (kind == Kind::md) c.suspects[0].resource = c.suspects[0].asru = "md://uuid=1/disk=4";
  if (kind != Kind::md) c.suspects[0].resource = c.suspects[0].asru = disk(4);
  const PartIndex index(inventory);
  return say_of(c, {inventory, index});
}

TEST(AbsentDisk, OfArraysAndFileSystems) {
  EXPECT_EQ(say_of_array(Kind::md).do_now, "Put disk S5 back first: array md0 lacks it.");
  EXPECT_EQ(say_of_array(Kind::btrfs).do_now, "Put disk S5 back first: btrfs data lacks it.");
  EXPECT_EQ(say_of_array(Kind::lvm).do_now, "Put disk S5 back first: volume a/b lacks it.");
}

}  // namespace
}  // namespace fmd::test
