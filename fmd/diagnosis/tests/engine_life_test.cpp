// The other half of a case's life: isolated, repaired, judged, resolved, and what people are told
// of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmd/diagnosis/engine.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::kMinute;
using test::kSecond;
using test::kStart;
using test::Rig;
using Verdict = Engine::Verdict;

// A vdev convicted, and out of service as a reconciler would have it.
class Life : public ::testing::Test {
 protected:
  void SetUp() override {
    rig.put_disk(1, kStart);
    rig.errors(3, Rig::vdev(1), kStart);
    EXPECT_EQ(rig.news(), "diagnosed:1");
  }
  void service(const std::string& word) { rig.put_disk(1, now += kSecond, word); }
  void action(ActionKind kind, ActionState state) {
    Action a{kind, kind == ActionKind::fault_led ? Rig::bay(1) : Rig::vdev(1)};
    a.state = state;
    const std::string text = fmt::format("{} {}", action_name(kind), action_state_name(state));
    rig.engine->record_action("1", a, text, now += kSecond);
  }
  const Case& c() { return rig.only_case(); }
  Rig rig;
  int64_t now = kStart + kMinute;
};

TEST_F(Life, IsIsolatedWhenAllIsDone) {
  action(ActionKind::fault_led, ActionState::done);
  action(ActionKind::spare, ActionState::waiting);
  EXPECT_EQ(c().state, CaseState::solved);
  action(ActionKind::retire, ActionState::done);
  EXPECT_EQ(c().state, CaseState::close_wait);
  action(ActionKind::spare, ActionState::done);
  EXPECT_EQ(c().state, CaseState::close_wait);  // the policy wishes one thing more
  action(ActionKind::out_of_service, ActionState::done);
  EXPECT_EQ(c().state, CaseState::closed);
  EXPECT_EQ(rig.news(), "");
  EXPECT_EQ(c().timeline.back().kind, "closed");
  rig.engine->record_action("nobody", {}, "x", now);
}

TEST_F(Life, RefusedIsNotDone) {
  action(ActionKind::fault_led, ActionState::done);
  action(ActionKind::retire, ActionState::refused);
  EXPECT_EQ(c().state, CaseState::solved);
}

TEST_F(Life, ReplacedIsRepairedAndResolvedInOneMessage) {
  service("out-of-service");
  action(ActionKind::retire, ActionState::done);
  rig.put("zfs://pool=1/vdev=8", "zfs-vdev", {{"name", "newdisk"}}, {}, now);
  rig.gone(Rig::vdev(1), "replaced", now += kSecond, "zfs://pool=1/vdev=8");
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "resolved:1");
  EXPECT_EQ(c().suspects[0].status, SuspectStatus::replaced);
  EXPECT_EQ(c().resolved_ns, now);
  bool said = false;
  for (const TimelineEntry& t : c().timeline)
    said = said || t.text == "vdev1 was replaced by newdisk";
  EXPECT_TRUE(said);
  EXPECT_TRUE(rig.engine->serd_engines().empty());
}

TEST_F(Life, PulledChangesNothing) {
  rig.gone(Rig::vdev(1), "removed", now);
  rig.gone(Rig::disk(1), "removed", now);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(c().suspects[0].location, "SLOT 01");
  EXPECT_EQ(rig.news(), "");
}

TEST_F(Life, DetachedAndDestroyedAreRepairs) {
  rig.gone(Rig::vdev(1), "detached", now);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(c().suspects[0].status, SuspectStatus::repaired);
}

TEST_F(Life, RepairedWaitsUntilItIsBackInService) {
  service("out-of-service");
  const auto judged = rig.engine->judge(Verdict::repaired, "1", "", "root", now += kSecond);
  ASSERT_TRUE(judged);
  EXPECT_EQ(*judged, std::vector<std::string>{"1"});
  EXPECT_EQ(rig.states(), "REPAIRED");
  EXPECT_EQ(rig.news(), "repaired:1");
  EXPECT_TRUE(rig.engine->serd_engines().empty());
  service("degraded");
  EXPECT_EQ(rig.states(), "REPAIRED");
  service("in-service");
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "resolved:1");
}

