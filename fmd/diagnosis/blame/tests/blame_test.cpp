// The inference on incidents whose cause is known.
#include "fmd/diagnosis/blame/blame.h"

#include "fmd/diagnosis/blame/tests/blame_rig.h"

namespace fmd::blame::test {
namespace {

using Kind = Explanation::Kind;

// Of the first `count` disks, one after the other.
int64_t fail(Blame& blame, size_t count, int64_t gap_ns, const Sign& sign = kHard,
             Way way = Way::path) {
  int64_t at = kBegin;
  for (size_t i = 0; i < count; ++i, at += gap_ns) blame.sign(disk(i), way, sign, at);
  return at - gap_ns;
}

void expect_hub(const Blame& blame, const std::string& name, size_t explains, size_t of) {
  const Explanation best = best_of(blame, disk(0));
  ASSERT_EQ(best.kind, Kind::hub);
  EXPECT_EQ(best.names.front(), name);
  EXPECT_EQ(best.parts.size(), explains);
  EXPECT_EQ(best.of, of);
  EXPECT_GT(best.probability, 0.99);
}

TEST(Blame, AllDisksBehindAnExpanderWithinTwoSeconds) {
  Blame blame = of(Machine().layout());
  const int64_t last = fail(blame, 24, 2 * kSecond / 24);
  ASSERT_EQ(blame.settle(last + kSecond).size(), 1u);
  EXPECT_EQ(best_of(blame, disk(0)).names.front(), "expander-0");
  blame.settle(last + kMinute);
  expect_hub(blame, "expander-0", 24, 24);
  EXPECT_LT(find(account_of(blame, disk(0)), Kind::alone).log_odds, -100);
}

TEST(Blame, OneEverySeventyFiveSeconds) {
  Blame blame = of(Machine().layout());
  const int64_t last = fail(blame, 24, 75 * kSecond);
  blame.settle(last + kMinute);
  expect_hub(blame, "expander-0", 24, 24);
}

TEST(Blame, TheHbaWhereDisksOfBothExpandersFail) {
  Blame blame = of(Machine().layout());
  for (size_t i = 0; i < 48; ++i) blame.sign(disk((i * 7) % 48), Way::path, kHard, kBegin + i);
  ASSERT_EQ(blame.settle(kBegin + kMinute).size(), 1u);
  expect_hub(blame, "hba-0", 48, 48);
}

TEST(Blame, TwoOfTwentyFourHoursApartAreDisks) {
  Blame blame = of(Machine().layout());
  fail(blame, 2, 4 * kHour);
  EXPECT_TRUE(blame.settle(kBegin + 6 * kHour).empty());
  EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::alone);
  EXPECT_EQ(best_of(blame, disk(1)).kind, Kind::alone);
}

TEST(Blame, LoneDiskBesideWellOnes) {
  Blame blame = of(Machine().layout());
  fail(blame, 1, 0);
  EXPECT_TRUE(blame.settle(kBegin + kMinute).empty());
  const Explanation best = best_of(blame, disk(0));
  EXPECT_EQ(best.kind, Kind::alone);
  EXPECT_GT(best.probability, 0.95);
}

TEST(Blame, TheOthersStayingWellCountsWithTime) {
  Blame blame = of(Machine().layout());
  fail(blame, 2, 20 * kSecond);
  const auto odds = [&](int64_t now) {
    blame.settle(now);
    return find(account_of(blame, disk(0)), Kind::hub, "expander-0").log_odds -
           find(account_of(blame, disk(0)), Kind::alone).log_odds;
  };
  const double soon = odds(kBegin + 30 * kSecond), later = odds(kBegin + 10 * kMinute);
  EXPECT_LT(later, soon - 1);
  EXPECT_LT(odds(kBegin + 5 * kHour), later - 1);
}

TEST(Blame, WhatFailedBeforeFmdLookedIsSimultaneousWithNothing) {
  Blame blame = of(Machine().layout());
  Sign before = kHard;
  before.undated = true;
  fail(blame, 8, 0, before);
  EXPECT_TRUE(blame.settle(kBegin + kMinute).empty());
  EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::alone);
  EXPECT_FALSE(account_of(blame, disk(0)).own);
  for (size_t i = 0; i < 8; ++i) blame.sign(disk(i), Way::path, kHard, kBegin + kHour);
  EXPECT_EQ(blame.settle(kBegin + kHour + kMinute).size(), 1u) << "they fail again";
}

