// The reconciler against the real engine: an immediate rule convicts vdev 1 of a small pool, and
// what the reconciler sends is checked for each world it may observe.
#include "fmd/reconcile/reconciler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmd/core/event_schema.h"
#include "fmd/core/rules.h"

namespace fmd {
namespace {

constexpr int64_t kSecond = 1000000000;
constexpr int64_t kStart = 1795228661LL * kSecond;

const char* const kSchema = R"(
[class."ereport.t.bad"]
description = "broken"
[class."ereport.t.worse"]
description = "broken in daily use"
)";

const char* const kRules = R"(
[[rule]]
name = "bad"
kind = "immediate"
events = ["ereport.t.bad"]
fault = "fault.t.bad"
led = true
[rule.fru]
follow = "redundancy"
scheme = "dev"
[rule.retire]
first = "degraded"
spare = true
wait_while = "scrub"
wait_unless = "worse"
then = "out-of-service"
replace = "same-bay"

[[rule]]
name = "worse"
kind = "immediate"
events = ["ereport.t.worse"]
fault = "fault.t.bad"
led = true
[rule.fru]
follow = "redundancy"
scheme = "dev"
[rule.retire]
first = "degraded"
spare = true
wait_while = "scrub"
wait_unless = "worse"
then = "out-of-service"
replace = "same-bay"

[[rule]]
name = "smart"
kind = "state"
type = "disk"
property = "smart.status"
values = ["failed"]
fault = "fault.t.smart"
led = true

[[fault]]
class = "fault.t.smart"
dictionary = "TEST"
number = 2
severity = "Minor"
title = "smart"
description = "smart"
response = "smart"
impact = "smart"
action = "smart"

[[fault]]
class = "fault.t.bad"
dictionary = "TEST"
number = 1
severity = "Major"
title = "bad"
description = "bad"
response = "bad"
impact = "bad"
action = "bad"
)";

class ReconcilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto [schema, schema_errors] = EventSchema::load({{"test-events.toml", kSchema}});
    ASSERT_TRUE(schema_errors.empty()) << schema_errors.front().text();
    auto [rules, errors] = RuleSet::load({{"test.toml", kRules}}, schema);
    ASSERT_TRUE(errors.empty()) << errors.front().text();
    engine = std::make_unique<Engine>(rules, [this] { return "case-" + std::to_string(++cases); });
    reconciler = std::make_unique<Reconciler>(*engine, ActionConfig{});
    for (int i = 1; i <= 4; ++i) put_vdev(i, {});
    put("hc://chassis=c", "enclosure", {}, {});
    for (int i = 1; i <= 4; ++i) put_bay(i, {disk(i)});
    for (int i = 1; i <= 4; ++i) put_disk(disk(i), "S" + std::to_string(i), "used");
    put("zfs://pool=1", "zfs-pool", {{"name", "tank"}}, {});
  }

  using Properties = std::map<std::string, std::string>;
  static std::string vdev(int i) { return "zfs://pool=1/vdev=" + std::to_string(i); }
  static std::string bay(int i) { return "hc://chassis=c/bay=" + std::to_string(i); }
  static std::string disk(int i) { return "dev://wwn=" + std::to_string(i); }

  void put(const std::string& fmri, const std::string& type, const Properties& properties,
           const std::vector<Edge>& edges) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    for (const auto& [k, v] : properties) r.properties[k] = v;
    r.edges = edges;
    engine->on_inventory({"test", {r}, {}, false}, now);
  }
  void put_vdev(int i, Properties changes) {
    Properties p{{"name", "vdev" + std::to_string(i)},
                 {"service", "in-service"},
                 {"spare", "none"},
                 {"busy", ""},
                 {"group", "zfs://pool=1"},
                 {"spares_available", "1"}};
    for (const auto& [k, v] : changes) p[k] = v;
    put(vdev(i), "zfs-vdev", p, {{Relation::redundancy, disk(i)}});
  }
  void put_bay(int i, const std::vector<std::string>& disks, const std::string& led = "off",
               const std::string& locate = "off") {
    std::vector<Edge> edges;
    for (const auto& d : disks) edges.push_back({Relation::contains, d});
    put(bay(i), "bay",
        {{"label", "SLOT 0" + std::to_string(i)}, {"led.fault", led}, {"led.locate", locate}},
        edges);
  }
  void put_disk(const std::string& fmri, const std::string& serial, const std::string& content) {
    put(fmri, "disk", {{"serial", serial}, {"path", "/dev/sd" + serial}, {"content", content}}, {});
  }
  void gone(const std::string& fmri, const std::string& reason) {
    engine->on_inventory({"test", {}, {{fmri, reason, ""}}, false}, now);
  }
  void convict(int i, const std::string& event_class = "ereport.t.bad") {
    Event e;
    e.seq = ++seq;
    e.event_class = event_class;
    e.resource = vdev(i);
    e.time_ns = e.received_ns = now;
    e.payload_json = "{}";
    engine->on_event(e, now);
  }
  std::vector<Command> step() {
    return reconciler->step(now, [](std::string_view) { return true; });
  }
  void finish(const Command& c, const std::string& status = "done",
              const std::string& reason = "") {
    reconciler->done(c, {status, reason, "{}"}, now);
  }
  // "name resource args" of each, sorted; everything is answered done.
  std::vector<std::string> step_all_done() {
    std::vector<std::string> out;
    for (const Command& c : step()) {
      out.push_back(c.name + " " + c.resource + " " + c.args);
      finish(c);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  const Case& only_case() const { return engine->cases().begin()->second; }
  std::string action_state(const std::string& name) const {
    auto it = only_case().actions.find(name);
    return it == only_case().actions.end() ? "absent" : it->second.state;
  }

  int cases = 0;
  uint64_t seq = 0;
  int64_t now = kStart;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Reconciler> reconciler;
};

using Lines = std::vector<std::string>;
const std::string kLedOn = R"({"indication":"fault","on":true})";
const std::string kLedOff = R"({"indication":"fault","on":false})";

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

TEST_F(ReconcilerTest, LocateIsKeptAndSurvivesRestart) {
  EXPECT_FALSE(reconciler->locate("zfs://pool=1", true).has_value());
  ASSERT_TRUE(reconciler->locate(bay(3), true).has_value());
  const std::vector<StateRow> rows = reconciler->take_changes();
  ASSERT_EQ(rows.size(), 1u);
  Reconciler after(*engine, ActionConfig{});
  ASSERT_TRUE(after.restore(rows).has_value());
  const auto commands = after.step(now, [](std::string_view) { return true; });
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(commands[0].args, R"({"indication":"locate","on":true})");
  after.done(commands[0], {"done", "", "{}"}, now);
  put_bay(3, {disk(3)}, "off", "on");
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
    for (const Command& command : after.step(now, [](std::string_view) { return true; })) {
      after.done(command, {"done", "", "{}"}, now);
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
  ASSERT_EQ(after.take_changes().size(), 1u);
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
}  // namespace fmd
