// What leaves and is there again, in the same moments: once, twice, three times; alone, and with others.
#include "fmd/diagnosis/recurrence.h"
#include "fmd/diagnosis/tests/common_rig.h"

namespace fmd {
namespace {

using namespace test;

constexpr const char* kFlapping = R"(
[[rule]]
name = "flaps"
kind = "serd"
events = ["sysevent.t.removed"]
count = 3
within = "24h"
fault = "fault.t.flaps"

[[rule]]
name = "flap-together"
kind = "common"
faults = ["fault.t.flaps"]
explains = ["fault.t.lost"]
along = ["path"]
parts = "disk"
count = 2
moment = "10s"
within = "30s"
wait = "5s"
hold = "30s"
well = 0.9
over_after = "7d"
fault = "fault.t.shared"

[[fault]]
class = "fault.t.flaps"
dictionary = "T"
number = 20
severity = "Major"
title = "flaps"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.retire]
first = "out-of-service"
spare = true
[fault.repair]
on = ["sysevent.t.clear"]
)";

class Recurring : public Common {
 protected:
  Recurring() : Common(kFlapping) {}
  void until(int64_t to) {
    for (auto next = rig.engine->next_deadline_ns(); next && *next <= kStart + to;
         next = rig.engine->next_deadline_ns())
      rig.engine->on_time(*next);
    at(to);
  }
  void leaves(int disk, int64_t when) {
    until(when);
    rig.send("sysevent.t.removed", Rig::disk(disk), kStart + when);
  }
  // One after the other, a second apart.
  void leave(const std::vector<int>& disks, int64_t when) {
    for (const int disk : disks) leaves(disk, std::exchange(when, when + kSecond));
  }
  const std::vector<int> all_of_a{1, 2, 3, 4, 5, 6};
};

TEST_F(Recurring, ThreeTimesTogetherIsWhatTheyShare) {
  for (int n = 0; n < 3; ++n) leave(all_of_a, n * 3 * kMinute);
  until(kDay / 4);
  ASSERT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_EQ(cause().retire.first, "");
  EXPECT_EQ(rig.news(), "diagnosed:7") << "one message";
  EXPECT_EQ(cause().suspects.front().facts.at("repeated"), ", 3 times");
  EXPECT_EQ(cause().suspects.front().facts.at("failing"), "6 of 6");
}

TEST_F(Recurring, TwiceTogetherIsAPerson) {
  for (int n = 0; n < 2; ++n) leave(all_of_a, n * 3 * kMinute);
  until(kDay);
  EXPECT_EQ(rig.news(), "");
}

TEST_F(Recurring, AloneItIsTheDisk) {
  for (int n = 0; n < 3; ++n) leaves(1, n * 3 * kMinute);
  until(kDay / 4);
  EXPECT_EQ(verdicts(), "SOLVED flaps dev://wwn=1");
}

// A disk that had flapped by itself is the first with three events when its shelf restarts.
TEST_F(Recurring, ADisksThirdTimeThatIsEverybodysIsNotItsOwn) {
  for (const int64_t when : {0, 3}) leaves(1, when * kMinute);
  leave(all_of_a, 10 * kMinute);
  until(20 * kMinute);
  EXPECT_EQ(verdicts(), "") << "two of its own, and one of all";
  leaves(1, 21 * kMinute);
  until(22 * kMinute);
  EXPECT_EQ(verdicts(), "SOLVED flaps dev://wwn=1") << "the third of its own";
}

TEST_F(Recurring, WhatOneHadByItselfIsForgottenWhereAllHaveItThreeTimes) {
  leaves(1, 0);
  for (int n = 1; n <= 3; ++n) leave(all_of_a, n * 3 * kMinute);
  until(kDay / 4);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
}

TEST_F(Recurring, OfSomeAnEventIsMissing) {
  leave({1, 2, 4, 5}, 0);
  leave({1, 2, 3, 6}, 3 * kMinute);
  leave({1, 2, 3, 5}, 6 * kMinute);
  until(kDay / 4);
  ASSERT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  EXPECT_EQ(cause().suspects.front().facts.at("failing"), "4 of 6");
}

TEST_F(Recurring, MinutesApartEachIsItsOwn) {
  for (int n = 0; n < 3; ++n)
    for (const int disk : {1, 2, 3, 4}) leaves(disk, (n * 20 + disk * 3) * kMinute);
  until(kDay / 4);
  EXPECT_EQ(verdicts(),
            "SOLVED flaps dev://wwn=1; SOLVED flaps dev://wwn=2; SOLVED flaps dev://wwn=3; SOLVED "
            "flaps dev://wwn=4");
}

TEST_F(Recurring, WhereOthersLeaveAsWellItIsNotThat) {
  for (int n = 0; n < 3; ++n) leave({1, 2, 3, 11}, n * 3 * kMinute);
  until(kDay / 4);
  EXPECT_EQ(verdicts().find("shared"), std::string::npos) << verdicts();
}