// A cable was repaired, and one disk did not survive it.
TEST(Blame, WhatStaysAwayAfterTheOthersAreBackIsBadItself) {
  for (const size_t disks : {24, 4, 3}) {
    SCOPED_TRACE(disks);
    Machine machine;
    machine.expanders = {disks, 24};
    Blame blame = of(machine.layout());
    const int64_t last = fail(blame, disks, kSecond);
    blame.settle(last + kMinute);
    expect_hub(blame, "expander-0", disks, disks);
    const int64_t back = last + 5 * kMinute;
    for (size_t i = 1; i < disks; ++i) blame.over(disk(i), Way::path, back);
    blame.settle(back + kMinute);
    EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::hub) << "it may still come back";
    blame.settle(back + 2 * kMinute);
    EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::alone);
    EXPECT_EQ(best_of(blame, disk(1)).kind, Kind::hub);
  }
}

TEST(Blame, WhatFailsAfterTheRecoveryHasAnotherCause) {
  Blame blame = of(Machine().layout());
  const int64_t last = fail(blame, 23, kSecond);
  for (size_t i = 0; i < 23; ++i) blame.over(disk(i), Way::path, last + 5 * kMinute);
  const int64_t later = last + kHour;
  blame.sign(disk(23), Way::path, kHard, later);
  blame.settle(later + kMinute);
  EXPECT_EQ(best_of(blame, disk(23)).kind, Kind::alone);
  for (size_t i = 0; i < 12; ++i) blame.sign(disk(i), Way::path, kHard, later + 30 * kSecond);
  blame.settle(later + kMinute);
  const Explanation again = best_of(blame, disk(23));
  EXPECT_EQ(again.kind, Kind::hub) << "it fails a second time";
  EXPECT_EQ(again.parts.size(), 13u);
}

TEST(Blame, MemoryThatSpoilsSlowly) {
  Machine machine;
  machine.expanders = {12};
  Blame blame = of(machine.layout());
  for (int round = 0; round < 9; ++round)
    for (size_t i = 0; i < 12; ++i)
      blame.sign(disk(i), Way::data, kSoft, kBegin + round * kMinute + static_cast<int64_t>(i));
  blame.sign(disk(3), Way::data, kHard, kBegin + 10 * kMinute);  // the first one to reach ten
  blame.settle(kBegin + 11 * kMinute);
  const Explanation best = best_of(blame, disk(3), Way::data);
  EXPECT_EQ(best.kind, Kind::hub);
  EXPECT_EQ(best.parts.size(), 12u);
  EXPECT_LT(find(account_of(blame, disk(3), Way::data), Kind::alone).log_odds, -40);
}

TEST(Blame, SingleErrorsAreNobodysFault) {
  Blame blame = of(Machine().layout());
  fail(blame, 24, kSecond, kSoft, Way::data);
  EXPECT_TRUE(blame.settle(kBegin + kMinute).empty());
}

TEST(Blame, WrongDataAfterAFailedPathFollowsFromIt) {
  Blame blame = of(Machine().layout());
  fail(blame, 24, 2 * kSecond / 24);
  for (size_t i = 0; i < 20; ++i) blame.sign(disk(i), Way::data, kHard, kBegin + 5 * kSecond);
  ASSERT_EQ(blame.settle(kBegin + kMinute).size(), 1u);
  ASSERT_EQ(blame.explanations(disk(0)).size(), 1u);
  EXPECT_EQ(blame.explanations(disk(0)).front().way, Way::path);
  for (size_t i = 0; i < 24; ++i) blame.over(disk(i), Way::path, kBegin + kHour);
  EXPECT_EQ(blame.settle(kBegin + 2 * kHour).size(), 1u) << "a scrub finds what they missed";
  for (size_t i = 0; i < 24; ++i) blame.person(disk(i), Person::repaired);
  for (size_t i = 0; i < 20; ++i) blame.sign(disk(i), Way::data, kHard, kBegin + 3 * kHour);
  ASSERT_EQ(blame.settle(kBegin + 4 * kHour).size(), 1u);
  EXPECT_EQ(blame.explanations(disk(0)).front().way, Way::data) << "no path failed before";
}

TEST(Blame, WrongDataBeforeAFailedPathIsEvidence) {
  Blame blame = of(Machine().layout());
  for (size_t i = 0; i < 20; ++i) blame.sign(disk(i), Way::data, kHard, kBegin);
  for (size_t i = 0; i < 20; ++i) blame.sign(disk(i), Way::path, kHard, kBegin + kMinute);
  EXPECT_EQ(blame.settle(kBegin + kHour).size(), 2u);
}

