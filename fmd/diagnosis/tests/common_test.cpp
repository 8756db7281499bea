// What several verdicts have in common: a cause is accused in their place, and given up again.
#include <random>

#include "fmd/diagnosis/tests/common_rig.h"

namespace fmd {
namespace {

using namespace test;

TEST_F(Common, ALoneDiskWaitsForOthersAndIsAccused) {
  dies(1, 0);
  EXPECT_EQ(verdicts(), "");
  EXPECT_EQ(rig.news(), "") << "nothing is said, nothing is done";
  at(5 * kSecond - 1);
  EXPECT_EQ(verdicts(), "");
  at(5 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1");
}

TEST_F(Common, TheRulesOwnHoldIsTimeOfWaiting) {
  rig.errors(3, Rig::disk(1), kStart, 0);
  at(15 * kSecond - 1);
  EXPECT_EQ(verdicts(), "");
  at(15 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED errors dev://wwn=1") << "as without the rule";
}

TEST_F(Common, HalfOfThemAccuseWhatTheyHangOn) {
  dies(1, 0);
  dies(2, kSecond);
  EXPECT_EQ(verdicts(), "") << "two of six";
  dies(3, 2 * kSecond);
  at(10 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_EQ(rig.news(), "diagnosed:4") << "one message";
  EXPECT_EQ(cause().description,
            "3 of 6 failed within 2s; of 6 elsewhere none did: SLOT 01, SLOT 02, SLOT 03");
  EXPECT_EQ(cause().evidence_count, 3u);
  EXPECT_EQ(rig.engine->find_case("1")->explained_by, cause().uuid);
  dies(4, 30 * kSecond);
  at(kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1") << "what comes later is explained as well";
  EXPECT_EQ(cause().evidence_count, 4u);
  EXPECT_EQ(rig.news(), "");
}

TEST_F(Common, OneAfterTheOtherAccuseItBeforeHalfOfThemFail) {
  for (int n = 7; n <= 10; ++n) rig.put_disk(n, kStart);
  controller(1, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (int n = 1; n <= 4; ++n) {
    at(n * 4 * kSecond);
    dies(n, n * 4 * kSecond);
  }
  at(40 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_EQ(rig.news(), "diagnosed:4") << "one message, about the controller";
}

TEST_F(Common, ButNotForEver) {
  dies(1, 0);
  dies(2, 2 * kSecond);
  at(2 * kMinute - 1);
  EXPECT_EQ(verdicts(), "");
  at(2 * kMinute + 2 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1; SOLVED dead dev://wwn=2") << "two of six";
}

TEST_F(Common, WhatIsSaidOfAWayToADiskCountsForTheDisk) {
  for (const int n : {1, 2, 3})
    rig.put(fmt::format("hc://way={}", n), "path", {}, {{Relation::path, Rig::disk(n)}}, kStart,
            "ways");
  for (const int n : {1, 2, 3})
    rig.send("ereport.t.dead", fmt::format("hc://way={}", n), kStart + n * kSecond);
  at(10 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_NE(cause().description.find("3 of 6 failed"), std::string::npos) << cause().description;
}

TEST_F(Common, TwoDisksMinutesApartAreTwo) {
  controller(1, {1, 2, 3, 4, 5, 6});
  dies(1, 0);
  at(3 * kMinute);
  dies(2, 3 * kMinute);
  at(5 * kMinute + kSecond);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1; SOLVED dead dev://wwn=2");
}

TEST_F(Common, OthersThatFollowExonerateTheFirst) {
  dies(1, 0);
  at(30 * kSecond);
  ASSERT_EQ(verdicts(), "SOLVED dead dev://wwn=1");
  for (const int n : {2, 3, 4}) dies(n, 30 * kSecond + n);
  at(40 * kSecond);
  EXPECT_EQ(cause().suspects.front().resource, hba(1));
  EXPECT_EQ(rig.engine->find_case("1")->suspects.front().status, SuspectStatus::acquitted);
  EXPECT_EQ(rig.engine->find_case("1")->state, CaseState::resolved) << "nothing was retired yet";
  EXPECT_EQ(cause().state, CaseState::solved) << "they fail still";
  for (const int disk : {1, 2, 3, 4})
    rig.send("sysevent.t.clear", Rig::disk(disk), kStart + kMinute);
  EXPECT_EQ(cause().state, CaseState::resolved);
}

TEST_F(Common, TwoOfFourOnBothSidesAreTwoControllers) {
  for (int n = 1; n <= 6; ++n) {
    dies(n, n);
    dies(n + 10, n);
  }
  at(kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1; SOLVED shared hc://hba=2");
}

TEST_F(Common, WhatBothHangOnIsAccusedWhereAllOfItFails) {
  rig.put("hc://bridge=1", "pci", {}, {{Relation::path, hba(1)}, {Relation::path, hba(2)}}, kStart);
  for (int n = 1; n <= 6; ++n) dies(n, n);
  at(kMinute);
  EXPECT_EQ(cause().suspects.front().resource, hba(1));
  for (int n = 11; n <= 16; ++n) dies(n, kMinute + n);
  at(2 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://bridge=1; RESOLVED shared hc://hba=1")
      << "the wider cause takes over";
  const std::string wider = rig.engine->cases_by_asru("hc://bridge=1").at(0)->uuid;
  for (const auto& [uuid, c] : rig.engine->cases())
    if (c.state == CaseState::unsolved) {
      EXPECT_EQ(c.explained_by, wider);
    }
}

TEST_F(Common, TwoWaysToTheSameDisksAreBothSuspects) {
  controller(3, {1, 2, 3, 4, 5, 6});
  for (int n = 1; n <= 3; ++n) dies(n, n);
  at(10 * kSecond);
  ASSERT_EQ(cause().suspects.size(), 2u);
  EXPECT_EQ(cause().suspects[0].certainty, 50);
  EXPECT_EQ(cause().suspects[1].certainty, 50);
}

TEST_F(Common, WhatIsOnlyExplainedAccusesNothingAndIsForgottenWithTheCause) {
  const auto speed = [&](int disk, const char* how, int64_t at) {
    rig.put(Rig::disk(disk), "disk", {{"speed", std::string(how)}}, {}, kStart + at, "v");
  };
  for (int n = 1; n <= 6; ++n) speed(n, "slow", n);
  for (int n = 1; n <= 3; ++n) state(n, "lost", kMinute + n);
  at(kMinute + 10 * kSecond);
  ASSERT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  at(20 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1") << "those that hang on it, failing or not";
  for (int n = 1; n <= 3; ++n) state(n, "there", 30 * kMinute);
  at(31 * kMinute);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1") << "slow counts from now";
  at(46 * kMinute);
  EXPECT_EQ(rig.engine->cases().size(), 7u) << "and is what it is then";
}

TEST_F(Common, ItEndsWhenTheyAreWellAgain) {
  for (int n = 1; n <= 3; ++n) state(n, "lost", n);
  at(10 * kSecond);
  ASSERT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  for (int n = 1; n <= 2; ++n) state(n, "there", kMinute);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1");
  state(3, "there", kMinute + 2 * kSecond);
  at(kDay);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1") << "the last one was only slower";
  EXPECT_EQ(rig.engine->cases().size(), 1u);
}

TEST_F(Common, OneThatGoesOnGetsItsOwnCase) {
  for (int n = 1; n <= 3; ++n) state(n, "lost", n);
  at(10 * kSecond);
  for (int n = 1; n <= 2; ++n) state(n, "there", kMinute);
  at(2 * kMinute - 1);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1");
  at(2 * kMinute + kSecond);
  EXPECT_EQ(verdicts(), "SOLVED lost dev://wwn=3; RESOLVED shared hc://hba=1");
}

TEST_F(Common, AnAcquittalLetsEachBeJudgedAtOnce) {
  for (int n = 1; n <= 3; ++n) dies(n, n);
  at(10 * kSecond);
  rig.news();
  ASSERT_TRUE(
      rig.engine->judge(Engine::Verdict::acquitted, cause().uuid, "", "admin", kStart + kMinute));
  EXPECT_EQ(verdicts(),
            "SOLVED dead dev://wwn=1; SOLVED dead dev://wwn=2; SOLVED dead dev://wwn=3; RESOLVED "
            "shared hc://hba=1");
  dies(4, kMinute + kSecond);
  dies(5, kMinute + 2 * kSecond);
  at(2 * kMinute);
  EXPECT_EQ(rig.engine->cases().at("5").fault_class, "fault.t.dead") << "a person knows better";
}

TEST_F(Common, ARepairForgetsWhatItExplained) {
  for (int n = 1; n <= 3; ++n) dies(n, n);
  at(10 * kSecond);
  ASSERT_TRUE(
      rig.engine->judge(Engine::Verdict::repaired, cause().uuid, "", "admin", kStart + kMinute));
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1");
  EXPECT_EQ(rig.engine->cases().size(), 1u);
  dies(1, 2 * kMinute);
  at(3 * kMinute);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1; SOLVED dead dev://wwn=1");
}

TEST_F(Common, AClearOfEachEndsIt) {
  for (int n = 1; n <= 3; ++n) dies(n, n);
  at(10 * kSecond);
  for (int n = 1; n <= 3; ++n) rig.send("sysevent.t.clear", Rig::disk(n), kStart + kMinute + n);
  at(kDay);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1");
  EXPECT_EQ(rig.engine->cases().size(), 1u);
}

TEST_F(Common, SurvivesARestartAtEachStep) {
  Rows rows;
  const auto again = [&] {
    keep(*rig.engine, rows);
    restart(rig, rows);
  };
  again();
  for (int n = 1; n <= 3; ++n) {
    state(n, "lost", n * kSecond);
    again();
  }
  at(10 * kSecond);
  again();
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  for (int n = 1; n <= 2; ++n) {
    state(n, "there", kMinute + n);
    again();
  }
  at(3 * kMinute);
  again();
  EXPECT_EQ(verdicts(), "SOLVED lost dev://wwn=3; RESOLVED shared hc://hba=1");
}

// What every history has to keep: what waits is waited for by somebody, what is explained is so by an
// open case, and nothing that is explained has a verdict beside it.
class CommonHistory : public Common, public ::testing::WithParamInterface<unsigned> {
 protected:
  void check() {
    for (const auto& [uuid, c] : rig.engine->cases()) {
      if (c.state != CaseState::unsolved) {
        EXPECT_EQ(c.explained_by, "");
        continue;
      }
      if (c.explained_by.empty()) {
        EXPECT_TRUE(rig.engine->next_deadline_ns()) << uuid;
        continue;
      }
      const Case* by = rig.engine->find_case(c.explained_by);
      ASSERT_TRUE(by) << uuid;
      EXPECT_TRUE(by->open() && by->faulty()) << uuid << " by " << by->uuid;
    }
  }
  void step(std::mt19937& random, int64_t now) {
    const int disk = 1 + static_cast<int>(random() % 6) + (random() % 3 == 0 ? 10 : 0);
    switch (random() % 12) {
      case 0:
      case 1:
      case 2:
        return dies(disk, now);
      case 3:
      case 4:
        return state(disk, "lost", now);
      case 5:
      case 6:
        return state(disk, "there", now);
      case 7:
        return rig.send("sysevent.t.clear", Rig::disk(disk), kStart + now);
      case 8:
        return rig.errors(3, Rig::disk(disk), kStart + now, 0);
      case 9:
        return controller(disk > 10 ? 2 : 1, {}, kStart + now);
      case 10:
        rig.gone(Rig::disk(disk), random() % 2 ? "removed" : "detached", kStart + now);
        return rig.put_disk(disk, kStart + now);
      default:
        for (const auto& [uuid, c] : std::map(rig.engine->cases()))
          if (c.open() && random() % 4 == 0) {
            const auto verdict = random() % 2 ? Judgement::repaired : Judgement::acquitted;
            (void)rig.engine->judge(verdict, uuid, "", "admin", kStart + now);
          }
    }
  }
};

TEST_P(CommonHistory, KeepsItsBooksWithARestartAfterEachStep) {
  std::mt19937 random(GetParam());
  Rows rows;
  int64_t now = 0;
  for (int i = 0; i < 80; ++i) {
    now += static_cast<int64_t>(random() % 20) * kSecond;
    at(now);
    step(random, now);
    check();
    if (HasFailure()) FAIL() << "step " << i;
    if (GetParam() % 2) continue;
    keep(*rig.engine, rows);
    const std::string before = verdicts();
    restart(rig, rows);
    EXPECT_EQ(verdicts(), before);
  }
  at(now + kDay);
  for (int n = 1; n <= 6; ++n)
    for (const int disk : {n, n + 10}) {
      state(disk, "there", now + kDay);
      rig.send("sysevent.t.clear", Rig::disk(disk), kStart + now + kDay);
    }
  at(now + 2 * kDay);
  for (const auto& [uuid, c] : rig.engine->cases()) {
    EXPECT_EQ(c.state, CaseState::resolved) << uuid << " " << c.fault_class;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, CommonHistory, ::testing::Range(0U, 16U));

TEST_F(Common, WithoutTheRuleEachIsJudgedByItself) {
  for (int n = 1; n <= 3; ++n) dies(n, n);
  rig.engine->set_rules(rules_of(kRules, rig.schema));
  at(kMinute);
  for (const auto& [uuid, c] : rig.engine->cases())
    EXPECT_NE(c.state, CaseState::unsolved) << uuid << " waits for good";
}

}  // namespace
}  // namespace fmd
