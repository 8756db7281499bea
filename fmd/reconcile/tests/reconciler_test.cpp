// What an open case makes the reconciler do.
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

TEST_F(ReconcilerTest, WholeStory) {
  EXPECT_TRUE(step().empty());
  convict(1);
  EXPECT_EQ(step_all_done(),
            (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"degraded","unless_busy":"scrub"})",
                   "set_led hc://chassis=c/bay=1 " + kLedOn}));
  put_bay(1, {disk(1)}, "on");
  put_vdev(1, {{"service", "degraded"}});
  EXPECT_EQ(step_all_done(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
  put_vdev(1, {{"service", "degraded"}, {"spare", "resilvering"}, {"busy", "resilver"}});
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action_state("out-of-service"), "waiting");
  put_vdev(1, {{"service", "degraded"}, {"spare", "active"}});
  now += 10 * kSecond;
  EXPECT_EQ(step_all_done(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"out-of-service"})"}));
  put_vdev(1, {{"service", "out-of-service"}, {"spare", "active"}});
  EXPECT_TRUE(step().empty());

  gone(disk(1), "removed");
  put_bay(1, {}, "on");
  EXPECT_TRUE(step().empty());
  put_disk("dev://wwn=99", "NEW", "blank");
  put_bay(1, {"dev://wwn=99"}, "on");
  const Lines replaced = step_all_done();
  ASSERT_EQ(replaced.size(), 1u);
  EXPECT_EQ(
      replaced[0],
      R"(replace zfs://pool=1/vdev=1 {"blank":true,"device":"dev://wwn=99","path":"/dev/sdNEW"})");
  put_vdev(1, {{"service", "out-of-service"}, {"spare", "active"}, {"replacing", vdev(9)}});
  EXPECT_TRUE(step().empty());
  engine->on_inventory({"test", {}, {{vdev(1), "replaced", vdev(9)}}, false}, now);
  EXPECT_EQ(only_case().state, CaseState::resolved);
  EXPECT_EQ(step_all_done(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOff}));
  put_bay(1, {"dev://wwn=99"}, "off");
  now += 10 * kSecond;
  EXPECT_TRUE(step().empty());
}

TEST_F(ReconcilerTest, WaitsForTheScrubButNotWithTheLed) {
  put_vdev(1, {{"busy", "scrub"}});
  convict(1);
  EXPECT_EQ(step_all_done(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOn}));
  EXPECT_EQ(action_state("retire"), "waiting");
  put_bay(1, {disk(1)}, "on");
  put_vdev(1, {});
  EXPECT_EQ(step_all_done(),
            (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"degraded","unless_busy":"scrub"})"}));
}

TEST_F(ReconcilerTest, GettingWorseEndsTheWait) {
  put_vdev(1, {{"busy", "scrub"}});
  convict(1);
  step_all_done();
  convict(1, "ereport.t.worse");
  ASSERT_EQ(engine->cases().size(), 1u);
  put_bay(1, {disk(1)}, "on");
  EXPECT_EQ(step_all_done(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"degraded"})"}));
}

TEST_F(ReconcilerTest, LastCopyIsRefusedWithTheReasonOnTheCase) {
  put_vdev(1, {{"retire_refusal", "last copy: pool 'tank' has no redundancy"}});
  convict(1);
  EXPECT_EQ(step_all_done(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOn}));
  EXPECT_EQ(action_state("retire"), "refused");
  EXPECT_NE(only_case().actions.at("retire").detail.find("no redundancy"), std::string::npos);
  const auto& timeline = only_case().timeline;
  const auto told = std::count_if(timeline.begin(), timeline.end(), [](const TimelineEntry& t) {
    return t.text.find("no redundancy") != std::string::npos;
  });
  EXPECT_EQ(told, 1);
  step();
  step();
  EXPECT_EQ(std::count_if(timeline.begin(), timeline.end(),
                          [](const TimelineEntry& t) {
                            return t.text.find("no redundancy") != std::string::npos;
                          }),
            1);
}

TEST_F(ReconcilerTest, BlastRadius) {
  convict(1);
  step_all_done();
  put_vdev(1, {{"service", "degraded"}, {"spare", "active"}});
  convict(2);
  step_all_done();
  put_vdev(2, {{"service", "degraded"}, {"spare", "active"}});
  convict(3);
  for (const std::string& line : step_all_done())
    EXPECT_EQ(line.find("retire zfs://pool=1/vdev=3"), std::string::npos) << line;
  const Case* third = engine->find_case("case-3");
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(third->actions.at("retire").state, "refused");
  EXPECT_NE(third->actions.at("retire").detail.find("blast-radius"), std::string::npos);
}

TEST_F(ReconcilerTest, LostLedIsLitAgainWithANewKey) {
  convict(1);
  std::string first_key;
  for (const Command& c : step()) {
    if (c.name == "set_led") first_key = c.key;
    finish(c);
  }
  put_vdev(1, {{"service", "degraded"}, {"spare", "active"}});
  now += 10 * kSecond;
  bool again = false;
  for (const Command& c : step())
    if (c.name == "set_led") {
      again = true;
      EXPECT_NE(c.key, first_key);
    }
  EXPECT_TRUE(again);
}

