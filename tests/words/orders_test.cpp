// Orders that can be followed, and reasons that agree with them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmd/advice/pools_now.h"
#include "fmd/advice/pull_safety.h"
#include "fmd/advice/say.h"
#include "tests/lib/made.h"
#include "tests/lib/shipped_rules.h"
#include "tests/words/told_machine.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

// A rule's text does not know that the pool cannot be without the disk.
TEST(Orders, NoDiskThatMustStayIsToBeReseated) {
  int kept = 0;
  each_world([&](const FaultClass& fault, SayState, const ToldWorld& world) {
    ToldWorld last = world;
    last.refuse_last_copy();
    const Say say = last.say();
    if (say.safe_to_pull.answer != PullSafety::Answer::no) return;
    for (const char* start : {"Reseat the disk", "Pull ", "Put the disk into another"})
      EXPECT_FALSE(say.do_now.starts_with(start)) << fault.name << ": " << say.do_now;
    if (any_says(say.steps, "Once it is safe to pull: ")) ++kept;
  });
  EXPECT_GE(kept, 3);
}

// The order is followed even if no more than it is read, such as in a mail's subject.
TEST(Orders, AnOrderIsAnAct) {
  each_world([](const FaultClass& fault, SayState, const ToldWorld& world) {
    const Say say = world.say();
    for (const char* start : {"Suspect ", "Correct that", "Replace that", "Consider "})
      EXPECT_FALSE(say.do_now.starts_with(start)) << fault.name << ": " << say.do_now;
    for (const char* elsewhere : {"named above", "what stands there", "the reason names"})
      EXPECT_EQ(say.do_now.find(elsewhere), std::string::npos) << fault.name << ": " << say.do_now;
  });
}

TEST(Orders, WhileTheSpareIsFilledTheSafetyAloneSaysNotToPull) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::spare_resilvering);
  EXPECT_EQ(world.say().do_now,
            "Get a blank disk for SLOT 04 (serial Z1Y0DD04), and replace it when fmd reports that "
            "its spare holds the data.");
  EXPECT_EQ(world.say().safe_to_pull.why, "the spare SLOT 07 does not hold all its data yet");
}

// 'zpool split' gave its data to another pool, which may be in use.
TEST(Orders, ADiskOfAnotherPoolIsNotSafeToPull) {
  ToldWorld world(*shipped_rules()->fault("fault.fs.zfs.vdev.split"));
  EXPECT_TRUE(world.say().safe_to_pull.yes());
  world.split();
  EXPECT_EQ(world.say().safe_to_pull,
            (PullSafety{PullSafety::Answer::no, "another pool has its data since 'zpool split'"}));
}

// One of its group is gone, and this one is degraded: without it the pool has nothing to spare.
TEST(Orders, WhyItIsSafeNamesTheLastRedundancy) {
  Inventory inventory = machine();
  for (int n = 0; n < kDisks; ++n) {
    Resource leaf = *inventory.find(vdev(n));
    if (n == kSick)
      leaf.properties["losses_left"] = Value(int64_t{0});
    else
      leaf.properties.erase("losses_left");
    inventory.apply({"t", {std::move(leaf)}, {}, false});
  }
  EXPECT_EQ(
      pull_safety(inventory, disk(kSick)),
      (PullSafety{PullSafety::Answer::yes, "raidz2-0 survives without it, but no other failure"}));
}

// Beside "pool tank survives no more disk failure", a disk that may go needs another reason.
TEST(Orders, WhyItIsSafeDoesNotContradictTheRedundancy) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::out_of_service);
  EXPECT_EQ(world.say().safe_to_pull,
            (PullSafety{PullSafety::Answer::yes, "pool tank already works without it"}));
  ToldWorld healthy(checksum_fault());
  healthy.add_exhausted_mirror();
  EXPECT_EQ(healthy.say().safe_to_pull,
            (PullSafety{PullSafety::Answer::yes, "raidz2-0 survives without it"}));
  EXPECT_EQ(healthy.say().redundancy, "pool tank survives no more disk failure in mirror-1");
}

// The data has fewer copies until the spare is full.
TEST(Orders, ADiskPulledBeforeItsSpareIsFull) {
  constexpr const char* kOthers =
      "Meanwhile pull no other disk of pool tank, unless its own case says that it is safe.";
  for (const SayState spare : {SayState::spare_resilvering, SayState::spare_holds_all}) {
    ToldWorld world(checksum_fault());
    world.reach(spare);
    world.reach(SayState::disk_pulled);
    const Say say = world.say();
    EXPECT_EQ(say.do_now, "Put a blank disk at least as large into SLOT 04.");
    const bool fills = spare == SayState::spare_resilvering;
    EXPECT_EQ(any_says(say.next, "The spare SLOT 07 is being filled from the other disks"), fills);
    EXPECT_EQ(any_says(say.steps, kOthers), fills);
  }
}

// A disk that ZFS has faulted is still in its bay, so it cannot return.
TEST(Orders, OnlyADiskThatHasLeftReturns) {
  const LeafView view{[](std::string_view) { return std::string("SLOT 04"); },
                      [](const Resource&) { return std::optional(HeldVerdict{"04:38"}); }};
  const auto expected = [&](const char* state, const char* service) {
    const auto text = [](const char* value) { return Value(std::string(value)); };
    Inventory inventory;
    inventory.apply(
        {"zfs",
         {made("zfs://pool=1", "zfs-pool", {{"name", text("tank")}, {"health", text("DEGRADED")}},
               {{Relation::redundancy, "zfs://pool=1/vdev=4"}}),
          made("zfs://pool=1/vdev=4", "zfs-vdev",
               {{"state", text(state)}, {"service", text(service)}}, {})},
         {},
         true});
    return pools_now(inventory, view).at(0).expected;
  };
  EXPECT_EQ(expected("FAULTED", "out-of-service"),
            std::vector<std::string>{"SLOT 04 was faulted by ZFS; a case follows at 04:38 unless "
                                     "it is used again by then."});
  EXPECT_EQ(
      expected("REMOVED", "removed"),
      std::vector<std::string>{"SLOT 04 was removed; a case follows at 04:38 unless it returns."});
}

// In a dry run as well, the disk that somebody pulls is out of service, which nobody did.
TEST(Orders, APulledDiskWasNotTakenOutOfService) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::disk_pulled);
  for (const ActionKind kind : {ActionKind::retire, ActionKind::out_of_service}) {
    Action action;
    action.kind = kind;
    action.part = world.c.suspects[0].asru;
    action.state = ActionState::done;
    if (kind == ActionKind::retire) action.obstacle = Obstacle::not_ours;
    world.c.set_action(action);
  }
  EXPECT_EQ(world.say().done, std::vector<std::string>{});
  Action ours = *world.c.find_action(ActionKind::retire, world.c.suspects[0].asru);
  ours.obstacle = Obstacle::none;
  world.c.set_action(ours);
  EXPECT_EQ(world.say().done, std::vector<std::string>{"SLOT 04 was marked degraded."});
}

}  // namespace
}  // namespace fmd::test