TEST(Blame, ZedsConclusionIsTheSameItem) {
  Blame blame = of(Machine().layout());
  fail(blame, 1, 0);
  blame.settle(kBegin + kMinute);
  const Account before = account_of(blame, disk(0));
  EXPECT_FALSE(blame.sign(disk(0), Way::path, kHard, kBegin + 30 * kSecond)) << "signs saturate";
  EXPECT_EQ(blame.items().all().size(), 1u);
  blame.settle(kBegin + kMinute);
  EXPECT_EQ(account_of(blame, disk(0)).explanations.front().log_odds,
            before.explanations.front().log_odds);
}

TEST(Blame, ThreeDisksPulledSecondsApart) {
  Machine machine;
  machine.group = 24;
  machine.tolerance = 3;
  Blame blame = of(machine.layout());
  const int64_t last = fail(blame, 3, 9 * kSecond, kLeft);
  blame.settle(last + 3 * kMinute);
  EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::hands);
}

TEST(Blame, HandsNeverTakeMoreThanTheGroupCanLose) {
  Machine machine;
  machine.expanders = {8, 8};
  Blame blame = of(machine.layout());
  const int64_t last = fail(blame, 6, 3 * kSecond, kLeft);
  blame.settle(last + kMinute);
  EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::hub);
  const Explanation hands = find(account_of(blame, disk(0)), Kind::hands);
  EXPECT_LT(hands.log_odds, -9);
  EXPECT_EQ(hands.group, "raidz2-0");
  EXPECT_EQ(hands.tolerance, 2u);
}

TEST(Blame, NoHandsWhereTheBayWouldHaveSaidEmpty) {
  Machine machine;
  machine.bay_tells = true;
  Blame blame = of(machine.layout());
  const int64_t last = fail(blame, 2, 8 * kSecond, kLeft);
  blame.settle(last + kMinute);
  EXPECT_TRUE(find(account_of(blame, disk(0)), Kind::hands).excluded);
}

TEST(Blame, ABatchThatDiesOverDays) {
  Machine machine;
  machine.expanders = {4, 4, 4, 4};  // one of each shelf
  machine.group = 0;
  machine.model = "SSD";
  Blame blame = of(machine.layout());
  for (size_t i = 0; i < 4; ++i)
    blame.sign(disk(4 * i), Way::path, kHard, kBegin + static_cast<int64_t>(i) * 5 * kHour);
  blame.settle(kBegin + 23 * kHour);
  EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::batch);
}

TEST(Odds, KnockOnWithinAGroup) {
  Troubles two(2);
  two[1].at = 600;
  for (Trouble& one : two) one.hard = true;
  const double apart = log_apart(two, 600).alone;
  for (Trouble& one : two) one.group = 0;
  const double together = log_apart(two, 600).alone;
  EXPECT_GT(together, apart + 3);
  two[1].path = false;
  EXPECT_LT(log_apart(two, 600).alone, apart) << "wrong data is not the consequence of a failure";
}

TEST(Blame, AHubThatHealsKeepsItsOdds) {
  Blame blame = of(Machine().layout());
  fail(blame, 6, kSecond);
  for (size_t i = 0; i < 6; ++i) blame.over(disk(i), Way::path, kBegin + 30 * kSecond);
  ASSERT_EQ(blame.settle(kBegin + kMinute).size(), 1u);
  const double gain = blame.settle(kBegin + kMinute).front().gain;
  ASSERT_EQ(blame.settle(kBegin + 10 * kHour).size(), 1u);
  EXPECT_EQ(blame.settle(kBegin + 10 * kHour).front().gain, gain);
  EXPECT_TRUE(blame.settle(kBegin + 30 * kHour).empty()) << "old";
  EXPECT_TRUE(blame.sign(disk(0), Way::path, kHard, kBegin + 31 * kHour));
  EXPECT_TRUE(blame.settle(kBegin + 32 * kHour).empty()) << "what is new is judged alone";
}

// Each disk has a path by either controller.
Layout multipath() {
  Layout out;
  for (size_t i = 0; i < 12; ++i) {
    const std::vector<Layout::Above> shelf{{"shelf", HubKind::enclosure}};
    out.parts.push_back({.name = disk(i), .above = shelf});
    for (const char* hba : {"a", "b"})
      out.parts.push_back({.name = disk(i) + hba,
                           .disk = disk(i),
                           .above = {{std::string("hba-") + hba, HubKind::path}, shelf.front()}});
  }
  return out;
}

