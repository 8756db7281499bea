#include "fmd/hub/plugin_table.h"

#include <gtest/gtest.h>

namespace fmd {
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
  table.expect("zfs", "1.0", "ok", 1000 * kSecond);
  table.expect("old", "1.0", "dead", 1000 * kSecond);
  table.expect("mute", "1.0", "silent", 1000 * kSecond);
  EXPECT_TRUE(table.connected(hello("mute"), 2, {}, 1001 * kSecond, 0))
      << "its case is to be closed";
  table.seen("mute", 1030 * kSecond, 0);
  const auto found = table.check(1030 * kSecond, false);
  ASSERT_EQ(found.size(), 1u) << "the other's death is known already";
  EXPECT_EQ(found[0].name, "zfs");
  EXPECT_TRUE(table.connected(hello("old"), 1, {}, 1031 * kSecond, 0));
}

TEST(PluginTable, NoneIsDeadThatAStartingMachineHasNotComeToYet) {
  PluginTable table;
  table.expect("zfs", "1.0", "ok", 20 * kSecond);
  EXPECT_TRUE(table.check(299 * kSecond, false).empty());
  EXPECT_EQ(table.next_check_ns(), 300 * kSecond);
  EXPECT_EQ(table.check(300 * kSecond, false).size(), 1u);
  table.expect("late", "1.0", "ok", 290 * kSecond);
  EXPECT_TRUE(table.check(319 * kSecond, false).empty()) << "fmd itself came late";
  EXPECT_EQ(table.check(320 * kSecond, false).size(), 1u);
  table.connected(hello("mail"), 1, {}, 0, 0);
  table.disconnected("mail", 5 * kSecond);
  EXPECT_EQ(table.check(35 * kSecond, false).size(), 1u) << "it had been here";
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

TEST(PluginTable, CommandsGoToTheLongestPrefixConnected) {
  PluginTable table;
  PluginHello all = hello("all"), pools = hello("pools");
  all.handles = {"zfs://", "outbox:mail"};
  pools.handles = {"zfs://pool=1/"};
  table.connected(all, 1, {}, 0, 0);
  table.connected(pools, 2, {}, 0, 0);
  EXPECT_EQ(table.handler_of("zfs://pool=1/vdev=2")->hello.name, "pools");
  EXPECT_EQ(table.handler_of("zfs://pool=2/vdev=2")->hello.name, "all");
  EXPECT_EQ(table.handler_of("outbox:mail")->hello.name, "all");
  EXPECT_EQ(table.handler_of("outbox:snmp"), nullptr);
  table.disconnected("pools", 0);
  EXPECT_EQ(table.handler_of("zfs://pool=1/vdev=2")->hello.name, "all");
}

}  // namespace
}  // namespace fmd
