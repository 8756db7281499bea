// Announced actions and their state, as reported in messages.
#include "fmd/notify/telling.h"

#include <gtest/gtest.h>

#include "fmd/notify/tests/telling_rig.h"

namespace fmd {
namespace {

std::string the_disk(const std::string& rest) {
  return std::string("The ") + kDisk + rest;
}

TEST(TellingActions, ARetrySecondsLaterIsNoNews) {
  TellingRig rig;
  Case& c = told_case(rig);
  for (int i = 0; i < 2; ++i) {
    rig.act(c, ActionKind::retire, ActionState::running, Obstacle::none, "", i + 1);
    rig.pass(5);
    rig.act(c, ActionKind::retire, ActionState::failed, Obstacle::error, "timed out", i + 1);
    EXPECT_TRUE(rig.pass(20).empty());
  }
  rig.act(c, ActionKind::retire, ActionState::done);
  EXPECT_TRUE(rig.pass(3600).empty());
}

TEST(TellingActions, AnAnnouncedActionThatGoesOnFailingIsToldAfterAMinute) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::retire, ActionState::failed, Obstacle::error,
          "could not take sdf out of service: no answer in 60s", 1);
  EXPECT_TRUE(rig.pass(30).empty());
  rig.act(c, ActionKind::retire, ActionState::running, Obstacle::none, "take sdf", 2);
  EXPECT_TRUE(rig.pass(34).empty());
  EXPECT_EQ(only_update(rig.pass(1)),
            Sentences{the_disk(" could not be taken out of service so far: "
                               "no answer in 60s. fmd keeps trying.")});
  rig.act(c, ActionKind::retire, ActionState::done);
  EXPECT_EQ(only_update(rig.pass(600)), Sentences{the_disk(" is out of service now.")});
}

TEST(TellingActions, OrAtItsThirdAttempt) {
  TellingRig rig;
  Case& c = told_case(rig);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_TRUE(rig.pass(2).empty());
    rig.act(c, ActionKind::spare, ActionState::failed, Obstacle::error, "busy", attempt);
  }
  EXPECT_EQ(only_update(rig.pass(5)),
            Sentences{"No hot spare could be brought in for the " + std::string(kDisk) +
                      " so far: busy. fmd keeps trying."});
}

TEST(TellingActions, ThatTheSpareHoldsAllIsTold) {
  TellingRig rig;
  rig.restarts = true;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::spare, ActionState::resilvering);
  EXPECT_TRUE(rig.pass(600).empty()) << "it is being filled";
  rig.act(c, ActionKind::spare, ActionState::done);
  EXPECT_EQ(only_update(rig.pass(5)), Sentences{"You can pull the " + std::string(kDisk) +
                                                " now: the spare holds all its data."});
  rig.act(c, ActionKind::out_of_service, ActionState::done, Obstacle::none, "still");
  EXPECT_TRUE(rig.pass(600).empty()) << "once";
  rig.act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare);
  only_update(rig.pass(600));
  rig.act(c, ActionKind::spare, ActionState::done);
  bool again = false;
  for (const std::string& sentence : only_update(rig.pass(600)))
    again = again || sentence.starts_with("You can pull");
  EXPECT_TRUE(again) << "another spare holds it all";
}

TEST(TellingActions, ThatItCanBePulledIsDueAgainWhenItWasNotSent) {
  TellingRig rig;
  rig.restarts = true;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::spare, ActionState::done);
  rig.act(c, ActionKind::out_of_service, ActionState::done);
  const Sentences relief{"You can pull the " + std::string(kDisk) +
                         " now: the spare holds all its data."};
  EXPECT_EQ(only_update(rig.pass(5)), relief);
  rig.relief_not_sent(c);
  EXPECT_TRUE(rig.pass(290).empty()) << "not before the time between two updates has passed";
  EXPECT_EQ(only_update(rig.pass(20)), relief);
  EXPECT_TRUE(rig.pass(600).empty());
}

