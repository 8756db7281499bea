// Several below one part fail at once, too few to say that it is that: each has its case, and none is given up
// for it.
#include "fmd/base/json.h"
#include "fmd/diagnosis/tests/common_rig.h"

namespace fmd {
namespace {

using namespace test;

class Undecided : public Common {
 protected:
  // One controller, and nothing elsewhere to compare with.
  explicit Undecided(const std::string& more_rules = {}) : Common(more_rules) {
    for (const int n : {7, 8}) rig.put_disk(n, kStart);
    controller(1, {1, 2, 3, 4, 5, 6, 7, 8});
    controller(2, {});
    for (int n = 11; n <= 16; ++n) rig.gone(Rig::disk(n), "removed", kStart);
    rig.news();
  }
  // Each deadline at its time, as the daemon has it.
  void until(int64_t to) {
    for (auto next = rig.engine->next_deadline_ns(); next && *next <= kStart + to;
         next = rig.engine->next_deadline_ns())
      rig.engine->on_time(*next);
    at(to);
  }
  void three() {
    for (int n = 1; n <= 3; ++n) dies(n, n * kSecond);
    until(90 * kSecond);
  }
  const Case& of_disk(int n) const { return *rig.engine->cases_by_fru(Rig::disk(n)).at(0); }
  // By disk, as rows tell it.
  std::string doubts_that_wait() {
    keep(*rig.engine, rows_);
    std::string out;
    for (const auto& [key, doc] : rows_)
      if (const auto row = nlohmann::json::parse(doc); key.first == "hold" && row.contains("doubt"))
        out += fmt::format("{}: {}\n", key.second.back(), row["doubt"].get<std::string>());
    return out;
  }
  std::string doubts() const {
    std::string out;
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.faulty()) out += c.undecided().empty() ? "- " : "? ";
    return out;
  }

