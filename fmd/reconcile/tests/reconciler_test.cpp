// What a faulty case makes the reconciler do, step by step.
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

const std::string kDegrade =
    R"(retire zfs://pool=1/vdev=1 {"to":"degraded","unless_busy":"scrub"})";

TEST_F(ReconcilerTest, WithLightsOnlyTheRestWaitsForTheNextStep) {
  convict(1);
  const auto all = [this](std::string_view) { return plugins; };
  const auto lights = reconciler->step(now, all, Reconciler::Scope::lights);
  ASSERT_EQ(lights.size(), 1u);
  EXPECT_EQ(line(lights[0]), "set_led hc://chassis=c/bay=1 " + kLedOn);
  finish(lights[0]);
  take_effect(lights[0]);
  EXPECT_TRUE(reconciler->step(now, all, Reconciler::Scope::lights).empty());
  EXPECT_EQ(act(), (Lines{kDegrade})) << "planned as things are now";
}

TEST_F(ReconcilerTest, WholeStory) {
  EXPECT_TRUE(step().empty());
  convict(1);
  EXPECT_EQ(act(), (Lines{kDegrade, "set_led hc://chassis=c/bay=1 " + kLedOn}));
  EXPECT_EQ(act(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action(ActionKind::out_of_service, vdev(1)), "waiting busy");
  resilvered(1);
  wait(10);
  EXPECT_EQ(act(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"out-of-service"})"}));
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(state(), "CLOSED");
  EXPECT_EQ(table(),
            "retire 1 case-1 in-force, spare 1 case-1 in-force, fault-led 1 case-1 in-force");

  gone(disk(1), "removed");
  put_bay(1, {}, "on");
  EXPECT_TRUE(step().empty());
  put_disk("dev://wwn=99", "NEW", "blank");
  put_bay(1, {"dev://wwn=99"}, "on");
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(
      line(sent[0]),
      R"(replace zfs://pool=1/vdev=1 {"blank":true,"device":"dev://wwn=99","path":"/dev/sdNEW","serial":"NEW"})");
  finish(sent[0]);
  put_vdev(1, {{"replacing", vdev(9)}});
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "resilvering");
  gone(vdev(1), "replaced", vdev(9));
  const auto off = step();
  ASSERT_EQ(off.size(), 1u);
  EXPECT_EQ(line(off[0]), "set_led hc://chassis=c/bay=1 " + kLedOff);
  EXPECT_EQ(state(), "REPAIRED") << "the light is owed";
  finish(off[0]);
  put_bay(1, {"dev://wwn=99"}, "off");
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(state(), "RESOLVED");
  EXPECT_EQ(standing(), "") << "nothing stands on a case that is over";
  EXPECT_EQ(table(), "");
  wait(3600);
  EXPECT_TRUE(step().empty());
}

TEST_F(ReconcilerTest, WaitsForTheScrubButNotWithTheLed) {
  put_vdev(1, {{"busy", "scrub"}});
  convict(1);
  EXPECT_EQ(act(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOn}));
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "waiting busy");
  const auto& timeline = the_case().timeline;
  EXPECT_TRUE(std::any_of(timeline.begin(), timeline.end(), [](const auto& entry) {
    return entry.kind == "retire" &&
           entry.text.ends_with(" is not marked degraded until the scrub has ended");
  }));
  put_vdev(1, {{"busy", ""}});
  EXPECT_EQ(act(), (Lines{kDegrade}));
}

TEST_F(ReconcilerTest, AnExpansionIsAsBusyAsAScrub) {
  put_vdev(1, {{"busy", "expand"}});
  convict(1);
  act();
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "waiting busy");
  convict(1, "ereport.t.worse");
  EXPECT_EQ(act(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"degraded"})"}));
}

TEST_F(ReconcilerTest, GettingWorseEndsTheWait) {
  put_vdev(1, {{"busy", "scrub"}});
  convict(1);
  act();
  convict(1, "ereport.t.worse");
  ASSERT_EQ(engine->cases().size(), 1u);
  EXPECT_EQ(act(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"degraded"})"}));
}

TEST_F(ReconcilerTest, TheLastCopyIsDegradedAndGetsTheSpare) {
  put_vdev(1, {{"retire_refusal", "last copy: pool 'tank' has no redundancy"}});
  convict(1);
  EXPECT_EQ(act(), (Lines{kDegrade}));
  EXPECT_EQ(act(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"})) << "nothing needs a spare more";
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "done");
  EXPECT_EQ(action(ActionKind::fault_led, bay(1)), "refused last-copy");
  put_vdev(1, {{"retire_refusal", ""}, {"spare", "active"}, {"busy", ""}});
  EXPECT_EQ(act(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"out-of-service"})",
                          "set_led hc://chassis=c/bay=1 " + kLedOn}))
      << "the spare holds its data";
}

