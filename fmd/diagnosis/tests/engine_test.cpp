// Diagnosis: what opens a case, what it says, what is folded into it.
#include "fmd/diagnosis/engine.h"

#include <gtest/gtest.h>

#include "fmd/diagnosis/tests/rig.h"
#include "fmd/model/diagcode.h"

namespace fmd {
namespace {

using test::kMinute;
using test::kSecond;
using test::kStart;
using test::Rig;

TEST(EngineSerd, TheNthErrorConvictsTheRightPart) {
  Rig rig;
  for (int n = 1; n <= 3; ++n) rig.put_disk(n, kStart);
  rig.errors(2, Rig::vdev(1), kStart);
  rig.errors(2, Rig::vdev(2), kStart);
  EXPECT_TRUE(rig.engine->cases().empty());
  rig.send("ereport.t.error", Rig::vdev(2), kStart + 5 * kSecond);
  const Case& c = rig.only_case();
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(c.state, CaseState::solved);
  EXPECT_EQ(c.code, diagcode("T", 1));
  EXPECT_EQ(c.severity, "Minor");
  EXPECT_EQ(c.rules, std::vector<std::string>{"errors"});
  EXPECT_EQ(c.opened_ns, kStart + 5 * kSecond);
  EXPECT_EQ(c.solved_ns, c.opened_ns);
  EXPECT_TRUE(c.led);
  EXPECT_EQ(c.retire.first, "degraded");
  ASSERT_EQ(c.suspects.size(), 1u);
  const Suspect& s = c.suspects[0];
  EXPECT_EQ(s.resource, Rig::vdev(2));
  EXPECT_EQ(s.asru, Rig::vdev(2));
  EXPECT_EQ(s.fru, Rig::disk(2));
  EXPECT_EQ(s.fru_path, "hc://chassis=c/bay=2/disk=SERIAL2");
  EXPECT_EQ(s.bay, Rig::bay(2));
  EXPECT_EQ(s.location, "SLOT 02");
  EXPECT_EQ(s.serial, "SERIAL2");
  EXPECT_EQ(s.model, "MODEL");
  EXPECT_EQ(s.device_path, "/dev/sd2");
  EXPECT_EQ(c.title, "Errors on vdev2");
  EXPECT_EQ(c.description,
            "3 errors within 1min on bay SLOT 02, serial SERIAL2, MODEL, pool tank.");
  EXPECT_EQ(c.action, "locate dev://wwn=2");
  // The three that led to it, by journal number.
  ASSERT_EQ(c.evidence.size(), 3u);
  EXPECT_EQ(c.evidence[0].seq, 3u);
  EXPECT_EQ(c.evidence[2].seq, 5u);
  EXPECT_EQ(c.evidence[0].event_class, "ereport.t.error");
}

TEST(EngineSerd, CountsOnlyWhatTheRuleIsAbout) {
  Rig rig;
  for (int i = 0; i < 9; ++i)
    rig.send("ereport.t.error", Rig::vdev(1), kStart + i, {{"kind", std::string("old")}});
  for (int i = 0; i < 9; ++i) rig.send("ereport.t.sub", Rig::vdev(1), kStart + i);
  EXPECT_TRUE(rig.engine->cases().empty());
  EXPECT_TRUE(rig.engine->serd_engines().empty());
  rig.errors(3, Rig::vdev(1), kStart, kSecond);
  EXPECT_EQ(rig.engine->cases().size(), 1u);
}

TEST(EngineSerd, AResetEmptiesTheCount) {
  Rig rig;
  rig.errors(2, Rig::vdev(1), kStart);
  rig.send("sysevent.t.clear", Rig::vdev(2), kStart + 2 * kSecond);  // another one's
  EXPECT_EQ(rig.engine->serd_engines().at(0).count, 2u);
  rig.send("sysevent.t.clear", Rig::vdev(1), kStart + 3 * kSecond);
  EXPECT_TRUE(rig.engine->serd_engines().empty());
  rig.errors(2, Rig::vdev(1), kStart + 4 * kSecond);
  EXPECT_TRUE(rig.engine->cases().empty());
}

TEST(EngineSerd, TheTextTellsTheTimeThatThePoolItselfHas) {
  std::string rules = test::kRules;
  const std::string text = "{count} errors within {within} on";
  rules.replace(rules.find(text), text.size(), "{counters}; within {within}, on");
  rules.replace(rules.find("count = 3\n"), 0, "counter = \"errors\"\n");
  Rig rig(rules);
  rig.put("zfs://pool=1", "zfs-pool", {{"error_t", int64_t{300}}},
          {{Relation::redundancy, Rig::vdev(1)}}, kStart);
  rig.put_disk(1, kStart);
  rig.errors(3, Rig::vdev(1), kStart, 2 * kMinute);
  EXPECT_EQ(rig.only_case().description.substr(0, 34), "errors: 3 within 5min; within 5min");
}

TEST(EngineEvidence, GoesOnWhileTheCaseIsOpen) {
  Rig rig;
  rig.errors(200, Rig::vdev(1), kStart);
  const Case& c = rig.only_case();
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(c.evidence_count, 200u);
  ASSERT_EQ(c.evidence.size(), 128u);
  EXPECT_EQ(c.evidence[63].seq, 64u);
  EXPECT_EQ(c.evidence[64].seq, 137u);
  EXPECT_EQ(c.evidence[127].seq, 200u);
  EXPECT_EQ(c.suspects[0].facts.at("count"), "3");  // as it was at diagnosis
  rig.errors(5, Rig::vdev(2), kStart);  // another one's errors are not this one's evidence
  EXPECT_EQ(rig.engine->find_case("1")->evidence_count, 200u);
}

TEST(EngineHold, WaitsThenConvicts) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.send("ereport.t.dead", Rig::vdev(1), kStart, {{"why", std::string("it \x1b smells")}});
  EXPECT_EQ(rig.states(), "UNSOLVED");
  EXPECT_EQ(rig.news(), "");
  EXPECT_TRUE(rig.only_case().suspects.empty());
  EXPECT_FALSE(rig.only_case().faulty());
  EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 15 * kSecond);
  rig.send("ereport.t.dead", Rig::vdev(1),
           kStart + 5 * kSecond);  // again: evidence, not another hold
  EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 15 * kSecond);
  rig.engine->on_time(kStart + 14 * kSecond);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  rig.engine->on_time(kStart + 15 * kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:1");
  const Case& c = rig.only_case();
  EXPECT_EQ(c.evidence_count, 2u);
  EXPECT_EQ(c.solved_ns, kStart + 15 * kSecond);
  EXPECT_EQ(c.description, "vdev1 is dead: it \\x1b smells.");
  EXPECT_FALSE(rig.engine->next_deadline_ns());
}