// A fault LED that cannot be driven is reported while the spare is filled.
TEST(TellingActions, ThatItCanBePulledDoesNotWaitForThePauseAfterOtherNews) {
  TellingRig rig;
  rig.restarts = true;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::spare, ActionState::resilvering);
  for (int attempt = 1; attempt <= 3; ++attempt)
    rig.act(c, ActionKind::fault_led, ActionState::failed, Obstacle::error, "dark", attempt);
  EXPECT_EQ(only_update(rig.pass(10)).size(), 1u);
  rig.act(c, ActionKind::spare, ActionState::done);
  EXPECT_EQ(only_update(rig.pass(6)), Sentences{"You can pull the " + std::string(kDisk) +
                                                " now: the spare holds all its data."});
  EXPECT_TRUE(rig.pass(600).empty());
}

TEST(TellingActions, ThatItCanBePulledWaitsForNoOtherAction) {
  for (const ActionKind kind :
       {ActionKind::retire, ActionKind::out_of_service, ActionKind::fault_led, ActionKind::replace})
    for (const ActionState state :
         {ActionState::planned, ActionState::running, ActionState::waiting, ActionState::refused,
          ActionState::failed, ActionState::dry_run}) {
      TellingRig rig;
      Case& c = told_case(rig);
      rig.act(c, kind, state, Obstacle::error, "it does not answer", 1);
      rig.pass(600);
      rig.act(c, ActionKind::spare, ActionState::done);
      bool said = false;
      for (const std::string& sentence : only_update(rig.pass(6)))
        said = said || sentence.starts_with("You can pull");
      EXPECT_TRUE(said) << action_name(kind) << " " << static_cast<int>(state);
    }
}

TEST(TellingActions, AFirstMessageThatSaysSoNeedsNoSecond) {
  TellingRig rig;
  Case& c = rig.add(solved_case());
  rig.act(c, ActionKind::spare, ActionState::done);
  rig.act(c, ActionKind::out_of_service, ActionState::done);
  rig.news("diagnosed", c);
  EXPECT_EQ(rig.pass(60).size(), 1u);
  EXPECT_TRUE(rig.pass(600).empty());
}

// The processor is what a person replaces; what fmd acts on is a core of it.
TEST(TellingActions, ACoreIsNamedAndNotItsProcessor) {
  TellingRig rig;
  Case of_core = solved_case();
  Suspect& s = of_core.suspects.front();
  s.resource = s.asru = "cpu://socket=0/core=5";
  s.fru = "cpu://socket=0";
  s.facts = {{"name", "core 5 of CPU1"}};
  s.location = "CPU1";
  s.serial.clear();
  of_core.retire.spare = of_core.retire.replace_same_bay = of_core.led = false;
  Case& c = told_case(rig, of_core);
  rig.act(c, ActionKind::retire, ActionState::refused, Obstacle::blast_radius, "CPU 0 stays");
  EXPECT_EQ(only_update(rig.pass(5)).front(),
            "Core 5 of CPU1 is not taken out of service: CPU 0 stays. Look at those first; 'fmadm "
            "retire cpu://socket=0/core=5' takes it out by hand.");
}

TEST(TellingActions, APluginThatIsAwayForLongIsTold) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::fault_led, ActionState::waiting, Obstacle::no_plugin);
  EXPECT_TRUE(rig.pass(64).empty());
  EXPECT_EQ(only_update(rig.pass(1)),
            Sentences{"The fault LED of the " + std::string(kDisk) +
                      " has not been lit yet: no plugin that does it is connected ('fmadm config' "
                      "shows which are)."});
}