TEST_F(Life, RepairedThenGoneIsResolved) {
  service("out-of-service");
  ASSERT_TRUE(rig.engine->judge(Verdict::replaced, "1", "", "root", now));
  rig.gone(Rig::vdev(1), "removed", now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "repaired:1 resolved:1");
}

TEST_F(Life, AnAdministratorsClearRepairs) {
  rig.send("sysevent.t.clear", Rig::vdev(2), now);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.send("sysevent.t.clear", Rig::vdev(1), now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "resolved:1");
}

TEST_F(Life, AClearRepairsOnlyWhatItsFaultSays) {
  rig.send("ereport.t.sub.one", Rig::vdev(1), now);  // a fault without [fault.repair]
  EXPECT_EQ(rig.news(), "updated:1");
  rig.send("sysevent.t.clear", Rig::vdev(1), now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "updated:1");
  EXPECT_EQ(c().suspects[0].status, SuspectStatus::repaired);
  EXPECT_EQ(c().suspects[1].status, SuspectStatus::faulty);
}

TEST_F(Life, JudgedByAnyNameOfThePart) {
  for (const std::string& name :
       {Rig::vdev(1), Rig::disk(1), Rig::bay(1), std::string("SLOT 01"), std::string("bay-1"),
        std::string("SERIAL1"), std::string("hc://chassis=c/bay=1/disk=SERIAL1"),
        std::string("sd1"), std::string("slot 01")}) {
    Rig other;
    other.put_disk(1, kStart);
    other.put_disk(2, kStart);
    other.errors(3, Rig::vdev(1), kStart);
    const auto judged = other.engine->judge(Verdict::acquitted, "", name, "root", now);
    EXPECT_TRUE(judged) << name;
    EXPECT_EQ(other.states(), "RESOLVED") << name;
    EXPECT_EQ(other.engine->cases().begin()->second.suspects[0].status, SuspectStatus::acquitted);
  }
  // A disk that was pulled is known by what it was.
  rig.gone(Rig::disk(1), "removed", now);
  rig.put(Rig::bay(1), "bay", {{"label", "SLOT 01"}, {"slot", int64_t{1}}}, {}, now);
  EXPECT_TRUE(rig.engine->judge(Verdict::replaced, "", "SERIAL1", "root", now));
}

TEST_F(Life, JudgingErrorsSayWhatWasNotFound) {
  const auto message = [&](std::string_view uuid, std::string_view part) {
    return rig.engine->judge(Verdict::repaired, uuid, part, "root", now).error().message;
  };
  EXPECT_EQ(message("", ""), "say which case (uuid) or which part is meant");
  EXPECT_EQ(message("9", ""), "there is no case 9; 'fmadm faulty -a' lists them");
  EXPECT_EQ(message("", "bay\x1b-9"),
            "no open case is about bay\\x1b-9; 'fmadm faulty' lists the cases");
  EXPECT_EQ(message("1", "SERIAL9"),
            "case 1 has no faulty part \"SERIAL9\": name it by FMRI, bay label or serial as "
            "'fmadm faulty' does");
  service("out-of-service");
  ASSERT_TRUE(rig.engine->judge(Verdict::repaired, "1", "", "root", now));
  EXPECT_EQ(message("1", ""), "no part in case 1 is faulty any more");
  service("in-service");
  EXPECT_EQ(message("1", ""), "case 1 is resolved already");
}