TEST(Blame, OneControllerOfTwo) {
  Blame blame = of(multipath());
  for (size_t i = 0; i < 12; ++i) blame.sign(disk(i) + "a", Way::path, kHard, kBegin);
  ASSERT_EQ(blame.settle(kBegin + kMinute).size(), 1u);
  EXPECT_EQ(best_of(blame, disk(0) + "a").names, std::vector<std::string>{"hba-a"});
  const Account found = account_of(blame, disk(0) + "a");
  for (const Explanation& one : found.explanations)
    EXPECT_NE(one.hub, HubKind::enclosure) << "the other path works";
}

TEST(Blame, TheShelfWhereBothPathsFail) {
  Blame blame = of(multipath());
  for (size_t i = 0; i < 12; ++i)
    for (const char* hba : {"a", "b"})
      blame.sign(disk(i) + hba, Way::path, kHard, kBegin + static_cast<int64_t>(i) * kSecond);
  const auto& causes = blame.settle(kBegin + kMinute);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(best_of(blame, disk(0) + "a").hub, HubKind::enclosure);
}

TEST(Blame, AControllerAndAShelfWithTheSameDisksAreNamedTogether) {
  Layout layout;
  for (size_t i = 0; i < 12; ++i)
    layout.parts.push_back(
        {.name = disk(i), .above = {{"hba", HubKind::path}, {"shelf", HubKind::enclosure}}});
  Blame blame = of(layout);
  fail(blame, 12, kSecond);
  blame.settle(kBegin + kMinute);
  const Explanation best = best_of(blame, disk(0));
  EXPECT_EQ(best.names, (std::vector<std::string>{"hba", "shelf"}));
  EXPECT_GT(best.probability, 0.99);
}

TEST(Blame, HubsWithTheSamePartsAreOneHypothesis) {
  Machine machine;
  machine.expanders = {24};
  Blame blame = of(machine.layout());
  fail(blame, 24, kSecond);
  blame.settle(kBegin + kMinute);
  EXPECT_EQ(best_of(blame, disk(0)).names, (std::vector<std::string>{"expander-0", "hba-0"}));
}

TEST(Blame, IdleIsNotHealthy) {
  Layout layout = Machine().layout();
  for (size_t i = 3; i < 24; ++i) layout.parts[i].used = false;
  Blame blame = of(layout), busy = of(Machine().layout());
  for (Blame* one : {&blame, &busy}) {
    fail(*one, 3, 4 * kHour);
    one->settle(kBegin + 20 * kHour);
  }
  EXPECT_EQ(best_of(blame, disk(0)).names.front(), "expander-0");
  EXPECT_EQ(best_of(blame, disk(0)).of, 3u);
  EXPECT_NE(best_of(busy, disk(0)).kind, Kind::hub);
}

TEST(Blame, UnknownIsNotHealthy) {
  Blame silent = of(Machine().layout()), heard = of(Machine().layout());
  silent.known_until(kBegin + 10 * kSecond);
  for (Blame* one : {&silent, &heard}) {
    fail(*one, 3, 2 * kSecond);
    one->settle(kBegin + 10 * kHour);
  }
  const auto odds = [](const Blame& one) {
    return find(account_of(one, disk(0)), Kind::hub, "expander-0").log_odds -
           find(account_of(one, disk(0)), Kind::alone).log_odds;
  };
  EXPECT_GT(odds(silent), odds(heard) + 1);
}

TEST(Blame, OwnEvidenceAccusesNoHub) {
  Blame blame = of(Machine().layout());
  fail(blame, 24, kSecond, {.hard = true, .own = true});
  EXPECT_TRUE(blame.settle(kBegin + kMinute).empty());
  EXPECT_EQ(best_of(blame, disk(0)).kind, Kind::alone);
}

TEST(Blame, DisksTakenOutByAPersonAreNoEvidence) {
  Blame blame = of(Machine().layout());
  for (size_t i = 0; i < 8; ++i) blame.person(disk(i), Person::removed);
  fail(blame, 8, kSecond);
  EXPECT_TRUE(blame.settle(kBegin + kMinute).empty());
  for (size_t i = 0; i < 8; ++i) blame.person(disk(i), Person::returned);
  EXPECT_EQ(blame.settle(kBegin + kMinute).size(), 1u);
  for (size_t i = 0; i < 8; ++i) EXPECT_TRUE(blame.person(disk(i), Person::repaired));
  EXPECT_TRUE(blame.settle(kBegin + kMinute).empty());
  EXPECT_TRUE(blame.explanations(disk(0)).empty());
}

