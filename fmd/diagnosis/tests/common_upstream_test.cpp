// Causes in common: which way to a part fails, a verdict at once, and what is known to be at fault above it.
#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/diagnosis/tests/common_rig.h"

namespace fmd {
namespace {

using namespace test;

// --- ways: two controllers lead to the same disks, and one of them fails

class TwoWays : public Common {
 protected:
  static std::string way(int hba, int disk) { return fmt::format("hc://way={}-{}", hba, disk); }
  TwoWays() {
    for (const int n : {1, 3}) {
      std::vector<Edge> edges;
      for (int disk = 1; disk <= 6; ++disk) {
        edges.push_back({Relation::path, Rig::disk(disk)});
        edges.push_back({Relation::path, way(n, disk)});
        state_of(n, disk, "active");
      }
      rig.put(hba(n), "hba", {{"name", fmt::format("HBA {}", n)}}, edges, kStart);
    }
    for (int disk = 1; disk <= 6; ++disk)
      rig.put(map(disk), "multipath", {}, {{Relation::path, Rig::disk(disk)}}, kStart, "maps");
    rig.news();
  }
  static std::string map(int disk) { return fmt::format("hc://map={}", disk); }
  void state_of(int hba, int disk, const char* state, int64_t at = 0) {
    rig.put(way(hba, disk), "path", {{"multipath_state", std::string(state)}},
            {{Relation::path, Rig::disk(disk)}}, kStart + at);
  }
  std::string suspects() const {
    std::string out;
    for (const Suspect& s : cause().suspects)
      out += fmt::format("{} {}; ", s.resource, s.certainty);
    return out;
  }
};

TEST_F(TwoWays, OnlyTheControllerWhoseWaysFailIsAccused) {
  for (int n = 1; n <= 3; ++n) rig.send("ereport.t.dead", way(3, n), kStart + n);
  at(10 * kSecond);
  EXPECT_EQ(suspects(), "hc://hba=3 100; ");
  EXPECT_NE(cause().description.find("3 of 6 failed"), std::string::npos) << cause().description;
}

TEST_F(TwoWays, AMapThatMissesAWaySpeaksAgainstThat) {
  for (int n = 1; n <= 3; ++n) {
    rig.gone(way(1, n), "removed", kStart + n);
    rig.send("ereport.t.dead", map(n), kStart + n);
  }
  at(10 * kSecond);
  EXPECT_EQ(suspects(), "hc://hba=1 100; ");
}

TEST_F(TwoWays, WhatLiesBetweenIsOnItsWay) {
  for (const int n : {1, 3}) {
    std::vector<Edge> below, edges{{Relation::path, fmt::format("hc://expander={}", n)}};
    for (int disk = 1; disk <= 6; ++disk) {
      below.push_back({Relation::path, Rig::disk(disk)});
      edges.push_back({Relation::path, way(n, disk)});
    }
    rig.put(fmt::format("hc://expander={}", n), "expander", {}, below, kStart);
    rig.put(hba(n), "hba", {}, edges, kStart);
  }
  for (int n = 1; n <= 3; ++n) rig.send("ereport.t.dead", way(3, n), kStart + n);
  at(10 * kSecond);
  EXPECT_EQ(suspects(), "hc://expander=3 80; hc://hba=3 20; ");
}

TEST_F(TwoWays, TheOtherWayOfOneDiskIsAnotherStory) {
  for (int n = 1; n <= 3; ++n) rig.send("ereport.t.dead", way(3, n), kStart + n);
  rig.send("ereport.t.dead", way(1, 4), kStart + kSecond);
  at(kMinute);
  EXPECT_EQ(verdicts(), "SOLVED dead hc://way=1-4; SOLVED shared hc://hba=3");
}

// The findings are about the disks and not about one of their paths, so neither controller explains them. fmd accuses
// no controller and leaves the disks alone.
TEST_F(TwoWays, FailingDisksAccuseNeitherController) {
  for (int n = 1; n <= 6; ++n) dies(n, n);
  at(10 * kMinute);
  for (int n = 1; n <= 6; ++n) {
    const std::vector<const Case*> about = rig.engine->cases_by_fru(Rig::disk(n));
    ASSERT_EQ(about.size(), 1u) << n;
    EXPECT_NE(about.front()->undecided(), "") << n;
  }
}

// Of fourteen disks, all with a way over each of two controllers, less than half are in use when one fails.
TEST_F(TwoWays, ThatOnlyOneOfThemFailsIsNoChance) {
  for (const int n : {1, 3}) {
    std::vector<Edge> edges;
    for (const int disk : {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16, 21, 22}) {
      if (n == 1 && disk > 20) rig.put_disk(disk, kStart);
      edges.push_back({Relation::path, Rig::disk(disk)});
      edges.push_back({Relation::path, way(n, disk)});
      state_of(n, disk, "active");
    }
    rig.put(hba(n), "hba", {{"name", fmt::format("HBA {}", n)}}, edges, kStart);
  }
  controller(2, {});
  rig.news();
  for (int n = 1; n <= 6; ++n) rig.send("ereport.t.dead", way(3, n), kStart + n);
  at(2 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=3") << "6 of 14, by 28 ways";
}

TEST_F(TwoWays, TheWaySurvivesARestart) {
  Rows rows;
  for (int n = 1; n <= 3; ++n) {
    rig.send("ereport.t.dead", way(3, n), kStart + n);
    keep(*rig.engine, rows);
    restart(rig, rows);
  }
  at(10 * kSecond);
  EXPECT_EQ(suspects(), "hc://hba=3 100; ");
}

// --- a part that is in a case already

class OlderCase : public Common {
 protected:
  OlderCase() { rig.send("ereport.t.noise", Rig::disk(1), kStart); }
};

TEST_F(OlderCase, OfSomethingElseCountsWithTheOthers) {
  ASSERT_EQ(verdicts(), "SOLVED link dev://wwn=1");
  for (int n = 1; n <= 3; ++n) dies(n, kMinute + n * kSecond);
  at(kMinute + 10 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED link dev://wwn=1; SOLVED shared hc://hba=1");
  EXPECT_EQ(rig.engine->find_case("1")->suspects.size(), 1u);
}

TEST_F(OlderCase, HasTheVerdictOnItAloneAsWell) {
  dies(1, kMinute);
  at(kMinute + 5 * kSecond);
  EXPECT_EQ(rig.engine->cases().size(), 1u);
  EXPECT_EQ(rig.engine->find_case("1")->suspects.size(), 2u);
}

TEST_F(OlderCase, KeepsWhatTheCauseDoesNotExplain) {
  dies(1, 2 * kSecond);
  at(7 * kSecond);
  ASSERT_EQ(rig.engine->find_case("1")->suspects.size(), 2u);
  for (const int n : {2, 3, 4}) dies(n, 30 * kSecond + n);
  at(40 * kSecond);
  EXPECT_EQ(cause().suspects.front().resource, hba(1));
  const Case& older = *rig.engine->find_case("1");
  EXPECT_EQ(older.suspects[0].status, SuspectStatus::faulty) << "a bad link it has all the same";
  EXPECT_EQ(older.suspects[1].status, SuspectStatus::acquitted);
}

TEST_F(Common, TwoMayBeAPersonsHands) {
  controller(1, {1, 2});
  controller(3, {3, 4, 5, 6});
  for (int n = 1; n <= 2; ++n) state(n, "gone", n * kSecond);
  at(30 * kSecond);
  EXPECT_EQ(verdicts(), "") << "their bays may yet turn out empty";
  at(2 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
}

TEST_F(Common, WhatAControllersResetPassesThroughIsWaitedFor) {
  for (int n = 1; n <= 6; ++n) state(n, "blocked", n * kSecond);
  at(kMinute);
  for (int n = 1; n <= 6; ++n) state(n, "there", kMinute + n);
  at(10 * kMinute);
  EXPECT_EQ(verdicts(), "");
  EXPECT_EQ(rig.news(), "");
}

// --- what is above is known to be at fault

TEST_F(Common, AShelfThatIsGoneExplainsEvenOneDiskInIt) {
  shelf();
  rig.send("ereport.t.stop", "hc://chassis=c", kStart);
  at(kMinute);
  ASSERT_EQ(verdicts(), "SOLVED shelf hc://chassis=c");
  rig.news();
  dies(1, 2 * kMinute);
  at(10 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shelf hc://chassis=c");
  EXPECT_EQ(rig.news(), "");
  EXPECT_EQ(rig.engine->find_case("2")->explained_by, "1");
  rig.send("sysevent.t.clear", "hc://chassis=c", kStart + 11 * kMinute);
  EXPECT_EQ(verdicts(), "RESOLVED shelf hc://chassis=c");
  EXPECT_EQ(rig.engine->cases().size(), 1u) << "what goes on is found again";
}

TEST_F(Common, WhatIsFoundWhileTheShelfIsWaitedForIsExplainedByIt) {
  shelf();
  rig.send("ereport.t.stop", "hc://chassis=c", kStart);
  dies(1, kMinute - kSecond);
  at(kMinute);
  at(2 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shelf hc://chassis=c");
}

// The end of its hold brings it there: no event of the journal would after a restart.
TEST_F(Common, EvidenceThatTimeHasExplainedIsWritten) {
  shelf();
  rig.send("ereport.t.stop", "hc://chassis=c", kStart);
  at(kMinute);
  rig.errors(3, Rig::disk(1), kStart + 2 * kMinute);
  (void)rig.engine->take_decided();
  at(3 * kMinute);
  ASSERT_EQ(rig.engine->find_case("2")->explained_by, "1");
  const std::vector<StateRow> rows = rig.engine->take_decided();
  const auto written = std::find_if(rows.begin(), rows.end(), [](const StateRow& row) {
    return row.kind == "evidence" && row.key == "1";
  });
  ASSERT_NE(written, rows.end());
  EXPECT_EQ(nlohmann::json::parse(written->doc)["count"],
            rig.engine->find_case("1")->evidence_count);
}

TEST_F(Common, AShelfAcquittedLetsItsDisksBeJudged) {
  shelf();
  rig.send("ereport.t.stop", "hc://chassis=c", kStart);
  at(kMinute);
  dies(1, 2 * kMinute);
  ASSERT_TRUE(
      rig.engine->judge(Engine::Verdict::acquitted, "1", "", "admin", kStart + 3 * kMinute));
  EXPECT_EQ(verdicts(), "RESOLVED shelf hc://chassis=c; SOLVED dead dev://wwn=1");
}

TEST_F(Common, DisksAndTheirShelfAreOneCase) {
  shelf();
  for (int n = 1; n <= 3; ++n) dies(n, n);
  rig.send("ereport.t.stop", "hc://chassis=c", kStart + 6 * kSecond);
  at(10 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_EQ(rig.news(), "diagnosed:5") << "one message";
  for (int n = 1; n <= 3; ++n) rig.send("sysevent.t.clear", Rig::disk(n), kStart + 11 * kMinute);
  at(20 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shelf hc://chassis=c; RESOLVED shared hc://hba=1")
      << "of the disks it was not said again";
}

TEST_F(Common, ABadLinkToThemIsTheCause) {
  rig.send("ereport.t.noise", hba(1), kStart);
  ASSERT_EQ(verdicts(), "SOLVED link hc://hba=1");
  for (int n = 1; n <= 3; ++n) dies(n, kMinute + n);
  at(kMinute + 10 * kSecond);
  EXPECT_EQ(rig.engine->cases_by_asru(hba(1)).size(), 1u);
  EXPECT_EQ(cause().suspects.size(), 2u);
  dies(11, 2 * kMinute);
  at(3 * kMinute);
  EXPECT_EQ(rig.engine->cases_by_asru(Rig::disk(11)).size(), 1u);
}

TEST_F(Common, ABadLinkExplainsNoLoneDisk) {
  rig.send("ereport.t.noise", hba(1), kStart);
  dies(1, kMinute);
  at(2 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED link hc://hba=1; SOLVED dead dev://wwn=1");
}

// --- a restart in the midst of an outage

TEST_F(Common, WhatHasDroppedOffIsStillKnownToHangThere) {
  Rows rows;
  controller(1, {});
  keep(*rig.engine, rows);
  restart(rig, rows);
  for (int n = 1; n <= 6; ++n) dies(n, n);
  at(10 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
}

TEST_F(Common, ADiskThatHasLostItsPathStillHangsThere) {
  controller(1, {});
  for (int n = 1; n <= 6; ++n) dies(n, n);
  at(10 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
}

}  // namespace
}  // namespace fmd
