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

TEST_F(ReconcilerTest, InDryRunNoLightIsPromised) {
  ActionConfig rehearsal;
  rehearsal.dry_run = true;
  put_bay(3, {disk(3)}, "off", "off");
  reconciler->set_config(rehearsal);
  const auto refused = reconciler->locate(bay(3), true);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().text().find("dry run is on"), std::string::npos);
  EXPECT_FALSE(reconciler->hold_locate(bay(3), "a").has_value());
  EXPECT_TRUE(reconciler->locate(bay(3), false).has_value()) << "it is off";
  put_bay(3, {disk(3)}, "off", "on");
  EXPECT_FALSE(reconciler->locate(bay(3), false).has_value()) << "it would stay on";
  EXPECT_TRUE(reconciler->step(now, [](std::string_view) { return true; }).empty());
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

// A person has lit the light of bay 3.
class LocateErrand : public ReconcilerTest {
 protected:
  void light() {
    ASSERT_TRUE(reconciler->locate(bay(3), true, "root").has_value());
    act();
    put_bay(3, {disk(3)}, "off", "on");
    act();
  }
  std::string ended() {  // what it says when it goes off
    std::string said;
    bool off = false;
    for (int round = 0; round < 3; ++round)  // one command at a time for a bay
      for (const Command& c : step()) {
        off = off || c.args == R"({"indication":"locate","on":false})";
        finish(c);
      }
    for (const std::string& line : reconciler->take_said()) said += line;
    EXPECT_EQ(off, !said.empty());
    return said;
  }
  // Lets time pass from one deadline to the next, as the daemon does. What was said last, and when.
  std::pair<std::string, int64_t> within(int64_t seconds) {
    const int64_t start = now.steady_ns;
    for (auto next = reconciler->next_deadline_ns(); next && *next <= start + seconds * kSecond;
         next = reconciler->next_deadline_ns()) {
      now = {now.wall_ns + *next - now.steady_ns, *next};
      if (std::string said = ended(); !said.empty())
        return {said, (now.steady_ns - start) / kSecond};
      if (reconciler->next_deadline_ns() == next) break;
    }
    return {};
  }
};

TEST_F(LocateErrand, EndsWhenAnotherDiskIsInTheBay) {
  light();
  put_bay(3, {}, "off", "on");
  EXPECT_EQ(ended(), "") << "whoever pulled the disk still looks for the bay";
  put_disk(disk(9), "S9", "blank");
  put_bay(3, {disk(9)}, "off", "on");
  EXPECT_EQ(ended(), "the locate LED of SLOT 03 goes off: another disk is in it");
}

TEST_F(LocateErrand, EndsWithTheCase) {
  put_vdev(3, {});
  convict(3);
  act();
  ASSERT_TRUE(reconciler->locate(bay(3), true, "root").has_value());
  step();
  put_bay(3, {disk(3)}, "on", "on");
  restart();
  EXPECT_EQ(ended(), "");
  judge(Engine::Verdict::repaired, the_case().uuid);
  const std::string said = "the locate LED of SLOT 03 goes off: the case about its part is over";
  EXPECT_EQ(ended(), said);
  EXPECT_EQ(std::ranges::count(the_case().timeline, said, &TimelineEntry::text), 1);
}

constexpr const char* kLocateOn = R"({"indication":"locate","on":true})";

// The enclosure's plugin goes away during the command, and the case ends meanwhile.
TEST_F(LocateErrand, EndsAlsoIfTheOrderWasNeverAnswered) {
  put_vdev(3, {});
  convict(3);
  act();
  ASSERT_TRUE(reconciler->locate(bay(3), true, "root").has_value());
  const auto sent = step();
  const auto order = std::ranges::find(sent, kLocateOn, &Command::args);
  ASSERT_NE(order, sent.end());
  judge(Engine::Verdict::repaired, the_case().uuid);
  for (const Command& c : sent)
    if (&c != &*order) finish(c);
  finish(*order, CommandStatus::failed, "the plugin went away", true);
  for (int round = 0; round < 4; ++round) {
    now = {now.wall_ns + 60 * kSecond, now.steady_ns + 60 * kSecond};
    act();
  }
  EXPECT_EQ(reconciler->interventions().find(InterventionKind::locate_led, bay(3)), nullptr);
}

// The case of the disk in the bay is about the fault LED only.
TEST_F(LocateErrand, IsNoActionOfACase) {
  put_vdev(3, {});
  convict(3);
  act();
  put_bay(3, {disk(3)}, "on", "off");
  step();
  const auto lines = [&] {
    return std::ranges::count(the_case().timeline, "fault-led", &TimelineEntry::kind);
  };
  const auto before = lines();
  EXPECT_EQ(before, 1);
  ASSERT_TRUE(reconciler->locate(bay(3), true, "root").has_value());
  for (const Command& c : step()) finish(c);
  put_bay(3, {disk(3)}, "on", "on");
  step();
  EXPECT_EQ(lines(), before) << the_case().timeline.back().text;
  ASSERT_TRUE(reconciler->locate(bay(3), false, "root").has_value());
  for (const Command& c : step()) finish(c, CommandStatus::failed, "the shelf does not answer");
  EXPECT_EQ(lines(), before) << the_case().timeline.back().text;
}

TEST_F(LocateErrand, EndsAfterItsTime) {
  light();
  const auto [said, seconds] = within(24 * 3600);
  EXPECT_EQ(said, "the locate LED of SLOT 03 goes off: it was on for 4h");
  EXPECT_EQ(seconds, 4 * 3600);
}

TEST_F(LocateErrand, StaysForWhoHoldsIt) {
  light();
  ASSERT_TRUE(reconciler->hold_locate(bay(3), "fmtray").has_value());
  wait(5 * 3600);
  EXPECT_EQ(ended(), "");
  EXPECT_EQ(reconciler->release_locate("fmtray"), std::vector<std::string>{bay(3)});
  const auto commands = step();
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(commands[0].args, R"({"indication":"locate","on":false})");
}

TEST_F(LocateErrand, InDryRunItStaysAndNothingElseIsSaid) {
  light();
  ActionConfig rehearsal;
  rehearsal.dry_run = true;
  reconciler->set_config(rehearsal);
  put_disk(disk(9), "S9", "blank");
  put_bay(3, {disk(9)}, "off", "on");
  EXPECT_EQ(ended(), "");
  EXPECT_EQ(within(100 * 3600).first, "");
  reconciler->set_config(ActionConfig{});
  EXPECT_EQ(ended(), "the locate LED of SLOT 03 goes off: another disk is in it");
}

TEST_F(LocateErrand, NeverEndsByTimeWhereToldSo) {
  ActionConfig config;
  config.locate_off_after_ns = 0;
  reconciler->set_config(config);
  light();
  EXPECT_EQ(within(100 * 3600).first, "");
}

}  // namespace
}  // namespace fmd::test