TEST_F(Life, OneOfTwoSuspectsIsAnUpdate) {
  rig.put("zfs://pool=2/vdev=9", "zfs-vdev", {{"name", "other"}},
          {{Relation::redundancy, Rig::disk(1)}}, now);
  rig.errors(3, "zfs://pool=2/vdev=9", now);
  EXPECT_EQ(rig.news(), "updated:1");
  ASSERT_TRUE(
      rig.engine->judge(Verdict::repaired, "1", "zfs://pool=2/vdev=9", "root", now += kMinute));
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "updated:1");
  ASSERT_TRUE(rig.engine->judge(Verdict::repaired, "1", "", "root", now));
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST_F(Life, AnUnsolvedCaseMayBeDroppedByHand) {
  rig.send("ereport.t.dead", Rig::vdev(2), now);
  EXPECT_EQ(rig.states(), "SOLVED UNSOLVED");
  ASSERT_TRUE(rig.engine->judge(Verdict::acquitted, "2", "", "root", now));
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_FALSE(rig.engine->next_deadline_ns());
}

TEST_F(Life, AcknowledgingPinsABaseline) {
  ASSERT_TRUE(rig.engine->acknowledge("1", "anna", "disk is ordered\x1b", now));
  EXPECT_TRUE(c().acknowledged);
  EXPECT_EQ(c().acknowledged_by, "anna");
  EXPECT_EQ(c().acknowledged_count, 3u);
  EXPECT_EQ(c().timeline.back().text, "acknowledged by anna: disk is ordered\\x1b");
  rig.errors(2, Rig::vdev(1), now);
  EXPECT_EQ(c().evidence_count, 5u);
  EXPECT_EQ(c().acknowledged_count, 3u);
  EXPECT_EQ(rig.news(), "");
  EXPECT_FALSE(rig.engine->acknowledge("2", "anna", "", now));
  rig.send("sysevent.t.clear", Rig::vdev(1), now);
  EXPECT_FALSE(rig.engine->acknowledge("1", "anna", "", now));
}

TEST_F(Life, AfterARepairTheSameMayBeDiagnosedAnew) {
  service("out-of-service");
  ASSERT_TRUE(rig.engine->judge(Verdict::repaired, "1", "", "root", now));
  rig.errors(3, Rig::vdev(1), now += kMinute);
  EXPECT_EQ(rig.states(), "REPAIRED SOLVED");
  EXPECT_EQ(rig.news(), "repaired:1 diagnosed:2");
}

TEST_F(Life, ForgetsOnlyResolvedCases) {
  rig.engine->forget_case("1");
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.send("sysevent.t.clear", Rig::vdev(1), now);
  rig.engine->take_changes();
  rig.engine->forget_case("1");
  EXPECT_EQ(rig.states(), "");
  const auto rows = rig.engine->take_changes();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kind + rows[0].key + rows[0].doc, "case1");
  EXPECT_EQ(rows[1].kind + rows[1].key + rows[1].doc, "evidence1");
}

TEST_F(Life, AResolvedCaseTakesNotesOnly) {
  action(ActionKind::retire, ActionState::done);
  rig.send("sysevent.t.clear", Rig::vdev(1), now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(c().actions.at(0).state, ActionState::returned) << "nothing stands on it any more";
  rig.news();
  const size_t said = c().timeline.size();
  action(ActionKind::retire, ActionState::done);
  rig.engine->set_owed("1", 1, now);
  service("out-of-service");
  rig.errors(1, Rig::vdev(1), now += kSecond);
  EXPECT_EQ(c().actions.at(0).state, ActionState::returned);
  EXPECT_EQ(c().owed, 0u);
  EXPECT_EQ(c().evidence_count, 3u);
  EXPECT_EQ(c().timeline.size(), said);
  rig.engine->note("1", "note", "it was the cable", now);
  EXPECT_EQ(c().timeline.size(), said + 1);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "");
}

TEST_F(Life, NotesAndTimelineAreBounded) {
  rig.engine->note("1", "note", "same", now);
  const size_t size = c().timeline.size();
  rig.engine->note("1", "note", "same", now);
  EXPECT_EQ(c().timeline.size(), size);
  for (int i = 0; i < 1000; ++i) rig.engine->note("1", "note", std::to_string(i), now);
  EXPECT_EQ(c().timeline.size(), 300u);
  EXPECT_EQ(c().timeline.front().kind, "diagnosed");
  EXPECT_EQ(c().timeline.back().text, "999");
}

