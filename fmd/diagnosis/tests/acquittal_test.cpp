// A person's word that something is harmless is remembered for as long as it stays so, whatever
// becomes of the case.
#include <gtest/gtest.h>

#include "fmd/base/json.h"
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

// A fan that turns slowly: a threshold without a repair of its own.
class Acquitted : public ::testing::Test {
 protected:
  void rpm(int64_t value) {
    rig.put("hc://fan=1", "fan", {{"rpm", value}, {"x", ++changes}}, {}, now += kSecond);
  }
  void disk(const std::string& property, int64_t value) {
    rig.put(Rig::disk(1), "disk", {{property, value}, {"x", ++changes}}, {}, now += kSecond);
  }
  void acquit(const std::string& uuid) {
    ASSERT_TRUE(rig.engine->judge(Judgement::acquitted, uuid, "", "anna", now += kSecond));
  }
  // As after 31 days and a restart.
  void forget_all() {
    for (int uuid = 1; uuid <= rig.cases; ++uuid) rig.engine->forget_case(std::to_string(uuid));
    EXPECT_EQ(rig.states(), "");
    keep(*rig.engine, rows);
    for (const auto& [key, doc] : rows)
      EXPECT_NE(key.first, "case") << "nothing of the case remains";
    restart(rig, rows);
  }
  Rig rig;
  Rows rows;
  int64_t now = kStart, changes = 0;
};

TEST_F(Acquitted, AConditionDoesNotConvictAgainWhenItsCaseIsForgotten) {
  rpm(900);
  EXPECT_EQ(rig.states(), "SOLVED");
  acquit("1");
  EXPECT_EQ(rig.states(), "RESOLVED");
  rpm(890);
  EXPECT_EQ(rig.states(), "RESOLVED");
  rig.engine->forget_case("1");
  rpm(880);
  EXPECT_EQ(rig.states(), "");
  forget_all();
  rpm(870);
  EXPECT_EQ(rig.states(), "");
}

TEST_F(Acquitted, UntilItHasBeenClear) {
  rpm(900);
  acquit("1");
  forget_all();
  rpm(1100);  // between the marks
  rpm(900);
  EXPECT_EQ(rig.states(), "");
  rpm(1300);
  rpm(900);
  EXPECT_EQ(rig.states(), "SOLVED");
}

TEST_F(Acquitted, TheRowSaysByWhomAndWhen) {
  rpm(900);
  rig.engine->take_changes();
  acquit("1");
  keep(*rig.engine, rows);
  const auto row = nlohmann::json::parse(rows.at({"condition", "slow hc://fan=1"}));
  EXPECT_EQ(row.at("acquitted_by"), "anna");
  EXPECT_EQ(row.at("acquitted"), now);
  rpm(2000);
  keep(*rig.engine, rows);
  EXPECT_FALSE(rows.count({"condition", "slow hc://fan=1"}));
}

TEST_F(Acquitted, AStateWithAHoldDoesNotEither) {
  const auto state = [&](const std::string& word) {
    rig.put(Rig::vdev(1), "zfs-vdev", {{"state", word}, {"x", ++changes}}, {}, now += kSecond);
    rig.engine->on_time(now += 20 * kMinute);
  };
  state("REMOVED");
  acquit("1");
  forget_all();
  state("GONE");
  EXPECT_EQ(rig.states(), "");
  state("ONLINE");
  state("GONE");
  EXPECT_EQ(rig.states(), "SOLVED");
}

TEST_F(Acquitted, WhileItWaitsForItsVerdict) {
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {}, now += kSecond);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  acquit("1");
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "GONE"}}, {}, now += kSecond);
  EXPECT_EQ(rig.states(), "");
  forget_all();
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {}, now += kSecond);
  EXPECT_EQ(rig.states(), "");
}

TEST_F(Acquitted, ACounterHasANewBaseline) {
  disk("bad", 1);
  disk("bad", 5);
  EXPECT_EQ(rig.states(), "SOLVED");
  acquit("1");
  forget_all();
  disk("bad", 6);  // already so at the acquittal, but read after it
  now += kMinute;
  disk("bad", 7);
  EXPECT_EQ(rig.states(), "");
  disk("bad", 8);
  EXPECT_EQ(rig.states(), "SOLVED");
}