TEST(TellingActions, ARefusedRetirementIsToldWithWhatToDo) {
  struct {
    Obstacle obstacle;
    std::string detail, sentence;
  } const examples[] = {
      {Obstacle::last_copy, "not taken out of service: last copy: pool 'tank' has no redundancy",
       "last copy: pool 'tank' has no redundancy. Do not pull it before its data has another "
       "copy."},
      {Obstacle::blast_radius, "",
       "too many parts that it counts together with are out already. Look at those first; 'fmadm "
       "retire zfs://pool=11/vdev=22' takes it out by hand."},
      {Obstacle::undecided, "not taken out of service: 3 of 8 disks behind HBA 1 failed",
       "3 of 8 disks behind HBA 1 failed. Look at the cable and the controller first; 'fmadm "
       "retire "
       "zfs://pool=11/vdev=22' takes it out by hand."},
      {Obstacle::person, "kept in service by root; 'fmadm retire zfs://x' takes it out",
       "kept in service by root; 'fmadm retire zfs://x' takes it out."},
      {Obstacle::disputed, "",
       "its disk cannot be identified for certain. Look at the label on the disk first; 'fmadm "
       "retire zfs://pool=11/vdev=22' takes it out by hand."},
      {Obstacle::contested, "",
       "somebody else undoes that again and again. Find out who does; 'fmadm retire "
       "zfs://pool=11/vdev=22' takes it out by hand."}};
  for (const auto& example : examples) {
    TellingRig rig;
    Case& c = told_case(rig);
    rig.act(c, ActionKind::spare, ActionState::planned);
    rig.act(c, ActionKind::retire, ActionState::refused, example.obstacle, example.detail);
    const Sentences told = only_update(rig.pass(5));
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0], the_disk(" is not taken out of service: " + example.sentence));
    EXPECT_EQ(told[1], "No hot spare is brought in for it as long as it stays in service.");
  }
}

// The person who inserted the disk is still there, even if another update was sent just before.
TEST(TellingActions, ADiskThatIsNotTakenIsToldWithinSeconds) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare, "no spare available");
  EXPECT_EQ(rig.pass(5).size(), 1u);
  rig.pass(30);
  rig.act(c, ActionKind::replace, ActionState::waiting, Obstacle::not_accepted, "it is not blank");
  EXPECT_EQ(rig.pass(5).size(), 1u);
  rig.act(c, ActionKind::replace, ActionState::waiting, Obstacle::not_accepted, "it is too small");
  EXPECT_TRUE(rig.pass(29).empty()) << "not more often than every half minute";
  EXPECT_EQ(rig.pass(1).size(), 1u);
  rig.act(c, ActionKind::spare, ActionState::resilvering);
  EXPECT_TRUE(rig.pass(299).empty()) << "anything else can wait";
  EXPECT_EQ(rig.pass(1).size(), 1u);
}

TEST(TellingActions, WhyASpareIsKeptBackIsTold) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::retire, ActionState::done);
  rig.act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare,
          "no spare: another disk gets a spare first");
  EXPECT_EQ(only_update(rig.pass(5)),
            Sentences{"No hot spare is brought in for the " + std::string(kDisk) +
                      ": another disk gets a spare first."});
}

TEST(TellingActions, NoSpareAndThenOneIsTold) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::retire, ActionState::done);
  rig.act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare, "no spare available");
  const auto told = rig.pass(5);
  EXPECT_EQ(only_update(told), Sentences{"No hot spare is available for the " + std::string(kDisk) +
                                         ". Once there is one, fmd brings it in by itself."});
  EXPECT_EQ(told[0].not_done, told[0].whats_new);
  EXPECT_TRUE(rig.pass(3600).empty()) << "said once";
  rig.act(c, ActionKind::spare, ActionState::running);
  EXPECT_TRUE(rig.pass(10).empty());
  rig.act(c, ActionKind::spare, ActionState::resilvering);
  EXPECT_EQ(only_update(rig.pass(10)),
            Sentences{"A hot spare is in for the " + std::string(kDisk) + " now."});
  rig.act(c, ActionKind::spare, ActionState::lost);
  EXPECT_EQ(only_update(rig.pass(600)),
            Sentences{"The hot spare that was in for the " + std::string(kDisk) +
                      " has left; another one is used only if the errors continue."});
}

TEST(TellingActions, WhatIsUnderWayAfterAllIsToldWhenItLasts) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::retire, ActionState::refused, Obstacle::blast_radius);
  rig.pass(400);
  rig.act(c, ActionKind::retire, ActionState::waiting, Obstacle::busy);
  EXPECT_TRUE(rig.pass(59).empty());
  EXPECT_EQ(only_update(rig.pass(10)),
            Sentences{the_disk(" is to be taken out of service after all.")});
}