TEST(LifeQuiet, EndsACaseOfThatKind) {
  Rig rig;
  rig.send("ereport.t.noise", "fmd://plugin=a", kStart);
  EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 60 * kMinute);
  rig.send("ereport.t.noise", "fmd://plugin=a", kStart + 30 * kMinute);
  EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 90 * kMinute);
  rig.engine->on_time(kStart + 89 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.engine->on_time(kStart + 90 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:1 resolved:1");
  EXPECT_FALSE(rig.engine->next_deadline_ns());
}

TEST(LifeQuiet, NotOneWithAGraverSuspect) {
  Rig rig;
  rig.send("ereport.t.noise", "fmd://plugin=a", kStart);
  rig.send("ereport.t.sub.one", "fmd://plugin=a", kStart);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_FALSE(rig.engine->next_deadline_ns());
}

TEST(LifeState, RepairWhenNeedsToHaveSeenIt) {
  Rig rig;
  const auto health = [&](const std::string& word, int64_t now) {
    rig.put("zfs://pool=1", "zfs-pool", {{"health", word}, {"now", now}}, {}, now);
  };
  health("ONLINE", kStart);
  rig.send("ereport.t.stop", "zfs://pool=1", kStart + kSecond);
  health("ONLINE", kStart + 2 * kSecond);  // observed before the news got there
  EXPECT_EQ(rig.states(), "SOLVED");
  health("SUSPENDED", kStart + 3 * kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  health("ONLINE", kStart + 4 * kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST(LifeState, ARepairedConditionThatHoldsStillStartsAnew) {
  Rig rig;
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {}, kStart);
  rig.engine->on_time(kStart + 10 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  ASSERT_TRUE(rig.engine->judge(Verdict::repaired, "1", "", "root", kStart + 20 * kMinute));
  EXPECT_EQ(rig.states(), "RESOLVED UNSOLVED");
  rig.engine->on_time(kStart + 30 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
  // Acquitted: known, and said no more until it has been otherwise.
  ASSERT_TRUE(rig.engine->judge(Verdict::acquitted, "2", "", "root", kStart + 31 * kMinute));
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}, {"x", int64_t{1}}}, {},
          kStart + 32 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED RESOLVED");
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "ONLINE"}}, {}, kStart + 33 * kMinute);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {}, kStart + 34 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED RESOLVED UNSOLVED");
}

TEST(LifeRules, ANewSetKeepsWhatIsCountedAndDropsWhatIsNoMore) {
  Rig rig;
  rig.errors(2, Rig::vdev(1), kStart);
  rig.errors(1, Rig::vdev(1), kStart, kSecond, "ereport.t.other");
  rig.send("ereport.t.dead", Rig::vdev(2), kStart);
  rig.engine->take_changes();
  const auto fewer = test::rules_of(R"(
[[rule]]
name = "errors"
kind = "serd"
events = ["ereport.t.error"]
count = 4
within = "1min"
fault = "fault.t.errors"
[[fault]]
class = "fault.t.errors"
dictionary = "T"
number = 1
severity = "Minor"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
)",
                                    rig.schema);
  rig.engine->set_rules(fewer);
  EXPECT_EQ(rig.states(), "");
  const auto engines = rig.engine->serd_engines();
  ASSERT_EQ(engines.size(), 1u);
  EXPECT_EQ(engines[0].count, 2u);
  rig.errors(2, Rig::vdev(1), kStart + 2 * kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  std::string deleted;
  for (const StateRow& row : rig.engine->take_changes())
    if (row.doc.empty()) deleted += row.kind + " " + row.key + "\n";
  EXPECT_EQ(deleted,
            "case 1\nevidence 1\nserd others zfs://pool=1/vdev=1\nhold dead zfs://pool=1/vdev=2\n");
}

}  // namespace
}  // namespace fmd
