// The new disk: which one is meant, whether it fits, and what is said of one that does not.
#include "fmd/reconcile/tests/replacement_rig.h"

namespace fmd::test {
namespace {

TEST_F(ReplacementTest, OneThatFitsIsTaken) {
  pull();
  insert({});
  EXPECT_EQ(act(), Lines{kReplaceNew});
}

// autoreplace=on: what is in the place that the pool knows.
class AutoreplaceTest : public ReplacementTest {
 protected:
  void place(const std::string& disk, bool autoreplace = true) {
    Resource r = *engine->inventory().find(vdev(1));
    r.properties["place"] = std::string("other");
    r.properties["place_disk"] = disk;
    r.properties["autoreplace"] = autoreplace;
    observe({"test", {r}, {}, false});
  }
};

TEST_F(AutoreplaceTest, AnotherDiskInTheSamePlaceIsTakenWhereverItsBayIs) {
  pull();
  put_made(kNew, "NEW", {});
  put_in(4, {kNew});
  place(kNew);
  EXPECT_EQ(act(), Lines{kReplaceNew});
}

TEST_F(AutoreplaceTest, TheSameDiskWithNothingOnItIsTaken) {
  pull();
  put_made(disk(1), "S1", {});
  put_in(1, {disk(1)});
  wait(30);
  EXPECT_EQ(said(), "") << "nothing says that it is to be taken";
  place(disk(1));
  EXPECT_EQ(
      act(),
      Lines{
          R"(replace zfs://pool=1/vdev=1 {"blank":true,"device":"dev://wwn=1","path":"/dev/sdS1","serial":"S1","size_bytes":2199023255552})"});
}

TEST_F(AutoreplaceTest, WhatIsNotBlankIsNot) {
  pull();
  put_made(kNew, "NEW", {.content = "used", .reason = "it holds ext4"});
  place(kNew);
  EXPECT_EQ(act(), Lines{});
  EXPECT_NE(said().find("is not blank: it holds ext4"), std::string::npos) << said();
  put_made(kNew, "NEW", {.content = "unknown", .reason = "it cannot be read: Input/output error"});
  EXPECT_EQ(act(), Lines{});
  EXPECT_NE(said().find("cannot be read: Input/output error"), std::string::npos) << said();
  put_made(kNew, "NEW", {});
  EXPECT_EQ(act(), Lines{kReplaceNew});
}

TEST_F(AutoreplaceTest, WithoutThePropertyItIsNot) {
  pull();
  put_made(kNew, "NEW", {});
  place(kNew, false);
  EXPECT_EQ(act(), Lines{});
}

TEST_F(ReplacementTest, WhatDoesNotFitHasItsSentence) {
  const std::string all_the_same = kByHand + " --force' uses it anyway",
                    slow = all_the_same + ", and it may slow the pool down";
  const std::vector<std::pair<Made, std::string>> table_of = {
      {{.content = "used", .reason = "it holds ext4"},
       "is not blank: it holds ext4. " + all_the_same + ", and what is on it is lost"},
      {{.content = "used"}, "is not blank. " + all_the_same + ", and what is on it is lost"},
      {{.content = "unknown", .reason = "it cannot be read: Input/output error"},
       "cannot be read: Input/output error. Put another one in; " + all_the_same},
      {{.size = kTib},
       "is too small (1.1 TB; 2.2 TB are needed). Put a larger one in; " + kByHand +
           " --force' has ZFS try it"},
      {{.size = 2 * kTib - 4096},
       "is 4096 bytes too small. Put a larger one in; " + kByHand + " --force' has ZFS try it"},
      {{.physical = 8192}, "has sectors of 8192 bytes, and the vdev is made for 4096. " + slow},
      {{.size = kTib, .content = "used"},
       "is too small (1.1 TB; 2.2 TB are needed). Put a larger "
       "one in; " +
           kByHand + " --force' has ZFS try it"}};
  pull();
  for (const auto& [made, sentence] : table_of) {
    insert(made);
    EXPECT_TRUE(act().empty()) << sentence;
    EXPECT_EQ(action(ActionKind::replace, vdev(1)), "waiting not-accepted");
    EXPECT_EQ(said(), "the new disk in SLOT 01 (serial NEW) " + sentence);
    EXPECT_NE(ordered(), "") << "a person is told the same";
  }
  insert({});
  EXPECT_EQ(act(), Lines{kReplaceNew}) << "wiped, or another one";
}

TEST_F(ReplacementTest, TheTimelineHasTheReasonAndLeavesTheCommandToTheSteps) {
  pull();
  insert({.content = "used", .reason = "it holds ext4"});
  act();
  const TimelineEntry last = the_case().timeline.back();
  EXPECT_EQ(last.text, "the new disk in SLOT 01 (serial NEW) is not blank: it holds ext4");
  const Action* refused = the_case().find_action(ActionKind::replace, vdev(1));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->unfit, Unfit::not_blank);
  EXPECT_EQ(refused->unfit_why, "is not blank: it holds ext4");
}

TEST_F(ReplacementTest, OneOfWhichIsNotCertainWhichItIsIsNotTaken) {
  pull();
  insert({});
  Resource disputed;
  disputed.fmri = kNew;
  disputed.type = "disk";
  disputed.properties = {{"disputed", "according to fmd-redfish its serial is OLD"}};
  observe({"other", {disputed}, {}, false});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "waiting not-accepted");
  EXPECT_NE(said().find("according to fmd-redfish its serial is OLD"), std::string::npos) << said();
  EXPECT_NE(ordered(), "");
  EXPECT_EQ(ordered(true), "") << "a person has looked";
}

TEST_F(ReplacementTest, WhatFmdItselfHasBegunToWriteIsNoStranger) {
  pull();
  insert({});
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  finish(sent[0]);
  // The kernel shows the new partitions before ZFS shows the new vdev.
  put_made(kNew, "NEW", {.content = "used", .reason = "it has partitions"});
  step();
  EXPECT_NE(action(ActionKind::replace, vdev(1)), "waiting not-accepted");
  EXPECT_EQ(said().find("not blank"), std::string::npos) << said();
}

// A power cut amid the replacement: the disk has fmd's labels, the pool shows nothing of them, and for a while nothing can be asked.
TEST_F(ReplacementTest, WhatFmdHasBegunGoesOnAfterWhateverCameBetween) {
  pull();
  insert({});
  ASSERT_EQ(step().size(), 1u);  // never answered
  restart();
  reconciler->set_bay_history(&bays);
  put_made(kNew, "NEW", {.content = "used", .reason = "it has partitions"});
  put_in(1, {kNew});
  put_vdev(1, {{"service", "unknown"}});  // its pool is not imported
  step();
  put_made(kNew, "NEW", {.content = "unknown"});  // it is being read
  put_vdev(1, {{"service", "out-of-service"}});
  EXPECT_TRUE(step().empty()) << said();
  put_made(kNew, "NEW", {.content = "used", .reason = "it has partitions"});
  EXPECT_EQ(act(), Lines{kReplaceNew}) << said();
}

TEST_F(ReplacementTest, WhatFmdHasBegunIsNoReasonToTakeAnotherDisk) {
  pull();
  insert({});
  ASSERT_EQ(step().size(), 1u);
  gone(kNew, "removed");
  put_made(kOther, "OTHER", {.content = "used", .reason = "it holds ext4"});
  put_in(1, {kOther});
  restart();
  reconciler->set_bay_history(&bays);
  EXPECT_TRUE(act().empty());
  EXPECT_NE(said().find("is not blank: it holds ext4"), std::string::npos) << said();
}

TEST_F(ReplacementTest, OneThatIsNotReadYetIsWaitedFor) {
  pull();
  insert({.content = "unknown"});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(), "") << "it is looked at in this moment";
  EXPECT_EQ(ordered(),
            "the new disk in SLOT 01 (serial NEW) has not been read yet: try again in a "
            "moment");
  insert({});
  EXPECT_EQ(act(), Lines{kReplaceNew});
}

TEST_F(ReplacementTest, AnHddForAnSsd) {
  for (int i = 1; i <= 2; ++i)
    put_made(disk(i), "S" + std::to_string(i), {.rotational = false, .content = "used"});
  pull();
  insert({});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(),
            "the new disk in SLOT 01 (serial NEW) is a hard disk, and it would stand in for an "
            "SSD. " +
                kByHand + " --force' uses it anyway, and it may slow the pool down");
}