TEST(TellingActions, ANewDiskThatIsNotAcceptedIsToldWithTheReason) {
  TellingRig rig;
  Case& c = told_case(rig);
  const std::string why = "the new disk in SLOT 06 (serial A) is not blank: wipe it";
  rig.act(c, ActionKind::replace, ActionState::waiting, Obstacle::not_accepted, why);
  EXPECT_EQ(only_update(rig.pass(5)),
            Sentences{"The new disk in SLOT 06 (serial A) is not blank: wipe it."});
  rig.act(c, ActionKind::replace, ActionState::waiting, Obstacle::not_accepted,
          "the new disk in SLOT 06 (serial B) is too small");
  EXPECT_EQ(only_update(rig.pass(300)),
            Sentences{"The new disk in SLOT 06 (serial B) is too small."});
  rig.act(c, ActionKind::replace, ActionState::resilvering);
  EXPECT_EQ(only_update(rig.pass(300)),
            Sentences{"The new disk put in for the " + std::string(kDisk) + " is taken in now."});
}

// The way out is in the message's steps.
TEST(TellingActions, ANewDiskThatIsNotAcceptedIsNewsWithoutTheCommand) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::replace, ActionState::waiting, Obstacle::not_accepted,
          "the new disk in SLOT 06 (serial A) is not blank: it holds ext4. 'fmadm replace "
          "zfs://pool=11/vdev=22 dev://wwn=9 --force' uses it anyway, and what is on it is lost");
  EXPECT_EQ(only_update(rig.pass(5)),
            Sentences{"The new disk in SLOT 06 (serial A) is not blank: it holds ext4."});
}

TEST(TellingActions, TheFirstMessageWaitsForTheOdds) {
  TellingRig rig;
  Case& c = rig.add(solved_case());
  c.suspects.front().undecided = kYetToCompare;
  rig.news("diagnosed", c);
  EXPECT_TRUE(rig.due().empty());
  EXPECT_TRUE(rig.pass(5).empty());
  c.suspects.front().undecided.clear();
  rig.looked(c);
  EXPECT_EQ(rig.due().size(), 1u);
  EXPECT_TRUE(rig.pass(600).empty()) << "nothing was in doubt";
}

TEST(TellingActions, ButNotForEver) {
  TellingRig rig;
  Case& c = rig.add(solved_case());
  c.suspects.front().undecided = kYetToCompare;
  rig.news("diagnosed", c);
  EXPECT_EQ(rig.pass(60).size(), 1u);
}

TEST(TellingActions, ComparingTheDiskAgainIsNoDoubt) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.pass(5);
  c.suspects.front().undecided = kYetToCompare;
  rig.looked(c);
  EXPECT_TRUE(rig.pass(600).empty());
}

// The last message may have ordered the replacement of the disk.
TEST(TellingActions, ADoubtIsToldAtOnceAndItsEnd) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::retire, ActionState::done);
  rig.act(c, ActionKind::spare, ActionState::done);
  EXPECT_EQ(only_update(rig.pass(5)), Sentences{"You can pull the " + std::string(kDisk) +
                                                " now: the spare holds all its data."});
  c.suspects.front().undecided = "2 of 6 disks behind HBA 1 failed within 45s of each other";
  rig.looked(c);
  EXPECT_EQ(only_update(rig.pass(5)),
            Sentences{"fmd is no longer certain that the " + std::string(kDisk) +
                      " is at fault: 2 of 6 disks behind HBA 1 failed within 45s of each other."});
  c.suspects.front().undecided.clear();
  rig.looked(c);
  EXPECT_TRUE(rig.pass(290).empty()) << "the order to replace it can wait";
  EXPECT_EQ(only_update(rig.pass(10)),
            Sentences{"It is decided: the " + std::string(kDisk) + " itself is at fault."});
}

