// Replacements ordered by a person, with disks that fmd does not use automatically.
#include "fmd/reconcile/tests/replacement_rig.h"

namespace fmd::test {
namespace {

TEST_F(ReplacementTest, APersonTakesWhatFmdDoesNot) {
  pull();
  insert({.content = "used", .reason = "it holds ext4"});
  act();
  EXPECT_EQ(ordered(), "the new disk in SLOT 01 (serial NEW) is not blank: it holds ext4. " +
                           kByHand + " --force' uses it anyway, and what is on it is lost");
  EXPECT_EQ(ordered(true), "");
  EXPECT_EQ(ordered(true), "an order for vdev1 is being carried out already");
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(line(sent[0]).starts_with("replace zfs://pool=1/vdev=1 ")) << line(sent[0]);
  EXPECT_NE(line(sent[0]).find(R"("force":true)"), std::string::npos) << line(sent[0]);
  finish(sent[0], CommandStatus::done, "vdev1 is being replaced");
  put_vdev(1, {{"replacing", vdev(9)}});
  step();
  const auto results = reconciler->take_order_results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].status, CommandStatus::done);
  EXPECT_EQ(results[0].text, "vdev1 is being replaced");
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "resilvering");
}

TEST_F(ReplacementTest, APersonReplacesADiskInUse) {
  put_made(kNew, "NEW", {});
  put_in(5, {kNew});
  EXPECT_EQ(ordered(), "");
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].args, R"({"blank":true,"by":"person",)" + kIdentity);
  finish(sent[0], CommandStatus::refused, "the disk is in use");
  step();
  const auto results = reconciler->take_order_results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].status, CommandStatus::refused);
  EXPECT_EQ(table(), "") << "it is not tried again";
}

// So that the disk's plugin overwrites nothing that the person was not told of.
TEST_F(ReplacementTest, AForcedOrderSaysWhetherTheDiskWasBlank) {
  for (const char* content : {"blank", "used", ""}) {
    put_made(kNew, "NEW", {.content = content});
    EXPECT_EQ(ordered(true), "");
    const auto sent = step();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_NE(sent[0].args.find(R"("force":true)"), std::string::npos) << sent[0].args;
    EXPECT_EQ(sent[0].args.find(R"("blank":true)") != std::string::npos,
              std::string(content) == "blank")
        << sent[0].args;
    finish(sent[0], CommandStatus::refused, "a test");
    step();
    (void)reconciler->take_order_results();
  }
}

TEST_F(ReplacementTest, AnOrderThatMakesNoSense) {
  EXPECT_EQ(ordered(true, "dev://none"), "dev://none is not a disk");
  EXPECT_EQ(ordered(true, vdev(2)), "zfs://pool=1/vdev=2 is not a disk");
  EXPECT_EQ(ordered(true, disk(1)), "the new disk in SLOT 01 (serial S1) is vdev1 itself");
  gone(disk(4), "removed");
  EXPECT_EQ(ordered(true, disk(4)), "the new disk in SLOT 04 (serial S4) is not there");
  ActionConfig config;
  config.dry_run = true;
  reconciler->set_config(config);
  put_made(kNew, "NEW", {});
  EXPECT_NE(ordered().find("dry run is on"), std::string::npos);
}

}  // namespace
}  // namespace fmd::test
