#include "fmd/hub/plugin_table.h"

#include <gtest/gtest.h>

namespace fmd::plugin_table_test {
namespace {

constexpr int64_t kSecond = 1000000000;

PluginHello hello(const std::string& name, int64_t beat_ms = 1000) {
  PluginHello out;
  out.name = name;
  out.heartbeat_ms = beat_ms;
  return out;
}

TEST(PluginTable, SilentAfterThreeMissedHeartbeatsAndBackWithTheNextWord) {
  PluginTable table;
  EXPECT_FALSE(table.connected(hello("zfs"), 1, {}, 0, 0));
  table.seen("zfs", 10 * kSecond, 0);
  EXPECT_EQ(table.next_check_ns(), 13 * kSecond);
  EXPECT_TRUE(table.check(13 * kSecond - 1, false).empty());
  const auto found = table.check(13 * kSecond, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].event_class, "ereport.fmd.plugin.silent");
  EXPECT_EQ(found[0].name, "zfs");
  EXPECT_TRUE(table.check(20 * kSecond, false).empty()) << "said once";
  EXPECT_EQ(table.find("zfs")->shown_state(), "silent");
  const auto back = table.seen("zfs", 21 * kSecond, 0);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->event_class, "sysevent.fmd.plugin.back");
  EXPECT_FALSE(table.seen("zfs", 22 * kSecond, 0));
}

TEST(PluginTable, DeadAfterThirtySecondsAway) {
  PluginTable table;
  table.connected(hello("zfs"), 1, {}, 0, 0);
  table.disconnected("zfs", 5 * kSecond);
  EXPECT_EQ(table.next_check_ns(), 35 * kSecond);
  EXPECT_TRUE(table.check(35 * kSecond - 1, false).empty());
  const auto found = table.check(35 * kSecond, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].event_class, "ereport.fmd.plugin.dead");
  EXPECT_TRUE(table.check(100 * kSecond, false).empty());
  const auto back = table.connected(hello("zfs"), 2, {}, 101 * kSecond, 0);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->event_class, "sysevent.fmd.plugin.back");
}

TEST(PluginTable, BackWithinThirtySecondsIsNoNews) {
  PluginTable table;
  table.connected(hello("zfs"), 1, {}, 0, 0);
  table.disconnected("zfs", 5 * kSecond);
  EXPECT_FALSE(table.connected(hello("zfs"), 2, {}, 30 * kSecond, 0));
  EXPECT_TRUE(table.check(32 * kSecond, false).empty());
}

TEST(PluginTable, ASilentOneThatThenDiesIsDead) {
  PluginTable table;
  table.connected(hello("zfs"), 1, {}, 0, 0);
  EXPECT_EQ(table.check(3 * kSecond, false).size(), 1u);
  table.disconnected("zfs", 4 * kSecond);
  const auto found = table.check(34 * kSecond, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].event_class, "ereport.fmd.plugin.dead");
}

TEST(PluginTable, ScriptsMayComeAndGoAndSayNothing) {
  PluginTable table;
  PluginHello script = hello("script");
  script.transient = true;
  table.connected(script, 1, {}, 0, 0);
  EXPECT_TRUE(table.check(1000 * kSecond, false).empty());
  table.disconnected("script", 1000 * kSecond);
  EXPECT_EQ(table.find("script"), nullptr);
  EXPECT_FALSE(table.next_check_ns());
}

TEST(PluginTable, KnownFromBeforeARestartIsExpectedBack) {
  PluginTable table;
  table.expect("zfs", "1.0", "ok", "", true, 1000 * kSecond);
  table.expect("old", "1.0", "dead", "", true, 1000 * kSecond);
  table.expect("mute", "1.0", "silent", "", true, 1000 * kSecond);
  EXPECT_TRUE(table.connected(hello("mute"), 2, {}, 1001 * kSecond, 0))
      << "its case is to be closed";
  table.seen("mute", 1030 * kSecond, 0);
  const auto found = table.check(1030 * kSecond, false);
  ASSERT_EQ(found.size(), 1u) << "the other's death is known already";
  EXPECT_EQ(found[0].name, "zfs");
  EXPECT_TRUE(table.connected(hello("old"), 1, {}, 1031 * kSecond, 0));
}