TEST_F(ReplacementTest, AnSsdForAnHddDoesNoHarm) {
  pull();
  insert({.rotational = false});
  EXPECT_EQ(act(), Lines{kReplaceNew});
}

// md knows no ashift: what counts is the logical block.
TEST_F(ReplacementTest, AnMdArrayGoesByLogicalBlocks) {
  const std::string member = "md://uuid=1/disk=S1";
  put("md://uuid=1", "md-array", {{"name", "md0"}}, {{Relation::redundancy, member}});
  put(member, "md-member", {{"name", "sda"}, {"pool", "md0"}}, {{Relation::redundancy, disk(1)}});
  put_made(disk(1), "S1", {.physical = 512, .content = "used"});
  const auto fits = [&](const Made& made) {
    put_made(kNew, "NEW", made);
    return fitness(engine->inventory(), member, engine->inventory().find(disk(1)),
                   *engine->inventory().find(kNew));
  };
  EXPECT_EQ(fits({.physical = 4096}).unfit, Unfit::none);  // 512e beside 512n
  const Fitness native = fits({.sector = 4096, .physical = 4096});
  EXPECT_EQ(native.unfit, Unfit::sector_size);
  EXPECT_EQ(native.why, "has logical sectors of 4096 bytes, and the array's are 512");
  EXPECT_EQ(native.ashift, std::nullopt);
}

