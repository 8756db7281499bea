// What does not accuse yet shows that others may follow: what is found is not judged before they had their time.
#include "fmd/diagnosis/tests/common_rig.h"

namespace fmd {
namespace {

using namespace test;

class Signs : public Common {
 protected:
  void wrong(int disk, int times, int64_t from, int64_t apart = kSecond) {
    for (int i = 0; i < times; ++i)
      rig.send("ereport.t.other", Rig::disk(disk), kStart + from + i * apart);
  }
  void until(int64_t to) {
    for (auto next = rig.engine->next_deadline_ns(); next && *next <= kStart + to;
         next = rig.engine->next_deadline_ns())
      rig.engine->on_time(*next);
    at(to);
  }
  std::string doubts() const {
    std::string out;
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.faulty()) out += c.undecided().empty() ? "- " : "? ";
    return out;
  }
};

// --- counts that come to their limit one after the other

TEST_F(Signs, TheFirstToComeToItsCountWaitsForThoseOnTheWay) {
  for (int n = 2; n <= 6; ++n) wrong(n, 1, n);
  wrong(1, 3, kSecond);
  until(4 * kMinute);
  EXPECT_EQ(verdicts(), "") << "the others have one error each";
  wrong(2, 2, 4 * kMinute);
  EXPECT_EQ(verdicts(), "") << "two are two";
  wrong(3, 2, 5 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_EQ(rig.news(), "diagnosed:4") << "nobody was told of a disk";
  wrong(4, 2, 6 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1") << "it is explained by then";
}

TEST_F(Signs, ALoneDiskWaitsItsFiveSeconds) {
  wrong(11, 1, 0);
  wrong(2, 1, 0);
  wrong(1, 3, 0);
  until(7 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED wrong dev://wwn=1") << "one beside it and one elsewhere";
}

TEST_F(Signs, TwoDisksAreTwo) {
  for (const int n : {1, 2}) wrong(n, 3, 0);
  until(8 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED wrong dev://wwn=1; SOLVED wrong dev://wwn=2");
  EXPECT_EQ(doubts(), "- - ");
}

TEST_F(Signs, TheWaitEnds) {
  for (int n = 2; n <= 4; ++n) wrong(n, 2, 0);
  wrong(1, 3, 0);
  until(10 * kMinute + kSecond);
  EXPECT_EQ(verdicts(), "");
  until(10 * kMinute + 2 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED wrong dev://wwn=1");
  EXPECT_EQ(doubts(), "- ");
}

TEST_F(Signs, ThreeOfManyAreNotDecided) {
  for (int n = 7; n <= 9; ++n) rig.put_disk(n, kStart);
  controller(1, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const int n : {2, 3}) wrong(n, 1, 0);
  wrong(1, 3, 0);
  until(kMinute);
  EXPECT_EQ(verdicts(), "") << "three of nine have errors";
  for (const int n : {2, 3}) wrong(n, 2, kMinute);
  until(12 * kMinute);
  EXPECT_EQ(doubts(), "? ? ? ");
}

TEST_F(Signs, WhereNobodyIsOnTheWayNobodyIsWaitedFor) {
  for (int n = 7; n <= 9; ++n) rig.put_disk(n, kStart);
  controller(1, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (int n = 1; n <= 3; ++n) wrong(n, 3, n * kSecond);
  until(30 * kSecond);
  EXPECT_EQ(doubts(), "? ? ? ") << "three, and the other six show nothing";
}

TEST_F(Signs, TwoControllersAtOnceAreNoControllers) {
  for (int n = 1; n <= 6; ++n)
    for (const int disk : {n, n + 10}) wrong(disk, 3, n * kSecond);
  until(11 * kMinute);
  EXPECT_EQ(verdicts().find("shared"), std::string::npos) << verdicts();
}

TEST_F(Signs, WhereTheOthersShowTheSameTheirOwnControllerIsNotIt) {
  for (int n = 11; n <= 16; ++n) wrong(n, 1, 0);
  for (int n = 1; n <= 4; ++n) wrong(n, 3, n * kSecond);
  until(9 * kMinute);
  EXPECT_EQ(verdicts(), "") << "four of six, but all of the others have begun, too";
}

// All of one controller have come to their count before half of the other's have.
TEST_F(Signs, AWiderPartThatShowsSignsIsWaitedFor) {
  rig.put("hc://bridge=1", "pci", {}, {{Relation::path, hba(1)}, {Relation::path, hba(2)}}, kStart);
  for (int n = 11; n <= 16; ++n) wrong(n, 1, 0);
  for (int n = 1; n <= 6; ++n) wrong(n, 3, n * kSecond);
  until(kMinute);
  EXPECT_EQ(verdicts(), "");
  for (int n = 11; n <= 14; ++n) wrong(n, 2, kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://bridge=1");
  const std::string news = rig.news();
  EXPECT_EQ(news.find("diagnosed"), news.rfind("diagnosed")) << news;
}

TEST_F(Signs, AreKnownAfterARestart) {
  for (int n = 2; n <= 6; ++n) wrong(n, 1, n);
  wrong(1, 3, kSecond);
  Rows rows;
  keep(*rig.engine, rows);
  restart(rig, rows);
  until(4 * kMinute);
  EXPECT_EQ(verdicts(), "");
  for (const int n : {2, 3}) wrong(n, 2, 4 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
}

// --- who would say the rest is away

TEST_F(Signs, OfOthersThatHaveLeftNobodySaysMore) {
  dies(1, 0);
  for (int n = 2; n <= 6; ++n) rig.gone(Rig::disk(n), "removed", kStart + n * kSecond);
  until(4 * kMinute);
  EXPECT_EQ(verdicts(), "") << "five have left, and it is not known why";
  for (int n = 2; n <= 6; ++n) dies(n, 4 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  until(6 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1") << "the first is explained, too";
}

TEST_F(Signs, WhoWasJudgedBesideThemIsTakenOverLater) {
  dies(1, 0);
  for (int n = 2; n <= 6; ++n) rig.gone(Rig::disk(n), "removed", kStart + n * kSecond);
  until(20 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1") << "not for ever";
  for (int n = 2; n <= 6; ++n) dies(n, 20 * kMinute);
  EXPECT_EQ(verdicts(), "RESOLVED dead dev://wwn=1; SOLVED shared hc://hba=1");
}

TEST_F(Signs, WhatAccusesNothingIsASign) {
  dies(1, 0);
  for (int n = 2; n <= 6; ++n)
    rig.put(Rig::disk(n), "disk", {{"speed", std::string("slow")}}, {}, kStart + kSecond, "v");
  until(4 * kMinute);
  EXPECT_EQ(verdicts(), "");
  until(5 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1") << "they were only slow";
}

TEST_F(Signs, WhatHasLeftLongBeforeIsNone) {
  for (int n = 2; n <= 6; ++n) rig.gone(Rig::disk(n), "removed", kStart);
  dies(1, 10 * kMinute);
  until(10 * kMinute + 5 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1");
}

TEST_F(Signs, WhatIsBackIsNone) {
  for (int n = 2; n <= 6; ++n) rig.gone(Rig::disk(n), "removed", kStart);
  dies(1, kSecond);
  for (int n = 2; n <= 6; ++n) rig.put_disk(n, kStart + 3 * kSecond);
  until(6 * kSecond);
  EXPECT_EQ(verdicts(), "SOLVED dead dev://wwn=1");
}

}  // namespace
}  // namespace fmd
