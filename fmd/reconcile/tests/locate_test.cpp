// Locate lights: a person's wish, kept or held.
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

TEST_F(ReconcilerTest, LocateIsKeptAndSurvivesRestart) {
  EXPECT_FALSE(reconciler->locate("zfs://pool=1", true).has_value());
  ASSERT_TRUE(reconciler->locate(bay(3), true).has_value());
  const std::vector<StateRow> kept = reconciler->take_changes();
  ASSERT_EQ(kept.size(), 1u);
  Reconciler after(*engine, ActionConfig{});
  ASSERT_TRUE(after.restore(kept).has_value());
  const auto commands = after.step(now, [](std::string_view) { return true; });
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(commands[0].args, R"({"indication":"locate","on":true})");
  after.done(commands[0], {CommandStatus::done, false, false, ""}, now);
  put_bay(3, {disk(3)}, "off", "on");
  after.resource_changed(bay(3));
  EXPECT_TRUE(after.step(now, [](std::string_view) { return true; }).empty());
  ASSERT_TRUE(after.locate(bay(3), false).has_value());
  EXPECT_EQ(after.step(now, [](std::string_view) { return true; }).size(), 1u);
}

TEST_F(ReconcilerTest, AHeldLightGoesOutWithItsLastHolder) {
  EXPECT_FALSE(reconciler->hold_locate("zfs://pool=1", "a").has_value());
  ASSERT_TRUE(reconciler->hold_locate(bay(3), "a").has_value());
  ASSERT_TRUE(reconciler->hold_locate(bay(3), "b").has_value());
  Reconciler after(*engine, ActionConfig{});
  ASSERT_TRUE(after.restore(reconciler->take_changes()).has_value());
  EXPECT_EQ(after.locate_holders(), (std::set<std::string>{"a", "b"}));
  const auto sent = [&] {
    std::string all;
    after.resource_changed(bay(3));
    for (const Command& command : after.step(now, [](std::string_view) { return true; })) {
      after.done(command, {CommandStatus::done, false, false, ""}, now);
      all += command.args;
    }
    return all;
  };
  EXPECT_EQ(sent(), R"({"indication":"locate","on":true})");
  put_bay(3, {disk(3)}, "off", "on");
  EXPECT_EQ(after.release_locate("c"), std::vector<std::string>{});
  EXPECT_EQ(after.release_locate("a"), std::vector<std::string>{bay(3)});
  EXPECT_EQ(sent(), "");
  EXPECT_EQ(after.release_locate("b"), std::vector<std::string>{bay(3)});
  EXPECT_EQ(sent(), R"({"indication":"locate","on":false})") << "at once, back-off or not";
  EXPECT_TRUE(after.locate_holders().empty());
  put_bay(3, {disk(3)}, "off", "off");
  EXPECT_EQ(sent(), "");
  EXPECT_TRUE(after.interventions().all().empty());
  for (const StateRow& row : after.take_changes()) EXPECT_EQ(row.doc, "") << row.kind;
}

TEST_F(ReconcilerTest, AWishToStayAndAWordToPutOutGoBeforeWhoHoldsTheLight) {
  const auto anything = [](std::string_view) { return true; };
  put_bay(3, {disk(3)}, "off", "on");
  ASSERT_TRUE(reconciler->hold_locate(bay(3), "a").has_value());
  ASSERT_TRUE(reconciler->locate(bay(3), true).has_value());
  reconciler->release_locate("a");
  EXPECT_TRUE(reconciler->step(now, anything).empty()) << "somebody wants it to stay";
  ASSERT_TRUE(reconciler->hold_locate(bay(3), "b").has_value());
  ASSERT_TRUE(reconciler->locate(bay(3), false).has_value());
  EXPECT_TRUE(reconciler->locate_holders().empty());
  ASSERT_EQ(reconciler->step(now, anything).size(), 1u) << "off is off";
}

}  // namespace
}  // namespace fmd::test