TEST_F(Recurring, MoreOfItIsNoNews) {
  for (int n = 0; n < 8; ++n) leave(all_of_a, n * 3 * kMinute);
  until(kDay / 4);
  EXPECT_EQ(rig.news(), "diagnosed:7");
}

TEST_F(Recurring, AWeekWithoutItEndsIt) {
  for (int n = 0; n < 3; ++n) leave(all_of_a, n * 3 * kMinute);
  until(6 * kDay);
  EXPECT_TRUE(cause().faulty());
  until(8 * kDay);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1");
}

TEST_F(Recurring, ItDoesNotEndWhileOneIsGoneForGood) {
  for (int n = 0; n < 3; ++n) leave(all_of_a, n * 3 * kMinute);
  until(10 * kMinute);
  state(2, "lost", 11 * kMinute);
  until(20 * kDay);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  state(2, "well", 20 * kDay);
  until(30 * kDay);
  EXPECT_EQ(verdicts(), "RESOLVED shared hc://hba=1");
}

TEST_F(Recurring, APersonSaysThatItIsTheDisks) {
  for (int n = 0; n < 3; ++n) leave({1, 2, 3}, n * 3 * kMinute);
  until(10 * kMinute);
  ASSERT_EQ(verdicts(), "SOLVED shared hc://hba=1");
  ASSERT_TRUE(rig.engine->judge(Engine::Verdict::acquitted, cause().uuid, "", "admin",
                                kStart + 11 * kMinute));
  EXPECT_EQ(verdicts(),
            "SOLVED flaps dev://wwn=1; SOLVED flaps dev://wwn=2; SOLVED flaps dev://wwn=3; "
            "RESOLVED shared hc://hba=1");
}

TEST_F(Recurring, SurvivesARestartInTheMidst) {
  for (int n = 0; n < 2; ++n) leave(all_of_a, n * 3 * kMinute);
  leave({1, 2, 3}, 6 * kMinute);
  Rows rows;
  keep(*rig.engine, rows);
  restart(rig, rows);
  leave({4, 5, 6}, 6 * kMinute + 3 * kSecond);
  until(kDay / 4);
  EXPECT_EQ(verdicts(), "SOLVED shared hc://hba=1");
}

// A removal of its own, two with all others (which are taken from its count), and two of its own again.
class Replayed : public Recurring {
 public:
  void TestBody() override {}
  std::string verdicts_cut_before(size_t cut, bool checkpoint) {
    std::vector<std::pair<int, int64_t>> removals{{1, 0}};
    for (const int minute : {3, 6})
      for (const int disk : all_of_a)
        removals.emplace_back(disk, minute * kMinute + disk * kSecond);
    for (const int minute : {9, 12}) removals.emplace_back(1, minute * kMinute);
    Rows rows;
    for (size_t i = 0; i < removals.size(); ++i) {
      keep(*rig.engine, rows, checkpoint && i % 4 == 0);
      if (i == cut) restart(rig, rows);
      leaves(removals[i].first, removals[i].second);
    }
    until(kDay / 4);
    return verdicts();
  }
};

TEST(RecurringReplayed, ARestartBetweenAnyTwoChangesNothing) {
  const std::string uncut = Replayed().verdicts_cut_before(SIZE_MAX, true);
  EXPECT_EQ(uncut, "SOLVED flaps dev://wwn=1");
  for (size_t cut = 0; cut < 15; ++cut)
    for (const bool checkpoint : {false, true})
      EXPECT_EQ(Replayed().verdicts_cut_before(cut, checkpoint), uncut) << cut << ' ' << checkpoint;
}

// What is there still of those that it does not explain by itself.
TEST_F(Recurring, ThreeOfManyAreInDoubtWhereItWasSoEachTime) {
  for (const int n : {7, 8}) rig.put_disk(n, kStart);
  controller(1, {1, 2, 3, 4, 5, 6, 7, 8});
  controller(2, {});
  for (int n = 11; n <= 16; ++n) rig.gone(Rig::disk(n), "removed", kStart);
  for (int n = 0; n < 3; ++n) leave({1, 2, 3}, n * 3 * kMinute);
  until(kDay / 4);
  ASSERT_EQ(verdicts(),
            "SOLVED flaps dev://wwn=1; SOLVED flaps dev://wwn=2; SOLVED flaps dev://wwn=3");
  for (const auto& [uuid, c] : rig.engine->cases()) EXPECT_NE(c.undecided(), "");
}

TEST(Moments, AreComparedAroundEachTime) {
  Rule rule;
  rule.moment_ns = 10 * kSecond;
  const Moments moments{{"a", {0, 100 * kSecond}}, {"b", {9 * kSecond}}, {"c", {111 * kSecond}}};
  EXPECT_EQ(together(rule, moments, 0), (Accused{{"a", {}}, {"b", {}}}));
  EXPECT_EQ(together(rule, moments, 101 * kSecond), (Accused{{"a", {}}, {"c", {}}}));
  EXPECT_EQ(together(rule, moments, 50 * kSecond), Accused{});
}

}  // namespace
}  // namespace fmd