// Its case must not close and open again by that, nor what was acquitted of it be forgotten.
TEST(PluginTable, AStartIsNoRecovery) {
  PluginTable table;
  table.expect("smart", "1.0", "degraded", "no smartctl", true, 1000 * kSecond);
  table.expect("gone", "1.0", "dead", "x", true, 1000 * kSecond);
  table.connected(hello("smart"), 1, {}, 1001 * kSecond, 0);
  table.connected(hello("gone"), 2, {}, 1001 * kSecond, 0);
  table.connected(hello("new"), 3, {}, 1001 * kSecond, 0);
  EXPECT_EQ(table.find("smart")->shown_state(), "degraded");
  EXPECT_EQ(table.find("smart")->reason, "no smartctl");
  EXPECT_EQ(table.find("gone")->shown_state(), "ok");
  EXPECT_EQ(table.find("new")->shown_state(), "ok");
  table.disconnected("smart", 1002 * kSecond);
  table.connected(hello("smart"), 4, {}, 1003 * kSecond, 0);
  EXPECT_EQ(table.find("smart")->shown_state(), "degraded");
}

TEST(PluginTable, NoneIsDeadThatAStartingMachineHasNotComeToYet) {
  PluginTable table;
  table.expect("zfs", "1.0", "ok", "", true, 20 * kSecond);
  EXPECT_TRUE(table.check(299 * kSecond, false).empty());
  EXPECT_EQ(table.next_check_ns(), 300 * kSecond);
  EXPECT_EQ(table.check(300 * kSecond, false).size(), 1u);
  table.expect("late", "1.0", "ok", "", true, 290 * kSecond);
  EXPECT_TRUE(table.check(319 * kSecond, false).empty()) << "fmd itself came late";
  EXPECT_EQ(table.check(320 * kSecond, false).size(), 1u);
  table.connected(hello("mail"), 1, {}, 0, 0);
  table.disconnected("mail", 5 * kSecond);
  EXPECT_EQ(table.check(35 * kSecond, false).size(), 1u) << "it had been here";
}

class PluginUnits : public testing::Test {
 protected:
  PluginUnits() {
    table_.connected(hello("smart"), 1, {}, 100 * kSecond, 0);
    EXPECT_EQ(told(UnitState::runs, 101).finding, std::nullopt);
  }
  PluginTable::Told told(UnitState unit, int64_t second) {
    return table_.told("smart", unit, second * kSecond);
  }
  void leave(int64_t second) { table_.disconnected("smart", second * kSecond); }
  void come(int64_t second) {
    back_ = table_.connected(hello("smart"), 2, {}, second * kSecond, 0);
  }
  // The class of what the watch finds by then; "" nothing.
  std::string found(int64_t second) {
    const auto all = table_.check(second * kSecond, false);
    return all.empty() ? "" : all.front().event_class;
  }
  std::string state() const {
    const PluginRecord* record = table_.find("smart");
    return record ? record->shown_state() : "forgotten";
  }

  static constexpr const char* kDead = "ereport.fmd.plugin.dead";
  PluginTable table_;
  std::optional<PluginFinding> back_;
};

TEST_F(PluginUnits, WhatAnAdministratorDisabledIsNotDead) {
  leave(200);
  const auto put = told(UnitState::disabled, 205);
  ASSERT_TRUE(put.finding);
  EXPECT_EQ(put.finding->event_class, "sysevent.fmd.plugin.stopped");
  EXPECT_EQ(put.finding->reason, "fmd-smart.service is disabled");
  EXPECT_EQ(state(), "disabled");
  EXPECT_EQ(found(10000), "");
  EXPECT_FALSE(told(UnitState::disabled, 10000).changed) << "no news";
  come(20000);
  EXPECT_FALSE(back_) << "nobody missed it";
  EXPECT_EQ(state(), "ok");
}