TEST(EngineHold, IsDroppedByWhatExplainsIt) {
  Rig rig;
  rig.send("ereport.t.dead", Rig::vdev(1), kStart);
  rig.send("sysevent.t.removed", Rig::vdev(2), kStart + kSecond);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  rig.send("sysevent.t.removed", Rig::vdev(1), kStart + 2 * kSecond);
  EXPECT_EQ(rig.states(), "");
  rig.engine->on_time(kStart + kMinute);
  EXPECT_EQ(rig.states(), "");
  EXPECT_EQ(rig.news(), "");
  // Nothing stays: the same may happen again.
  rig.send("ereport.t.dead", Rig::vdev(1), kStart + 2 * kMinute);
  rig.engine->on_time(kStart + 3 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
}

TEST(EngineHold, AClearDropsItToo) {
  Rig rig;
  rig.send("ereport.t.dead", Rig::vdev(1), kStart);
  rig.send("sysevent.t.clear", Rig::vdev(1), kStart + kSecond);
  EXPECT_EQ(rig.states(), "");
}

TEST(EngineHold, AStepOfTheWallClockNeitherEndsNorStretchesIt) {
  for (const int64_t jump : {-525600 * kMinute, -kMinute, 5 * kMinute, 525600 * kMinute}) {
    Rig rig;
    rig.send("ereport.t.dead", Rig::vdev(1), kStart);
    rig.engine->on_time({kStart + jump, kStart + 14 * kSecond});
    EXPECT_EQ(rig.states(), "UNSOLVED") << jump;
    EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 15 * kSecond);
    rig.engine->on_time({kStart + jump, kStart + 15 * kSecond});
    EXPECT_EQ(rig.states(), "SOLVED") << jump;
    EXPECT_EQ(rig.only_case().solved_ns, kStart + jump) << "people are shown the wall clock";
  }
}

TEST(EngineFold, TheSameFaultAgainAddsTheRuleOnly) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  EXPECT_EQ(rig.only_case().retire.wait_while, "scrub");
  rig.errors(2, Rig::vdev(1), kStart + 10 * kSecond, kSecond, "ereport.t.other");
  const Case& c = rig.only_case();
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(c.rules, (std::vector<std::string>{"errors", "others"}));
  EXPECT_EQ(c.suspects.size(), 1u);
  EXPECT_EQ(c.evidence_count, 5u);
  EXPECT_EQ(c.retire.wait_while, "scrub");
}