// What events convicted leaves nothing: more of them are a new finding.
TEST_F(Acquitted, ErrorsAreCountedAnew) {
  rig.errors(3, Rig::vdev(1), now);
  acquit("1");
  rig.errors(2, Rig::vdev(1), now += kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
  rig.errors(1, Rig::vdev(1), now += 3 * kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
}

// A scrub finds errors of one pool member: several rules count them there and at its disk.
class AcquittedPart : public Acquitted {
 protected:
  void SetUp() override {
    rig.put_disk(1, now);
    counters(0, 0);
    rig.errors(3, Rig::vdev(1), now += kSecond);
    ASSERT_EQ(rig.states(), "SOLVED");
  }
  void counters(int64_t bad, int64_t crc) {
    rig.put(Rig::disk(1), "disk", {{"bad", bad}, {"crc", crc}, {"x", ++changes}}, {},
            now += kSecond);
  }
  void state(const std::string& word) {
    rig.put(Rig::vdev(1), "zfs-vdev", {{"state", word}, {"x", ++changes}},
            {{Relation::redundancy, Rig::disk(1)}}, now += kSecond);
  }
  void restart_now(bool checkpoint) {
    keep(*rig.engine, rows, checkpoint);
    restart(rig, rows);
  }
};

TEST_F(AcquittedPart, GrowthThatOtherRulesHaveSeenIsTheBaseline) {
  counters(1, 0);
  acquit("1");
  counters(1, 1);  // read after the acquittal
  restart_now(false);
  counters(2, 3);
  EXPECT_EQ(rig.states(), "RESOLVED");
  now += kMinute;
  counters(3, 3);
  rig.engine->on_time(now += kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
  counters(4, 3);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED") << "grown by two since";
}

TEST_F(AcquittedPart, WaitingCountsAreDropped) {
  counters(0, 2);
  rig.send("ereport.t.dead", Rig::disk(1), now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED UNSOLVED UNSOLVED");
  acquit("1");
  EXPECT_EQ(rig.states(), "RESOLVED");
  restart_now(true);
  rig.engine->on_time(now += kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
  rig.send("ereport.t.dead", Rig::disk(1), now += kSecond);
  rig.engine->on_time(now += kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED") << "evidence from after the acquittal";
}

TEST_F(AcquittedPart, EventsAtItsDiskAreCountedAnew) {
  for (const bool checkpoint : {true, false}) {
    rig.errors(2, Rig::disk(1), now += kMinute);
    acquit(std::to_string(rig.cases));
    restart_now(checkpoint);
    rig.errors(2, Rig::disk(1), now += kSecond);
    EXPECT_EQ(rig.states(), checkpoint ? "RESOLVED" : "RESOLVED RESOLVED");
    rig.errors(1, Rig::disk(1), now += 2 * kSecond);
    EXPECT_EQ(rig.states(), checkpoint ? "RESOLVED SOLVED" : "RESOLVED RESOLVED SOLVED");
  }
}

TEST_F(AcquittedPart, AStateIsJudgedOnItsOwn) {
  state("REMOVED");
  acquit("1");
  rig.engine->on_time(now += 20 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED") << "it is still not there";
}

TEST_F(AcquittedPart, AWaitingCaseToo) {
  acquit("1");
  rig.errors(2, Rig::vdev(1), now += kMinute);
  rig.send("ereport.t.dead", Rig::disk(1), now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED UNSOLVED");
  acquit("2");
  rig.errors(1, Rig::vdev(1), now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED") << "its pool member's errors are counted anew";
}

TEST_F(Acquitted, GoesWithItsResourceAndItsRule) {
  rpm(900);
  acquit("1");
  rig.gone("hc://fan=1", "destroyed", now += kSecond);
  rpm(900);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
  acquit("2");
  rig.engine->set_rules(rig.rules);
  rpm(899);
  EXPECT_EQ(rig.states(), "RESOLVED RESOLVED") << "the rule is still there";
}

TEST_F(Acquitted, ARepairIsNoAcquittal) {
  rpm(900);
  ASSERT_TRUE(rig.engine->judge(Judgement::repaired, "1", "", "anna", now += kSecond));
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED") << "it is as slow as before";
}

}  // namespace
}  // namespace fmd