TEST_F(PluginUnits, StoppedFirstAndDisabledLater) {
  leave(200);
  EXPECT_TRUE(told(UnitState::stopped, 205).finding);
  EXPECT_EQ(state(), "stopped");
  const auto disabled = told(UnitState::disabled, 300);
  EXPECT_TRUE(disabled.changed);
  EXPECT_FALSE(disabled.finding) << "told already";
  EXPECT_EQ(state(), "disabled");
}

TEST_F(PluginUnits, WhatSystemdGoesOnStartingIsDead) {
  leave(200);
  EXPECT_FALSE(told(UnitState::runs, 210).changed) << "it crashes again and again";
  EXPECT_EQ(found(230), kDead);
}

TEST_F(PluginUnits, WhatFailedIsDeadUntilItIsDisabled) {
  leave(200);
  told(UnitState::failed, 210);
  const auto dead = table_.check(230 * kSecond, false);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].reason, "it has not been connected for 30 s, and fmd-smart.service has failed");
  const auto put = told(UnitState::disabled, 500);
  ASSERT_TRUE(put.finding) << "its case is to be closed";
  EXPECT_EQ(state(), "disabled");
}

TEST_F(PluginUnits, StartedAgainItHasItsTimeToCome) {
  leave(400);
  told(UnitState::stopped, 405);
  EXPECT_TRUE(told(UnitState::runs, 1000).changed);
  EXPECT_EQ(state(), "ok");
  EXPECT_EQ(found(1029), "");
  EXPECT_EQ(found(1030), kDead);
}

TEST_F(PluginUnits, AnUpgradeIsNoNews) {
  leave(200);
  told(UnitState::stopped, 203);
  come(206);
  EXPECT_FALSE(back_);
  EXPECT_EQ(state(), "ok");
  leave(300);
  EXPECT_EQ(state(), "ok") << "what was said before it came tells nothing now";
  EXPECT_EQ(found(330), kDead);
}

TEST_F(PluginUnits, ALateWordOfTheLastStopDoesNotTouchOneThatIsHere) {
  leave(200);
  come(201);
  EXPECT_FALSE(told(UnitState::stopped, 202).finding);
  EXPECT_FALSE(told(UnitState::absent, 202).removed);
  EXPECT_EQ(state(), "ok");
}

TEST_F(PluginUnits, RemovedWithItsPackageItIsForgotten) {
  leave(200);
  const auto gone = told(UnitState::absent, 205);
  EXPECT_TRUE(gone.removed);
  ASSERT_TRUE(gone.finding);
  EXPECT_EQ(gone.finding->reason, "fmd-smart.service has been removed");
  EXPECT_EQ(state(), "forgotten");
}

TEST_F(PluginUnits, WhatNeverHadAUnitDies) {
  table_.connected(hello("script"), 5, {}, 100 * kSecond, 0);
  table_.disconnected("script", 200 * kSecond);
  EXPECT_FALSE(table_.told("script", UnitState::absent, 205 * kSecond).removed);
  table_.check(230 * kSecond, false);
  EXPECT_EQ(table_.find("script")->shown_state(), "dead");
}

TEST_F(PluginUnits, WhatASilentOneWasIsOverWhenItIsStopped) {
  EXPECT_EQ(found(200), "ereport.fmd.plugin.silent");
  leave(210);
  EXPECT_TRUE(told(UnitState::disabled, 215).finding);
  EXPECT_EQ(state(), "disabled");
}