// OpenZFS 2.1 tells no ashift: that of the disks is named, since ZFS refuses the new one without a word of it.
TEST_F(ReplacementTest, LargerPhysicalSectorsWantAnAshift) {
  for (int i = 1; i <= 2; ++i)
    put_made(disk(i), "S" + std::to_string(i), {.physical = 512, .content = "used"});
  pull();
  insert({});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(),
            "the new disk in SLOT 01 (serial NEW) has sectors of 4096 bytes, and the vdev is made "
            "for 512. " +
                kByHand + " --force' uses it anyway, and it may slow the pool down");
  EXPECT_EQ(ordered(true), "");
  EXPECT_EQ(
      act(),
      Lines{
          R"(replace zfs://pool=1/vdev=1 {"ashift":9,"blank":true,"by":"person","device":"dev://wwn=99","force":true,"path":"/dev/sdNEW","serial":"NEW","size_bytes":2199023255552})"});
}

// Those that the vdev was made for cannot be read or written one by one on it.
TEST_F(ReplacementTest, LargerLogicalSectorsAreTakenByNobody) {
  for (int i = 1; i <= 2; ++i)
    put_made(disk(i), "S" + std::to_string(i), {.physical = 512, .content = "used"});
  pull();
  insert({.sector = 4096});
  const std::string why =
      "the new disk in SLOT 01 (serial NEW) has sectors of 4096 bytes, and the vdev is made for "
      "512. ZFS cannot use it there; put one with smaller sectors in";
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(), why);
  EXPECT_EQ(ordered(true), why);
}

// ZFS goes by the smallest of its disks, and by the sectors that the vdev was made for.
TEST_F(ReplacementTest, WhatIsNeededIsOfTheVdevNotOfTheDisk) {
  put_made(disk(1), "S1", {.size = 4 * kTib, .physical = 512, .content = "used"});
  put_made(disk(2), "S2", {.physical = 512, .content = "used"});
  pull();
  insert({});
  EXPECT_TRUE(act().empty());
  EXPECT_NE(said().find("has sectors of 4096 bytes, and the vdev is made for 512"), said().npos)
      << said();
  Resource top = *engine->inventory().find("zfs://pool=1/vdev=20");
  top.properties["ashift"] = int64_t{12};
  observe({"test", {top}, {}, false});
  insert({.rotational = false});
  EXPECT_EQ(act(), Lines{kReplaceNew});
}

TEST_F(ReplacementTest, WhatIsInUseIsNeverTaken) {
  pull();
  put(vdev(7), "zfs-vdev", {{"name", "sdh"}, {"pool", "tank"}, {"role", "spare"}},
      {{Relation::redundancy, kNew}});
  insert({});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(),
            "the new disk in SLOT 01 (serial NEW) is a hot spare of pool tank. Put "
            "another one in");
  EXPECT_EQ(ordered(true), "the new disk in SLOT 01 (serial NEW) is a hot spare of pool tank");
}

// fmd has put it in for this part; ZFS fills it for the disk that a spare stood in for.
TEST_F(ReplacementTest, WhatFmdIsFillingIsNotRefused) {
  pull();
  insert({});
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  finish(sent[0], CommandStatus::done, "vdev1 is being replaced");
  put(vdev(9), "zfs-vdev", {{"name", "new"}, {"pool", "tank"}, {"role", "data"}},
      {{Relation::redundancy, kNew}});
  put(vdev(8), "zfs-vdev", {{"name", "old"}, {"pool", "tank"}, {"replacing", vdev(9)}}, {});
  act();
  EXPECT_EQ(said(), "the new disk is being filled");
  put(vdev(8), "zfs-vdev", {{"name", "old"}, {"pool", "tank"}}, {});
  put_made(kNew, "NEW", {.content = "used"});
  act();
  EXPECT_EQ(said(),
            "the new disk in SLOT 01 (serial NEW) is in use in pool tank. Put "
            "another one in");
}