// Plugins name parts by FMRIs; timelines have the name that is printed on the machine.
TEST_F(ReconcilerTest, AnAnswerNamesThePartByItsBay) {
  convict(1);
  const auto sent = step();
  ASSERT_FALSE(sent.empty());
  for (const Command& command : sent)
    finish(command, CommandStatus::done, command.resource + " of pool 'tank' is DEGRADED");
  std::string all;
  for (const TimelineEntry& entry : the_case().timeline) all += entry.text + "\n";
  EXPECT_NE(all.find("SLOT 01 of pool 'tank' is DEGRADED"), std::string::npos) << all;
  EXPECT_EQ(all.find("zfs://"), std::string::npos) << all;
}

// If a person pulls the disk or takes it offline, the timeline has one line about it.
class OneLineTest : public ReconcilerTest {
 protected:
  // The new lines.
  std::string after(const char* state, const char* service) {
    const size_t before = the_case().timeline.size();
    put_vdev(1, {{"state", state}, {"service", service}, {"retired_by", ""}});
    act();
    std::string lines;
    for (size_t i = before; i < the_case().timeline.size(); ++i)
      lines += (lines.empty() ? "" : "\n") + the_case().timeline[i].text;
    return lines;
  }
  void degrade() {
    convict(1);
    for (int i = 0; i < 3; ++i) act();
  }
};

TEST_F(OneLineTest, PullingADegradedDisk) {
  degrade();
  EXPECT_EQ(after("REMOVED", "removed"), "vdev1, which was in SLOT 01, is REMOVED");
}

TEST_F(OneLineTest, PullingAFaultedDisk) {
  retire_fully(1);
  EXPECT_EQ(after("REMOVED", "removed"), "vdev1, which was in SLOT 01, is REMOVED");
}

TEST_F(OneLineTest, TakingADegradedDiskOffline) {
  degrade();
  EXPECT_EQ(after("OFFLINE", "out-of-service"), "vdev1 is OFFLINE, which was not fmd's doing");
}

TEST_F(OneLineTest, TakingAFaultedDiskOffline) {
  retire_fully(1);
  EXPECT_EQ(after("OFFLINE", "out-of-service"), "vdev1 is OFFLINE, which was not fmd's doing");
}

TEST_F(ReconcilerTest, LastCopyIsRefusedWithTheReasonOnTheCaseOnce) {
  put_vdev(1, {{"retire_refusal", "last copy: pool 'tank' has no redundancy"},
               {"spares_available", "0"}});
  convict(1);
  act();
  EXPECT_EQ(action(ActionKind::out_of_service, vdev(1)), "refused last-copy")
      << "told with the verdict";
  EXPECT_EQ(act(), (Lines{}));
  EXPECT_EQ(action(ActionKind::out_of_service, vdev(1)), "refused last-copy");
  for (int i = 0; i < 3; ++i) {
    wait(60);
    reconciler->resource_changed(vdev(1));
    step();
  }
  const auto& timeline = the_case().timeline;
  EXPECT_EQ(std::count_if(timeline.begin(), timeline.end(),
                          [](const TimelineEntry& t) {
                            return t.text.find("no redundancy") != std::string::npos;
                          }),
            1);
  put_vdev(1, {{"retire_refusal", ""}, {"spares_available", "0"}});
  EXPECT_EQ(act(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOn}))
      << "another copy is there again";
}

TEST_F(ReconcilerTest, WhatMayNotEvenBeDegradedGetsItsSpareAllTheSame) {
  put_vdev(1, {{"degrade_refusal", "pool 'tank' is suspended"},
               {"retire_refusal", "pool 'tank' is suspended"}});
  convict(1);
  EXPECT_EQ(act(),
            (Lines{"set_led hc://chassis=c/bay=1 " + kLedOn, "spare_in zfs://pool=1/vdev=1 {}"}));
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "refused last-copy");
}

const std::string kSpareIn = "spare_in zfs://pool=1/vdev=1 {}";
const std::string kFault = R"(retire zfs://pool=1/vdev=1 {"to":"out-of-service"})";

TEST_F(ReconcilerTest, WhatCannotBeDegradedGetsItsSpareAllTheSame) {
  const auto degrading_fails = [&] {
    std::vector<std::string> sent;
    for (const Command& c : step()) {
      if (c.name != CommandName::set_led) sent.push_back(line(c));
      const bool degrades = c.args.find("degraded") != std::string::npos;
      finish(c, degrades ? CommandStatus::failed : CommandStatus::done, "no libzfs found");
      if (!degrades) take_effect(c);
    }
    return sent;
  };
  convict(1);
  EXPECT_EQ(degrading_fails(), (Lines{kDegrade}));
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "failed error");
  EXPECT_EQ(degrading_fails(), (Lines{kSpareIn}));
  for (int i = 0; i < 5; ++i, wait(30))
    for (const std::string& sent : degrading_fails()) EXPECT_EQ(sent, kDegrade);
  resilvered(1);
  EXPECT_EQ(degrading_fails(),
            (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"out-of-service","unless_busy":"scrub"})"}))
      << "zpool offline -f may be possible";
  EXPECT_TRUE(degrading_fails().empty());
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "done");
  EXPECT_EQ(action(ActionKind::out_of_service, vdev(1)), "done");
  EXPECT_EQ(state(), "CLOSED");
}

