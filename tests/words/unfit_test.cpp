// A new disk that is not used: orders, steps and the names in commands. A pool that is not observed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmd/advice/pools_now.h"
#include "fmd/advice/say.h"
#include "fmd/advice/say_names.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

// The disk may belong to another machine, so its content is named before the command that overwrites it.
TEST(SayUnfit, StepsAboutAUsedDiskAreActs) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::unfit_disk);
  const Say say = world.say();
  EXPECT_EQ(say.safe_to_pull, PullSafety{}) << say.safe_to_pull.why;
  EXPECT_EQ(say.do_now, "Put a blank disk into SLOT 04, or allow the new one: it is not blank.");
  const std::vector<std::string> acts{
      "'wipefs /dev/sdk' lists what is on the new disk (serial NEW00008): a partition table.",
      "'fmadm replace \"SLOT 04\" \"NEW00008\" --force' uses it anyway, and what is on it is "
      "lost."};
  EXPECT_EQ(say.steps, acts);
}

// In the steps of a message, in its changes, and in documents.
TEST(SayUnfit, ACommandHasOneSpelling) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::disk_pulled);
  world.reach(SayState::unfit_disk);
  const PartIndex index(world.inventory());
  const CaseNames names(world.c, {world.inventory(), index});
  const std::string detail = names.in(world.c.actions.back().detail);
  const std::string command = "'fmadm replace \"SLOT 04\" \"NEW00008\" --force'";
  EXPECT_NE(detail.find(command), detail.npos) << detail;
  EXPECT_TRUE(any_says(world.say().steps, command));
}

TEST(SayUnfit, ABlankDiskInAnotherBayIsInTheOrder) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::disk_pulled);
  world.offer_disk_elsewhere();
  EXPECT_EQ(world.say().do_now,
            "Put a blank disk at least as large into SLOT 04, or allow the new one: it is in SLOT "
            "08.");
  EXPECT_EQ(world.say().steps.front(), "'fmadm replace A B' takes it.");
}

TEST(SayUnfit, ADiskThatDoesNotFitHasItsReasonInTheOrder) {
  struct Example {
    Unfit unfit;
    const char* why;
    const char* how;
    const char* do_now;
    const char* step;
  };
  const Example examples[] = {
      {Unfit::too_small, "is too small (1.1 TB; 2.2 TB are needed)",
       "Put a larger one in; 'fmadm replace A B --force' has ZFS try it",
       "Put a larger disk into SLOT 04: the new one is too small (1.1 TB; 2.2 TB are needed).",
       "'fmadm replace A B --force' has ZFS try it."},
      {Unfit::sector_size, "has sectors of 4096 bytes, and the vdev is made for 512",
       "'fmadm replace A B --force' uses it anyway, and it may slow the pool down",
       "Put a disk with smaller sectors into SLOT 04, or allow the new one: it has sectors of 4096 "
       "bytes, and the vdev is made for 512.",
       "'fmadm replace A B --force' uses it anyway, and it may slow the pool down."},
      {Unfit::larger_blocks, "has sectors of 4096 bytes, and the vdev is made for 512",
       "ZFS cannot use it there; put one with smaller sectors in",
       "Put a disk with smaller sectors into SLOT 04: the new one has sectors of 4096 bytes, and "
       "the vdev is made for 512.",
       ""},
      {Unfit::other_kind, "is a hard disk, and it would stand in for an SSD",
       "'fmadm replace A B --force' uses it anyway, and it may slow the pool down",
       "Put an SSD into SLOT 04, or allow the new one: it is a hard disk.",
       "'fmadm replace A B --force' uses it anyway, and it may slow the pool down."},
      {Unfit::disputed, "cannot be identified for certain: two plugins disagree",
       "Look at the label on the disk; 'fmadm replace A B --force' uses it",
       "Look at the label on the new disk in SLOT 04, which cannot be identified for certain: two "
       "plugins disagree.",
       "'fmadm replace A B --force' uses it."},
      {Unfit::unread, "cannot be read: Input/output error",
       "Put another one in; 'fmadm replace A B --force' uses it anyway",
       "Put another disk into SLOT 04: the new one cannot be read: Input/output error.",
       "'fmadm replace A B --force' uses it anyway."}};
  for (const Example& e : examples) {
    ToldWorld world(checksum_fault());
    world.reach(SayState::unfit_disk);
    world.refuse_new_disk(e.unfit, e.why, e.how);
    const Say say = world.say();
    EXPECT_EQ(say.do_now, e.do_now);
    const auto wanted = *e.step ? std::vector<std::string>{e.step} : std::vector<std::string>{};
    EXPECT_EQ(say.steps, wanted) << e.do_now;
  }
}

// A person has already used the new disk to replace another member of the pool.
TEST(SayUnfit, ADiskInUseIsNotToBePulledForAnother) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::unfit_disk);
  world.use_new_disk();
  EXPECT_EQ(world.say().do_now, "Put a blank disk into another bay: the one in SLOT 04 is in use.");
  EXPECT_TRUE(any_says(world.say().steps, "Then run 'fmadm replace \"SLOT 04\" NEW-DISK'."));
  EXPECT_FALSE(any_says(world.say().steps, "--force"));
  EXPECT_FALSE(world.say().safe_to_pull.yes());
}

// How far its scrub was is known only as of that time.
TEST(SayNow, APoolThatIsNotObservedHasNoProgress) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::waiting_scrub);
  EXPECT_TRUE(any_says(world.say().next, "(scrub 33 %"));
  world.stop_plugin();
  const Say say = world.say();
  EXPECT_TRUE(say.do_now.starts_with("Do not pull the disk in SLOT 04")) << say.do_now;
  EXPECT_EQ(say.do_now.find("until the scrub"), say.do_now.npos) << say.do_now;
  EXPECT_FALSE(any_says(say.next, " %"));
  EXPECT_NE(say.safe_to_pull.why.find("does not observe"), std::string::npos);
  const auto pools = pools_now(world.inventory(), {});
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].state, "not observed");
  EXPECT_EQ(pools[0].scan, "");
}

TEST(SayNow, ADiskGoesOutOfServiceOnlyAfterASpareIsFilled) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::waiting_scrub);
  world.plan(ActionKind::out_of_service);
  EXPECT_TRUE(any_says(world.say().next,
                       "SLOT 04 is taken out of service once a spare holds all its data."))
      << world.say().next.size();
}

TEST(SayNow, WhatZfsDidIsSaidOnceAndAsItWas) {
  ToldWorld world(checksum_fault());
  world.fault_by_zfs();
  EXPECT_EQ(world.say().done, std::vector<std::string>{"SLOT 04 was taken out of service by ZFS."});
}

}  // namespace
}  // namespace fmd::test