TEST_F(ReconcilerTest, FailedCommandBacksOff) {
  convict(1);
  for (const Command& c : step()) finish(c, "failed", "cannot be driven: written 1, reads back 0");
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action_state("led " + bay(1)), "failed");
  now += kSecond;
  EXPECT_EQ(step().size(), 2u);
}

TEST_F(ReconcilerTest, OneFlightPerResource) {
  convict(1);
  EXPECT_EQ(step().size(), 2u);
  EXPECT_TRUE(step().empty());
}

TEST_F(ReconcilerTest, RestartInFlightRepeatsTheKey) {
  convict(1);
  std::string key;
  for (const Command& c : step())
    if (c.name == "retire") key = c.key;
  Reconciler after(*engine, ActionConfig{});
  std::string again;
  for (const Command& c : after.step(now, [](std::string_view) { return true; }))
    if (c.name == "retire") again = c.key;
  EXPECT_EQ(again, key);
}

TEST_F(ReconcilerTest, DryRunTouchesNothing) {
  ActionConfig config;
  config.dry_run = true;
  reconciler->set_config(config);
  convict(1);
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action_state("retire"), "dry-run");
  reconciler->set_config(ActionConfig{});
  EXPECT_EQ(step().size(), 2u);
}

TEST_F(ReconcilerTest, NoSecondSpareWhenErrorsHaveStopped) {
  convict(1);
  step_all_done();
  put_bay(1, {disk(1)}, "on");
  put_vdev(1, {{"service", "degraded"}});
  EXPECT_EQ(step_all_done(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
  put_vdev(1, {{"service", "degraded"}, {"spare", "active"}, {"busy", "resilver"}});
  step_all_done();
  now += 100 * kSecond;
  put_vdev(1, {{"service", "degraded"}});  // somebody detached the spare
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action_state("spare"), "lost");
  now += 100 * kSecond;
  EXPECT_TRUE(step().empty());
  convict(1);
  EXPECT_EQ(step_all_done(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
}

TEST_F(ReconcilerTest, UsedDiskIsNotTakenAsReplacement) {
  convict(1);
  step_all_done();
  put_vdev(1, {{"service", "out-of-service"}, {"spare", "active"}});
  gone(disk(1), "removed");
  put_disk("dev://wwn=99", "NEW", "used");
  put_bay(1, {"dev://wwn=99"}, "on");
  now += 10 * kSecond;
  EXPECT_TRUE(step_all_done().empty());
  EXPECT_EQ(action_state("replace"), "waiting");
  EXPECT_NE(only_case().actions.at("replace").detail.find("not blank"), std::string::npos);
}

TEST_F(ReconcilerTest, RepairedByAdministratorIsGivenBack) {
  convict(1);
  step_all_done();
  put_bay(1, {disk(1)}, "on");
  put_vdev(1, {{"service", "degraded"}});
  step_all_done();
  put_vdev(1, {{"service", "degraded"}, {"spare", "active"}});
  now += 10 * kSecond;
  ASSERT_TRUE(engine->judge(Engine::Verdict::repaired, "case-1", "", "root", now).has_value());
  EXPECT_EQ(step_all_done(),
            (Lines{"restore zfs://pool=1/vdev=1 {}", "set_led hc://chassis=c/bay=1 " + kLedOff}));
  put_bay(1, {disk(1)}, "off");
  put_vdev(1, {{"spare", "active"}});
  now += 10 * kSecond;
  EXPECT_EQ(only_case().state, CaseState::resolved);
  EXPECT_EQ(step_all_done(), (Lines{"spare_out zfs://pool=1/vdev=1 {}"}));
  put_vdev(1, {});
  now += 10 * kSecond;
  EXPECT_TRUE(step().empty());
}

// The disk's own word opened the case: nothing can be retired until ZFS's evidence brings the vdev
// into it.
TEST_F(ReconcilerTest, TheSecondSuspectIsRetired) {
  for (int i = 1; i <= 3; ++i)
    put(disk(i), "disk", {{"serial", "S"}, {"smart.status", i == 1 ? "failed" : "passed"}}, {});
  EXPECT_EQ(step_all_done(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOn}));
  put_bay(1, {disk(1)}, "on");
  EXPECT_TRUE(step_all_done().empty());
  convict(1);
  EXPECT_EQ(engine->cases().size(), 1u);
  EXPECT_EQ(step_all_done(),
            (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"degraded","unless_busy":"scrub"})"}));
  put_vdev(1, {{"service", "degraded"}});
  EXPECT_EQ(step_all_done(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
  EXPECT_EQ(action_state("retire " + vdev(1)), "done");
  put_vdev(1, {{"service", "degraded"}, {"spare", "active"}});
  now += 10 * kSecond;
  EXPECT_EQ(step_all_done(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"out-of-service"})"}));
  put_vdev(1, {{"service", "out-of-service"}, {"spare", "active"}});
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(only_case().state, CaseState::closed);
  // It counts against the blast radius like any other.
  convict(2);
  step_all_done();
  EXPECT_EQ(engine->find_case("case-2")->actions.at("retire").state, "done");
  put_vdev(2, {{"service", "degraded"}});
  convict(3);
  step_all_done();
  EXPECT_EQ(engine->find_case("case-3")->actions.at("retire").state, "refused");
}

}  // namespace
}  // namespace fmd::test