// Degraded, and the spare full at once; then it goes no sooner than after two minutes.
class Patient : public ReconcilerTest {
 protected:
  Patient() {
    rule_text.replace(rule_text.find("then = "), 0,
                      "then_after = \"2min\"\nthen_grace = \"30s\"\n");
  }
  void degrade() {
    convict(1);
    act();
    act();
    wait(5);
    resilvered(1);
    ASSERT_EQ(act(), Lines{});
    ASSERT_EQ(action(ActionKind::out_of_service, vdev(1)), "waiting busy");
  }
};

TEST_F(Patient, ADegradedDiskGoesAfterItsTime) {
  degrade();
  EXPECT_EQ(reconciler->next_deadline_ns(), now.steady_ns + 115 * kSecond);
  wait(114);
  EXPECT_EQ(act(), Lines{});
  restart();
  vdevs[1]["note"] = "told again";
  put_vdev(1, {});
  EXPECT_EQ(act(), Lines{});
  EXPECT_EQ(reconciler->next_deadline_ns(), now.steady_ns + kSecond) << "also over a restart";
  wait(1);
  EXPECT_EQ(act(), (Lines{kFault}));
}

TEST_F(Patient, UnlessItsErrorsGoOn) {
  degrade();
  wait(20);
  convict(1);
  EXPECT_EQ(act(), Lines{}) << "they may have been under way";
  wait(20);
  convict(1);
  EXPECT_EQ(act(), (Lines{kFault}));
}

TEST_F(Patient, AClearMeanwhileTakesAllOfItBack) {
  degrade();
  wait(60);
  put_vdev(1, {{"service", "in-service"}, {"state", "ONLINE"}, {"retired_by", ""}});
  judge(Engine::Verdict::repaired, "case-1");
  EXPECT_EQ(act(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOff,
                          "spare_out zfs://pool=1/vdev=1 KEY"}));
  wait(200);
  EXPECT_EQ(act(), Lines{});
  EXPECT_EQ(state(), "RESOLVED");
}

TEST_F(Patient, WhatWasTriedAndFailedIsNotHeldAgain) {
  degrade();
  wait(116);
  for (const Command& c : step()) finish(c, CommandStatus::failed, "no");
  wait(2);
  EXPECT_EQ(act(), (Lines{kFault}));
}

TEST_F(Patient, OneThatZedDegradedIsHeldFromItsCaseOn) {
  put_vdev(1, {{"service", "degraded"}, {"state", "DEGRADED"}});
  convict(1);
  act();
  act();
  resilvered(1);
  EXPECT_EQ(act(), Lines{});
  wait(120);
  EXPECT_EQ(act(), (Lines{kFault}));
}

TEST_F(ReconcilerTest, LostLedIsLitAgainWithANewKey) {
  convict(1);
  std::string first_key;
  for (const Command& c : step()) {
    if (c.name == CommandName::set_led) first_key = c.key;
    finish(c);
    take_effect(c);
  }
  act();
  ASSERT_NE(first_key, "");
  put_bay(1, {disk(1)}, "off");
  wait(10);
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(line(sent[0]), "set_led hc://chassis=c/bay=1 " + kLedOn);
  EXPECT_NE(sent[0].key, first_key);
}

TEST_F(ReconcilerTest, FailedCommandBacksOff) {
  put_vdev(1, {{"spares_available", "0"}});
  convict(1);
  for (const Command& c : step())
    finish(c, CommandStatus::failed, "cannot be driven: written 1, reads back 0");
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action(ActionKind::fault_led, bay(1)), "failed error");
  EXPECT_EQ(reconciler->next_deadline_ns(), now.steady_ns + kSecond);
  wait(1);
  const auto again = step();
  EXPECT_EQ(again.size(), 2u);
  for (const Command& c : again) finish(c, CommandStatus::failed, "no");
  wait(1);
  EXPECT_TRUE(step().empty()) << "the second wait is 2 s";
  wait(1);
  EXPECT_EQ(step().size(), 2u);
}

TEST_F(ReconcilerTest, AClockSetBackAYearDoesNotPutTheBackOffToSleep) {
  convict(1);
  for (const Command& c : step()) finish(c, CommandStatus::failed, "no");
  now = {now.wall_ns - 365LL * 86400 * kSecond, now.steady_ns + kSecond};
  EXPECT_EQ(step().size(), 2u);
}