 private:
  Rows rows_;
};

TEST_F(Undecided, EachHasItsCaseAndItsReasonToWait) {
  three();
  EXPECT_EQ(verdicts(),
            "SOLVED dead dev://wwn=1; SOLVED dead dev://wwn=2; SOLVED dead dev://wwn=3");
  EXPECT_EQ(doubts(), "? ? ? ");
  EXPECT_EQ(
      of_disk(1).undecided(),
      "3 of 8 disks behind HBA 1 failed within 2s of each other, so it may be a cable or HBA 1 "
      "itself and not the disk");
  EXPECT_NE(of_disk(1).description.find(of_disk(1).undecided()), std::string::npos)
      << of_disk(1).description;
  EXPECT_EQ(rig.news(), "diagnosed:1 diagnosed:2 diagnosed:3");
}

// The daemon wakes a moment after the deadline.
TEST_F(Undecided, AllOfOneInstantAreInTheSameDoubt) {
  for (int n = 1; n <= 3; ++n) dies(n, 0);
  at(kMinute + kSecond / 1000);
  EXPECT_EQ(doubts(), "? ? ? ");
}

TEST_F(Undecided, WhoeverIsAloneWhenItsCaseComesIsDecided) {
  for (int n = 1; n <= 3; ++n) dies(n, n * 10 * kSecond);
  until(75 * kSecond);
  EXPECT_EQ(doubts(), "? ");
  for (int n = 2; n <= 3; ++n) rig.send("sysevent.t.clear", Rig::disk(n), kStart + 76 * kSecond);
  until(100 * kSecond);
  EXPECT_EQ(of_disk(1).undecided(), "");
}

// One found after the first was judged as well, and those that have waited, in the words of the last.
TEST_F(Undecided, WhatStillWaitsIsInTheSameDoubt) {
  for (int n = 1; n <= 3; ++n) dies(n, (n - 1) * 10 * kSecond);
  until(61 * kSecond);
  const std::string of = " of each other, so it may be a cable or HBA 1 itself and not the disk";
  EXPECT_EQ(doubts_that_wait(), "2: 3 of 8 disks behind HBA 1 failed within 20s" + of + "\n" +
                                    "3: 3 of 8 disks behind HBA 1 failed within 20s" + of + "\n");
  rig.send("sysevent.t.clear", Rig::disk(1), kStart + 62 * kSecond);
  dies(4, 63 * kSecond);
  until(71 * kSecond);
  EXPECT_EQ(doubts_that_wait(), "3: 3 of 8 disks behind HBA 1 failed within 53s" + of + "\n" +
                                    "4: 3 of 8 disks behind HBA 1 failed within 53s" + of + "\n");
}

TEST_F(Undecided, TwoMayWellBeTwo) {
  for (int n = 1; n <= 2; ++n) dies(n, n * kSecond);
  until(2 * kMinute);
  EXPECT_EQ(doubts(), "- - ");
}

TEST_F(Undecided, MinutesApartTheyAreThree) {
  for (int n = 1; n <= 3; ++n) {
    dies(n, n * 3 * kMinute);
    until(n * 3 * kMinute + 5 * kSecond);
  }
  EXPECT_EQ(doubts(), "- - - ");
}

TEST_F(Undecided, WhereOthersFailBesideThemNoPathIsInCommon) {
  for (int n = 11; n <= 16; ++n) rig.put_disk(n, kStart);
  controller(2, {11, 12, 13, 14, 15, 16});
  for (const int n : {1, 2, 3, 11, 12}) dies(n, n * kSecond);
  until(2 * kMinute);
  EXPECT_EQ(doubts(), "- - - - - ");
}

TEST_F(Undecided, AFourthOfEightDecidesIt) {
  three();
  dies(4, 100 * kSecond);
  EXPECT_EQ(
      verdicts(),
      "RESOLVED dead dev://wwn=1; RESOLVED dead dev://wwn=2; RESOLVED dead dev://wwn=3; SOLVED "
      "shared hc://hba=1");
}

TEST_F(Undecided, TheLastOneLeftIsDecided) {
  three();
  rig.send("sysevent.t.clear", Rig::disk(1), kStart + 3 * kMinute);
  EXPECT_EQ(doubts(), "? ? ");
  rig.send("sysevent.t.clear", Rig::disk(2), kStart + 4 * kMinute);
  EXPECT_EQ(doubts(), "- ");
  EXPECT_EQ(of_disk(3).description, "d");
}

TEST_F(Undecided, WhatOnlyADiskCanHaveDecidesIt) {
  three();
  rig.send("ereport.t.medium", Rig::disk(2), kStart + 3 * kMinute);
  EXPECT_EQ(doubts(), "? - ? ");
}

TEST_F(Undecided, SurvivesARestart) {
  three();
  Rows rows;
  keep(*rig.engine, rows);
  restart(rig, rows);
  EXPECT_EQ(doubts(), "? ? ? ");
  for (int n = 1; n <= 2; ++n) rig.send("sysevent.t.clear", Rig::disk(n), kStart + 3 * kMinute);
  EXPECT_EQ(doubts(), "- ");
}

TEST_F(Undecided, APersonsWordOnWhatTheyHangOnDecidesIt) {
  three();
  dies(4, 100 * kSecond);
  ASSERT_TRUE(rig.engine->judge(Engine::Verdict::acquitted, cause().uuid, "", "admin",
                                kStart + 3 * kMinute));
  EXPECT_EQ(doubts(), "- - - - ") << "a person has looked, and it is not that";
}

// The same where the time says it.
class AtOnce : public Undecided {
 protected:
  AtOnce() : Undecided("[[override]]\nrule = \"shared\"\nat_once = \"30s\"\n") {}
};

TEST_F(AtOnce, ThreeThatFailWithinSecondsAreNoChance) {
  three();
  ASSERT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_EQ(cause().suspects.front().facts.at("failing"), "3 of 8");
  EXPECT_EQ(rig.news(), "diagnosed:4") << "one message, and not before all had their time";
}

TEST_F(AtOnce, TheirMinuteIsWaitedFor) {
  for (int n = 1; n <= 3; ++n) dies(n, n * kSecond);
  until(30 * kSecond);
  EXPECT_EQ(verdicts(), "") << "others below may yet say that it is further up";
}

TEST_F(AtOnce, TwoMayWellBeTwo) {
  for (int n = 1; n <= 2; ++n) dies(n, n * kSecond);
  until(2 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1; SOLVED dead dev://wwn=2");
}

TEST_F(AtOnce, WhoeverSaysWhyItFailsIsNotCounted) {
  for (int n = 1; n <= 3; ++n) dies(n, n * kSecond);
  rig.send("ereport.t.medium", Rig::disk(2), kStart + 4 * kSecond);
  until(2 * kMinute);
  EXPECT_EQ(verdicts().find("shared"), std::string::npos) << verdicts();
  EXPECT_EQ(doubts(), "? ? - ") << "its case is the one that tells of the medium";
}

TEST_F(AtOnce, WithinTheMinuteTheyAreInDoubt) {
  for (int n = 1; n <= 3; ++n) dies(n, n * 18 * kSecond);
  until(2 * kMinute);
  EXPECT_EQ(doubts(), "? ? ? ");
}

TEST_F(AtOnce, MinutesApartTheyAreThree) {
  for (int n = 1; n <= 3; ++n) {
    dies(n, n * 3 * kMinute);
    until(n * 3 * kMinute + 5 * kSecond);
  }
  EXPECT_EQ(doubts(), "- - - ");
}

TEST_F(AtOnce, APersonWhoHasSaidThatItIsTheDisksIsBelieved) {
  three();
  ASSERT_TRUE(rig.engine->judge(Engine::Verdict::acquitted, cause().uuid, "", "admin",
                                kStart + 3 * kMinute));
  EXPECT_EQ(verdicts(),
            "SOLVED dead dev://wwn=1; SOLVED dead dev://wwn=2; SOLVED dead dev://wwn=3; RESOLVED "
            "shared hc://hba=1");
}

}  // namespace
}  // namespace fmd