TEST(EngineFold, AnotherFaultOfThePartIsASuspectMore) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  rig.send("ereport.t.dead", Rig::vdev(1), kStart + kMinute, {{"why", std::string("x")}});
  EXPECT_EQ(rig.states(), "SOLVED UNSOLVED");
  rig.engine->on_time(kStart + 2 * kMinute);
  const Case& c = rig.only_case();
  EXPECT_EQ(rig.news(), "diagnosed:1 updated:1");
  ASSERT_EQ(c.suspects.size(), 2u);
  EXPECT_EQ(c.suspects[1].fault_class, "fault.t.dead");
  EXPECT_EQ(c.retire.first, "out-of-service");
  EXPECT_TRUE(c.retire.spare);
  EXPECT_EQ(c.retire.wait_while, "");  // the other fault does not wait
  EXPECT_EQ(c.retire.wait_unless, "");
  EXPECT_EQ(c.retire.then, "out-of-service");
  EXPECT_TRUE(c.retire.replace_same_bay);
  EXPECT_EQ(c.severity, "Critical");
  EXPECT_EQ(c.code, diagcode("T", 2));  // the graver one's
  EXPECT_EQ(c.evidence_count, 4u);
  EXPECT_NE(c.description.find("Also found: Errors on vdev1 (" + diagcode("T", 1) + ")."),
            std::string::npos);
}

TEST(EngineFold, TwoVdevsOnOneDiskAreOneCase) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.put("zfs://pool=2/vdev=9", "zfs-vdev", {{"name", "other"}},
          {{Relation::redundancy, Rig::disk(1)}}, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  rig.errors(3, "zfs://pool=2/vdev=9", kStart + 10 * kSecond);
  const Case& c = rig.only_case();
  EXPECT_EQ(rig.news(), "diagnosed:1 updated:1");
  ASSERT_EQ(c.suspects.size(), 2u);
  EXPECT_EQ(c.suspects[1].asru, "zfs://pool=2/vdev=9");
}

TEST(EngineFold, AResolvedCaseTakesNothingMore) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  rig.send("sysevent.t.clear", Rig::vdev(1), kStart + kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
  rig.errors(3, Rig::vdev(1), kStart + 2 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:1 resolved:1 diagnosed:2");
}

TEST(EngineRules, APatternTakesAllBelow) {
  Rig rig;
  rig.send("ereport.t.sub.one", "fmd://plugin=a", kStart);
  rig.send("ereport.t.sub.two", "fmd://plugin=b", kStart);
  EXPECT_EQ(rig.states(), "SOLVED SOLVED");
}

TEST(EngineSuspect, IsFilledInWhenTheInventoryComesLater) {
  Rig rig;
  rig.errors(3, Rig::vdev(1), kStart);
  EXPECT_EQ(rig.only_case().suspects[0].fru, "");
  EXPECT_EQ(rig.only_case().description,
            "3 errors within 1min on an unknown bay, serial unknown, unknown model, pool unknown.");
  rig.put_disk(1, kStart + kMinute);
  const Case& c = rig.only_case();
  EXPECT_EQ(c.suspects[0].fru, Rig::disk(1));
  EXPECT_EQ(c.suspects[0].location, "SLOT 01");
  EXPECT_EQ(c.description,
            "3 errors within 1min on bay SLOT 01, serial SERIAL1, MODEL, pool tank.");
  EXPECT_EQ(c.timeline.back().text,
            "the part to replace is SERIAL1, serial SERIAL1, in bay SLOT 01");
  EXPECT_EQ(rig.news(), "diagnosed:1");  // no second message
}

TEST(EngineSuspect, FollowsThePartToAnotherBay) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  rig.put(Rig::bay(1), "bay", {{"label", "SLOT 01"}}, {},
          kStart + kMinute);  // pulled: where it was is where it was
  EXPECT_EQ(rig.only_case().suspects[0].location, "SLOT 01");
  rig.put(Rig::bay(7), "bay", {{"label", "SLOT 07"}}, {{Relation::contains, Rig::disk(1)}},
          kStart + 2 * kMinute);
  EXPECT_EQ(rig.only_case().suspects[0].bay, Rig::bay(7));
  EXPECT_EQ(rig.only_case().suspects[0].location, "SLOT 07");
  EXPECT_EQ(rig.only_case().suspects[0].serial, "SERIAL1");
}

TEST(EngineSuspect, HostileNamesAreShownEscaped) {
  Rig rig;
  const std::string evil = "\x1b]0;pwned\x07'; rm -rf / #\u202e" + std::string(250, 'x');
  rig.put(Rig::disk(1), "disk", {{"serial", evil}, {"model", evil}}, {}, kStart);
  rig.put(Rig::bay(1), "bay", {{"label", evil}}, {{Relation::contains, Rig::disk(1)}}, kStart);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"name", evil}, {"pool", evil}},
          {{Relation::redundancy, Rig::disk(1)}}, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  const Case& c = rig.only_case();
  EXPECT_EQ(c.suspects[0].serial, evil);  // raw: escaped when it is shown
  for (const std::string* text : {&c.title, &c.description, &c.timeline.back().text}) {
    EXPECT_EQ(text->find('\x1b'), std::string::npos);
    EXPECT_EQ(text->find('\x07'), std::string::npos);
    EXPECT_EQ(text->find("\u202e"), std::string::npos);
  }
  EXPECT_EQ(c.action, "locate dev://wwn=1");  // what may be pasted into a shell is plain
}

}  // namespace
}  // namespace fmd