TEST_F(ReconcilerTest, OneFlightPerPart) {
  convict(1);
  EXPECT_EQ(step().size(), 2u);
  wait(600);
  reconciler->resource_changed(vdev(1));
  EXPECT_TRUE(step().empty());
}

TEST_F(ReconcilerTest, RestartInFlightRepeatsTheKey) {
  convict(1);
  std::map<std::string, std::string> keys;
  for (const Command& c : step()) keys[c.resource] = c.key;
  restart();
  const auto again = step();
  ASSERT_EQ(again.size(), 2u);
  for (const Command& c : again) EXPECT_EQ(c.key, keys[c.resource]);
}

TEST_F(ReconcilerTest, DryRunTouchesNothing) {
  ActionConfig config;
  config.dry_run = true;
  reconciler->set_config(config);
  convict(1);
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "dry-run");
  EXPECT_EQ(table(), "");
  reconciler->set_config(ActionConfig{});
  EXPECT_EQ(step().size(), 2u);
}

TEST_F(ReconcilerTest, APluginThatComesLaterIsSentWhatWaits) {
  plugins = false;
  convict(1);
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "waiting no-plugin");
  EXPECT_EQ(table(), "");
  plugins = true;
  EXPECT_FALSE(reconciler->has_work());
  reconciler->handlers_changed();
  EXPECT_EQ(step().size(), 2u);
}

TEST_F(ReconcilerTest, NoSpareIsSaidAndTakenWhenThereIsOne) {
  put_vdev(1, {{"spares_available", "0"}});
  convict(1);
  act();
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action(ActionKind::spare, vdev(1)), "waiting no-spare");
  put_vdev(1, {{"spares_available", "1"}});
  EXPECT_EQ(act(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
}

// Otherwise each case of a pool without a spare is told twice: as if one came, and then that none does.
TEST_F(ReconcilerTest, ThatThereIsNoSpareIsKnownWithTheVerdict) {
  put_vdev(1, {{"spares_available", "0"}, {"busy", "scrub"}});
  convict(1);
  step();
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "waiting busy");
  EXPECT_EQ(action(ActionKind::spare, vdev(1)), "waiting no-spare");
  put_vdev(1, {{"spares_available", "1"}});
  EXPECT_EQ(act(), Lines{}) << "it comes with the retirement, which waits for the scrub";
  EXPECT_EQ(action(ActionKind::spare, vdev(1)), "planned");
  put_vdev(1, {{"busy", ""}});
  EXPECT_EQ(act(), (Lines{kDegrade}));
  EXPECT_EQ(act(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
}

TEST_F(ReconcilerTest, NoSecondSpareWhenErrorsHaveStopped) {
  convict(1);
  act();
  act();
  step();
  wait(100);
  put_vdev(1, {{"spare", "none"}, {"spare_key", ""}, {"busy", ""}});  // somebody detached it
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(action(ActionKind::spare, vdev(1)), "lost");
  wait(100);
  EXPECT_TRUE(step().empty());
  convict(1);
  EXPECT_EQ(act(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
}

TEST_F(ReconcilerTest, UsedDiskIsNotTakenAsReplacement) {
  retire_fully(1);
  gone(disk(1), "removed");
  put_disk("dev://wwn=99", "NEW", "used");
  put_bay(1, {"dev://wwn=99"}, "on");
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(action(ActionKind::replace, vdev(1)), "waiting not-accepted");
  put_disk("dev://wwn=99", "NEW", "blank");
  EXPECT_EQ(act().size(), 1u) << "wiped";
}

// The disk's own word opened the case: nothing can be retired until ZFS's evidence brings the vdev
// into it.
TEST_F(ReconcilerTest, TheSecondSuspectIsRetired) {
  put(disk(1), "disk", {{"serial", "S"}, {"smart.status", "failed"}}, {});
  EXPECT_EQ(act(), (Lines{"set_led hc://chassis=c/bay=1 " + kLedOn}));
  convict(1);
  EXPECT_EQ(engine->cases().size(), 1u);
  EXPECT_EQ(act(), (Lines{kDegrade}));
  EXPECT_EQ(act(), (Lines{"spare_in zfs://pool=1/vdev=1 {}"}));
  resilvered(1);
  wait(10);
  EXPECT_EQ(act(), (Lines{R"(retire zfs://pool=1/vdev=1 {"to":"out-of-service"})"}));
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(state(), "CLOSED");
}

TEST_F(ReconcilerTest, NothingChangedIsNothingLookedAt) {
  convict(1);
  act();
  act();
  step();
  EXPECT_FALSE(reconciler->has_work());
  put("hc://sensor=1", "sensor", {{"value", "21"}}, {});
  EXPECT_TRUE(step().empty());
}

}  // namespace
}  // namespace fmd::test
