// Two cases that turn out to be about one disk become one.
#include <gtest/gtest.h>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::keep;
using test::kMinute;
using test::kSecond;
using test::kStart;
using test::restart;
using test::Rig;
using test::Rows;

class Merge : public ::testing::Test {
 protected:
  // The pool's plugin has reported, the disk's not yet: the vdev's disk is unknown.
  void vdev(int n) {
    rig.errors(3, Rig::vdev(n), now += kMinute);
    now += 3 * kSecond;
  }
  void disk(int n) { rig.send("ereport.t.sub.one", Rig::disk(n), now += kMinute); }
  void discover(int n) { rig.put_disk(n, now += kMinute); }
  const Case& c(const std::string& uuid) {
    const Case* found = rig.engine->find_case(uuid);
    EXPECT_TRUE(found) << uuid;
    static const Case kNone;
    return found ? *found : kNone;
  }
  std::string suspects(const std::string& uuid) {
    std::string out;
    for (const Suspect& s : c(uuid).suspects)
      out += s.resource + " " + std::string(status_name(s.status)) + "\n";
    return out;
  }
  Rig rig;
  int64_t now = kStart;
};

TEST_F(Merge, TheLaterGoesIntoTheEarlier) {
  vdev(1);
  disk(1);
  EXPECT_EQ(rig.states(), "SOLVED SOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:1 diagnosed:2");
  discover(1);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  EXPECT_EQ(rig.news(), "updated:1 resolved:2");
  EXPECT_EQ(suspects("1"), Rig::vdev(1) + " faulty\n" + Rig::disk(1) + " faulty\n");
  EXPECT_EQ(suspects("2"), Rig::disk(1) + " merged\n");
  EXPECT_EQ(c("2").merged_into, "1");
  EXPECT_EQ(c("1").merged_into, "");
  EXPECT_EQ(c("2").resolved_ns, now);
  EXPECT_FALSE(c("2").faulty());
  EXPECT_EQ(c("1").evidence_count, 4u);
  EXPECT_EQ(c("1").rules, (std::vector<std::string>{"errors", "subs"}));
  EXPECT_EQ(c("1").timeline.back().text,
            "case 2 is merged into this one: it is about the same disk");
  EXPECT_EQ(c("2").timeline.back().text, "merged into case 1: it is about the same disk");
}

TEST_F(Merge, TheDisksOwnCaseMayBeTheEarlier) {
  disk(1);
  vdev(1);
  rig.news();
  EXPECT_EQ(c("1").retire.first, "");
  discover(1);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  EXPECT_EQ(rig.news(), "updated:1 resolved:2");
  EXPECT_EQ(c("2").merged_into, "1");
  EXPECT_EQ(suspects("1"), Rig::disk(1) + " faulty\n" + Rig::vdev(1) + " faulty\n");
  // Policy and texts as if it had been folded in at once.
  EXPECT_EQ(c("1").retire.first, "degraded");
  EXPECT_TRUE(c("1").retire.spare);
  EXPECT_EQ(c("1").retire.wait_while, "scrub");
  EXPECT_TRUE(c("1").led);
  EXPECT_EQ(c("1").fault_class, "fault.t.errors");
  EXPECT_EQ(c("1").severity, "Major") << "the graver of the two";
  EXPECT_NE(c("1").description.find("Also found: Sub"), std::string::npos);
}

TEST_F(Merge, ThreeBecomeOne) {
  vdev(1);
  vdev(2);
  disk(1);
  rig.news();
  rig.put(Rig::vdev(1), "zfs-vdev", {}, {{Relation::redundancy, Rig::disk(1)}}, now += kSecond);
  rig.put(Rig::vdev(2), "zfs-vdev", {}, {{Relation::redundancy, Rig::disk(1)}}, now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED SOLVED SOLVED") << "no disk is known yet";
  rig.put(Rig::disk(1), "disk", {{"serial", "S"}}, {}, now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED RESOLVED");
  EXPECT_EQ(c("2").merged_into, "1");
  EXPECT_EQ(c("3").merged_into, "1");
  EXPECT_EQ(c("1").suspects.size(), 3u);
  EXPECT_EQ(rig.news(), "resolved:3 updated:1 resolved:2");
}

TEST_F(Merge, AFindingThatJoinsTwoMergesThem) {
  rig.send("ereport.t.sub.one", Rig::vdev(1), now);  // a fault that does not look for a disk
  disk(1);
  discover(1);
  EXPECT_EQ(rig.states(), "SOLVED SOLVED");
  vdev(1);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  EXPECT_EQ(c("1").suspects.size(), 3u);
}

TEST_F(Merge, WhatWaitsIsLeftAloneUntilItIsSolved) {
  disk(1);
  rig.send("ereport.t.dead", Rig::vdev(1), now += kSecond);
  discover(1);
  EXPECT_EQ(rig.states(), "SOLVED UNSOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:1");
  rig.engine->on_time(now += kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "updated:1") << "it folds, as ever";
}

TEST_F(Merge, AHoldThatEndsLaterFolds) {
  vdev(1);
  disk(1);
  rig.send("ereport.t.dead", Rig::vdev(1), now += kSecond);
  rig.news();
  rig.put_disk(1, now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED UNSOLVED");
  EXPECT_EQ(rig.news(), "updated:1 resolved:2");
  rig.engine->on_time(now += kMinute);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  EXPECT_EQ(rig.news(), "updated:1");
  EXPECT_EQ(c("1").suspects.size(), 3u);
}

TEST_F(Merge, ItIsResolvedWhateverItOwes) {
  disk(1);
  vdev(1);
  Action retired{ActionKind::retire, Rig::vdev(1)};
  retired.state = ActionState::done;
  rig.engine->record_action("2", retired, "retired", now);
  rig.engine->set_owed("2", 2, now);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"service", "out-of-service"}}, {}, now += kSecond);
  discover(1);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  EXPECT_EQ(c("2").owed, 0u);
  ASSERT_TRUE(c("1").find_action(ActionKind::retire, Rig::vdev(1))) << "what was done goes along";
  // Who reports late about the merged case changes nothing.
  rig.news();
  const size_t said = c("2").timeline.size();
  rig.engine->record_action("2", retired, "again", now);
  rig.engine->set_owed("2", 1, now);
  EXPECT_EQ(c("2").timeline.size(), said);
  EXPECT_EQ(c("2").owed, 0u);
  EXPECT_EQ(rig.news(), "");
}