TEST_F(ReplacementTest, InAnotherBayItIsOfferedNotTaken) {
  put_in(5, {});
  pull();
  put_made(kNew, "NEW", {});
  put_in(5, {kNew});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "waiting not-accepted");
  EXPECT_EQ(said(),
            "the new disk in SLOT 05 (serial NEW) is not in SLOT 01, so it is not used "
            "automatically. " +
                kByHand + "' takes it");
  put_in(6, {});
  put_made(kOther, "OTHER", {});
  put_in(6, {kOther});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(),
            "the new disk in SLOT 05 (serial NEW) and the new disk in SLOT 06 (serial "
            "OTHER) are in other bays, so none is used automatically. 'fmadm replace "
            "zfs://pool=1/vdev=1 DISK' takes the one that you name");
  put_in(5, {});
  put_in(1, {kNew});
  EXPECT_EQ(act(), Lines{kReplaceNew}) << "put where it belongs";
}

TEST_F(ReplacementTest, WhatSatThereBeforeIsNotOffered) {
  put_in(5, {});
  put_made(kNew, "NEW", {});
  put_in(5, {kNew});
  wait(10);
  put_in(6, {kOther});  // seen for the first time with its disk: who knows since when
  put_made(kOther, "OTHER", {});
  pull();
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(), "");
}

TEST_F(ReplacementTest, TheNewDiskOfAnotherCaseIsNotOffered) {
  pull();
  retire_fully(2);
  gone(disk(2), "removed");
  put_in(2, {});
  wait(10);
  put_made(kNew, "NEW", {.content = "used"});
  put_in(2, {kNew});
  act();
  EXPECT_EQ(said(), "");
  EXPECT_EQ(action(ActionKind::replace, vdev(2), 2), "waiting not-accepted");
}

TEST_F(ReplacementTest, WithoutAutoReplaceTheCommandIsNamed) {
  ActionConfig config;
  config.auto_replace = false;
  reconciler->set_config(config);
  pull();
  insert({});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "waiting person");
  EXPECT_EQ(said(),
            "the new disk in SLOT 01 (serial NEW) is not used automatically ([action] "
            "auto_replace in fmd.toml). " +
                kByHand + "' takes it");
}

// The new disk dies or is pulled before it holds the data.
TEST_F(ReplacementTest, ASecondNewDisk) {
  pull();
  insert({});
  act();
  put_newcomer("in-service", "ONLINE");
  put_vdev(1, {{"replacing", vdev(9)}});
  step();
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "resilvering");
  gone(kNew, "removed");
  put_in(1, {});
  put_newcomer("removed", "REMOVED");
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(said(),
            "the new disk sdn is REMOVED before it held all data. Put it back, or a blank "
            "one into its bay; 'fmadm replace zfs://pool=1/vdev=1 DISK' takes another");
  put_made(kOther, "OTHER", {});
  put_in(1, {kOther});
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_NE(sent[0].args.find(kOther), std::string::npos) << sent[0].args;
}

// The command is answered after a person has called the case repaired.
TEST_F(ReplacementTest, AReplacementIsShownAfterItsCaseIsJudged) {
  pull();
  insert({});
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  judge(Engine::Verdict::repaired, "case-1");
  finish(sent[0]);
  put_newcomer("in-service", "ONLINE");
  put_vdev(1, {{"replacing", vdev(9)}});
  step();
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "resilvering");
  put_newcomer("removed", "REMOVED");
  put_in(1, {});
  put_vdev(1, {{"busy", "resilver"}});
  step();
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "waiting not-accepted");
}

// md's kernel rebuilds onto an idle spare by itself.
TEST_F(ReplacementTest, ASpareThatTakesItsPlaceIsNoNewDisk) {
  pull();
  put(vdev(9), "md-member", {{"name", "sdn"}, {"service", "in-service"}, {"was_spare", "true"}},
      {{Relation::redundancy, kNew}});
  put_vdev(1, {{"replacing", vdev(9)}});
  act();
  EXPECT_EQ(action(ActionKind::spare, vdev(1)), "resilvering");
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "absent");
}

}  // namespace
}  // namespace fmd::test