TEST(Blame, DataWhereNoPathIsKnownIsTheMachines) {
  Machine machine;
  machine.paths = false;
  Blame blame = of(machine.layout());
  fail(blame, 30, 10 * kSecond, kHard, Way::data);
  ASSERT_EQ(blame.settle(kBegin + 10 * kMinute).size(), 1u);
  EXPECT_EQ(best_of(blame, disk(0), Way::data).hub, HubKind::machine);
}

TEST(Blame, LaterSignsOnAKnownItemDecideNothing) {
  Blame blame = of(Machine().layout());
  EXPECT_TRUE(blame.sign(disk(0), Way::path, kHard, kBegin));
  EXPECT_FALSE(blame.sign(disk(0), Way::path, kSoft, kBegin + kMinute));
  EXPECT_FALSE(blame.sign(disk(0), Way::path, kHard, kBegin + kHour)) << "only its last time";
}

TEST(Blame, NextLookIsWhenOddsChange) {
  Blame blame = of(Machine().layout());
  EXPECT_FALSE(blame.next_look());
  fail(blame, 2, 0);
  blame.settle(kBegin + 11 * kSecond);
  ASSERT_EQ(blame.next_look(), kBegin + 20 * kSecond);
  const auto odds = [&](int64_t now) {
    blame.settle(now);
    return find(account_of(blame, disk(0)), Kind::alone).probability;
  };
  const double before = odds(kBegin + 11 * kSecond);
  EXPECT_EQ(odds(kBegin + 20 * kSecond - 1), before);
  EXPECT_NE(odds(kBegin + 20 * kSecond), before);
}

TEST(Items, TheLimitIsCounted) {
  Items items;
  for (size_t i = 0; i < Items::kMost; ++i)
    items.sign(disk(i), Way::path, kHard, kBegin + static_cast<int64_t>(i));
  EXPECT_EQ(items.sign("one more", Way::path, kHard, kBegin), Items::Change::none);
  EXPECT_EQ(items.refused(), 1u);
}

TEST(Blame, AtTheLimitTheItemThatEndedFirstMakesRoom) {
  Blame blame = of(Machine().layout());
  for (size_t i = 0; i < 24; ++i) blame.sign(disk(i), Way::path, kHard, kBegin);
  for (size_t i = 24; i < Items::kMost; ++i)
    blame.sign("other-" + std::to_string(i), Way::path, kHard, kBegin);
  EXPECT_FALSE(blame.sign("one more", Way::path, kHard, kBegin));
  blame.over(disk(1), Way::path, kBegin + kHour);
  ASSERT_EQ(blame.settle(kBegin + kHour).size(), 1u);
  EXPECT_EQ(blame.settle(kBegin + kHour).front().items.size(), 24u);
  EXPECT_TRUE(blame.sign("one more", Way::path, kHard, kBegin + 2 * kHour));
  EXPECT_EQ(blame.items().all().size(), Items::kMost);
  ASSERT_EQ(blame.settle(kBegin + 2 * kHour).size(), 1u);
  EXPECT_EQ(blame.settle(kBegin + 2 * kHour).front().items.size(), 23u);
  EXPECT_TRUE(blame.explanations(disk(1)).empty());
}

TEST(Blame, AtTheLimitOldSignsMakeRoom) {
  Blame blame = of(Machine().layout());
  for (size_t i = 0; i < Items::kMost; ++i) blame.sign(disk(i), Way::path, kSoft, kBegin);
  EXPECT_TRUE(blame.sign("one more", Way::path, kHard, kBegin + 2 * Items::kDay));
  EXPECT_EQ(blame.items().all().size(), 1u);
}

TEST(Items, AHardSignIsTheOnset) {
  Items items;
  items.sign("a", Way::path, kSoft, kBegin);
  items.sign("a", Way::path, kHard, kBegin + kHour);
  EXPECT_EQ(items.find("a", Way::path)->onset_ns, kBegin + kHour);
  items.sign("a", Way::path, kHard, kBegin + 2 * kHour);
  EXPECT_EQ(items.find("a", Way::path)->onset_ns, kBegin + kHour);
}

}  // namespace
}  // namespace fmd::blame::test