TEST(TellingActions, WhatWaitsAsAnnouncedIsNoNews) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.act(c, ActionKind::retire, ActionState::waiting, Obstacle::busy, "until the scrub has ended");
  rig.act(c, ActionKind::spare, ActionState::planned);
  rig.act(c, ActionKind::fault_led, ActionState::running);
  EXPECT_TRUE(rig.pass(24 * 3600).empty());
  rig.act(c, ActionKind::retire, ActionState::done, Obstacle::not_ours);
  rig.act(c, ActionKind::spare, ActionState::resilvering);
  rig.act(c, ActionKind::fault_led, ActionState::done);
  EXPECT_TRUE(rig.pass(24 * 3600).empty());
}

TEST(TellingActions, WhatIsNotDoneWhenTheFirstMessageGoesIsSaidInIt) {
  TellingRig rig;
  Case c = solved_case();
  c.set_action({ActionKind::retire, "zfs://pool=11/vdev=22", ActionState::refused,
                Obstacle::last_copy, "pool 'tank' has no redundancy", 0, 1});
  rig.news("diagnosed", rig.add(c));
  const auto told = rig.pass(3600);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].not_done.size(), 2u);
  rig.act(rig.at("u1"), ActionKind::retire, ActionState::done);
  EXPECT_EQ(only_update(rig.pass(5)), Sentences{the_disk(" is out of service now.")});
}

TEST(TellingActions, ARehearsalClaimsNothing) {
  TellingRig rig;
  Case c = solved_case();
  c.set_action({ActionKind::retire, "zfs://pool=11/vdev=22", ActionState::dry_run, Obstacle::none,
                "", 0, 0});
  rig.news("diagnosed", rig.add(c));
  const auto told = rig.pass(3600);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].not_done, Sentences{"Dry run is on: fmd only announces what it would do."});
  // The dry run is switched off.
  rig.act(rig.at("u1"), ActionKind::retire, ActionState::done);
  rig.act(rig.at("u1"), ActionKind::spare, ActionState::resilvering);
  EXPECT_EQ(only_update(rig.pass(5)),
            (Sentences{the_disk(" is out of service now."), "A hot spare is in for it now."}));
}

TEST(TellingActions, InADryRunTheEndOfTheScrubIsTold) {
  TellingRig rig;
  rig.restarts = true;
  Case c = solved_case();
  const auto scrub = [&](Case& of) {
    rig.act(of, ActionKind::retire, ActionState::waiting, Obstacle::busy,
            "until the scrub has ended");
  };
  const auto would = [&](Case& of) {
    rig.act(of, ActionKind::retire, ActionState::dry_run, Obstacle::none,
            "dry run: would mark SLOT 06 degraded");
  };
  c.set_action({ActionKind::fault_led, "hc://chassis=1/bay=6", ActionState::dry_run, Obstacle::none,
                "dry run: would light the fault LED", 0, 0});
  rig.news("diagnosed", rig.add(c));
  Case& same = rig.at("u1");
  scrub(same);
  EXPECT_EQ(rig.pass(3600).size(), 1u);
  would(same);
  EXPECT_EQ(only_update(rig.pass(5)),
            Sentences{"Dry run is on: fmd would now mark SLOT 06 degraded, and does not."});
  EXPECT_TRUE(rig.pass(3600).empty()) << "once";
  scrub(same);
  EXPECT_TRUE(rig.pass(3600).empty()) << "the next scrub is no news";
  would(same);
  EXPECT_TRUE(rig.pass(3600).empty());
}

TEST(TellingActions, ACaseWithoutARowCountsAsToldButItsPromisesAreHeldAgainstIt) {
  TellingRig rig;
  Case& c = rig.add(solved_case());
  c.set_action({ActionKind::spare, "zfs://pool=11/vdev=22", ActionState::waiting,
                Obstacle::no_spare, "", 0, 0});
  rig.looked(c);
  EXPECT_EQ(only_update(rig.pass(600)).size(), 1u);
  Case& ended = rig.add(solved_case("u2"));
  rig.resolve(ended);
  EXPECT_EQ(rig.due().size(), 1u) << "its row was lost, its end is told";
}

}  // namespace
}  // namespace fmd