TEST_F(PluginUnits, OverARestartOfFmd) {
  PluginTable table;
  table.expect("away", "1", "disabled", "", true, 1000 * kSecond);
  table.expect("rested", "1", "stopped", "", true, 1000 * kSecond);
  EXPECT_TRUE(table.check(5000 * kSecond, false).empty());
  // The machine was restarted: a plugin that was only stopped is started, and does not connect.
  EXPECT_TRUE(table.told("rested", UnitState::runs, 5000 * kSecond).changed);
  const auto found = table.check(5030 * kSecond, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "rested");
  EXPECT_EQ(table.find("away")->shown_state(), "disabled");
}

TEST_F(PluginUnits, EachDeathBetweenTwoComingsIsTold) {
  EXPECT_FALSE(table_.restarted("smart", 3)) << "what was before fmd came is no news";
  EXPECT_FALSE(table_.restarted("smart", 3));
  leave(200);
  come(202);
  const auto again = table_.restarted("smart", 4);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->event_class, "ereport.fmd.plugin.restarted");
  EXPECT_EQ(again->name, "smart");
  EXPECT_EQ(again->reason,
            "fmd-smart.service ended unexpectedly; systemd has restarted it 4 times since it was "
            "started");
  EXPECT_FALSE(table_.restarted("smart", 4)) << "told";
  leave(300);
  come(302);
  leave(303);
  EXPECT_TRUE(table_.restarted("smart", 6)) << "it was here, if only for a moment";
  EXPECT_FALSE(table_.restarted("smart", 9)) << "it does not even connect: that is another fault";
}

TEST_F(PluginUnits, APersonsRestartAndAnUpgradeAreNone) {
  table_.restarted("smart", 3);
  for (int64_t at = 200; at < 300; at += 10) {
    leave(at);
    come(at + 2);
    EXPECT_FALSE(table_.restarted("smart", 0)) << "systemd counts anew";
  }
  leave(300);
  come(302);
  EXPECT_TRUE(table_.restarted("smart", 1));
}

TEST_F(PluginUnits, AreAskedForWhileItMatters) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(table_.to_ask(102 * kSecond), Names{"smart"}) << "how often it was restarted";
  EXPECT_EQ(table_.to_ask(150 * kSecond), Names()) << "its unit is known, and it is here";
  leave(200);
  EXPECT_EQ(table_.to_ask(201 * kSecond), Names{"smart"});
  EXPECT_EQ(table_.to_ask(206 * kSecond), Names());
  EXPECT_EQ(table_.to_ask(209 * kSecond), Names{"smart"}) << "in time for a second answer";
  told(UnitState::disabled, 210);
  EXPECT_EQ(table_.to_ask(220 * kSecond), Names());
  EXPECT_EQ(table_.to_ask(224 * kSecond), Names{"smart"});
  PluginHello script = hello("script");
  script.transient = true;
  table_.connected(script, 3, {}, 270 * kSecond, 0);
  table_.connected(hello("new"), 4, {}, 270 * kSecond, 0);
  EXPECT_EQ(table_.to_ask(271 * kSecond), (Names{"new", "smart"}));
  EXPECT_EQ(table_.to_ask(280 * kSecond), Names()) << "seldom";
  table_.told("new", UnitState::runs, 281 * kSecond);
  EXPECT_EQ(table_.to_ask(290 * kSecond), Names{"smart"});
}

TEST(PluginTable, AForgottenPluginIsNotExpectedBack) {
  PluginTable table;
  table.connected(hello("old"), 1, {}, 0, 0);
  EXPECT_FALSE(table.forget("old")) << "it is here";
  table.disconnected("old", 0);
  EXPECT_TRUE(table.forget("old"));
  EXPECT_TRUE(table.check(100 * kSecond, false).empty());
}

TEST(PluginTable, SilenceWhileNobodyListensProvesNothing) {
  PluginTable table;
  table.connected(hello("zfs"), 1, {}, 0, 0);
  EXPECT_TRUE(table.check(60 * kSecond, true).empty());
  EXPECT_TRUE(table.check(62 * kSecond, false).empty());
  EXPECT_EQ(table.check(63 * kSecond, false).size(), 1u);
}

}  // namespace
}  // namespace fmd::plugin_table_test