TEST_F(Merge, ItEndsWhenAllSuspectsHaveEnded) {
  vdev(1);
  disk(1);
  discover(1);
  rig.news();
  rig.send("sysevent.t.clear", Rig::vdev(1), now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  ASSERT_TRUE(rig.engine->judge(Judgement::repaired, "", Rig::disk(1), "root", now += kSecond));
  EXPECT_EQ(rig.states(), "RESOLVED RESOLVED");
  EXPECT_EQ(rig.news(), "updated:1 resolved:1");
}

TEST_F(Merge, ItsConditionsGoOnInTheOther) {
  vdev(1);
  rig.put(Rig::disk(1), "disk", {{"bad", int64_t{7}}}, {}, now += kSecond, "smart");
  EXPECT_EQ(rig.states(), "SOLVED SOLVED");
  discover(1);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  Rows rows;
  keep(*rig.engine, rows);
  restart(rig, rows);
  rig.put(Rig::disk(1), "disk", {{"bad", int64_t{8}}}, {}, now += kSecond, "smart");
  EXPECT_EQ(suspects("1"), Rig::vdev(1) + " faulty\n" + Rig::disk(1) + " faulty\n");
  rig.put(Rig::disk(1), "disk", {{"bad", int64_t{0}}}, {}, now += kSecond, "smart");
  EXPECT_EQ(suspects("1"), Rig::vdev(1) + " faulty\n" + Rig::disk(1) + " repaired\n");
}

TEST_F(Merge, EvidenceGoesOnInTheOther) {
  vdev(1);
  vdev(2);
  for (int n = 1; n <= 2; ++n)
    rig.put(Rig::vdev(n), "zfs-vdev", {}, {{Relation::redundancy, Rig::disk(1)}}, now += kSecond);
  rig.put(Rig::disk(1), "disk", {}, {}, now += kSecond);
  EXPECT_EQ(c("1").evidence_count, 6u);
  rig.errors(5, Rig::vdev(2), now += kSecond);
  EXPECT_EQ(c("1").evidence_count, 11u);
  EXPECT_EQ(c("2").evidence_count, 3u);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
}

TEST_F(Merge, QuietEndsItOnlyWhenItEndsBoth) {
  rig.put(Rig::disk(1), "disk", {{"crc", int64_t{0}}}, {}, now, "smart");
  rig.put(Rig::disk(1), "disk", {{"crc", int64_t{5}}}, {}, now += kSecond, "smart");
  rig.engine->on_time(now += 5 * kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_TRUE(rig.engine->next_deadline_ns()) << "the link's fault ends by quiet";
  vdev(1);
  discover(1);
  EXPECT_EQ(rig.states(), "SOLVED RESOLVED");
  EXPECT_FALSE(rig.engine->next_deadline_ns());
}

TEST_F(Merge, OtherDisksAreOthers) {
  vdev(1);
  disk(2);
  discover(1);
  discover(2);
  EXPECT_EQ(rig.states(), "SOLVED SOLVED");
}

TEST_F(Merge, ARepairedCaseIsNotMergedInto) {
  vdev(1);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"service", "out-of-service"}}, {}, now += kSecond);
  ASSERT_TRUE(rig.engine->judge(Judgement::repaired, "1", "", "root", now += kSecond));
  disk(1);
  rig.put_disk(1, now += kSecond, "out-of-service");
  EXPECT_EQ(rig.states(), "REPAIRED SOLVED");
}

}  // namespace
}  // namespace fmd
