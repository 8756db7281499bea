#include "mark.h"

#include <gtest/gtest.h>

namespace fmd::score {
namespace {

// One disk has been broken for a minute. Its case is due within 30 s, it must be retired within 2
// min, its LED may be lit, and no spare may be used before 5 min.
class Marks : public testing::Test {
 protected:
  Marks() {
    scenario.truths = {{"disk", {"fault.a"}, 30 * kSec}};
    scenario.must = {{Deed::retire, "disk", 2 * kMin}};
    scenario.may = {{Deed::light, "disk"}, {Deed::spare, "disk"}};
    scenario.must_not = {{Deed::spare, "disk", 5 * kMin}};
    cast.roles = {{"disk", {{{"vdev", "bay"}, kMin}}}};
    accuse("vdev", "fault.a", kMin + 10 * kSec);
    outcome.retired = {{kMin + 11 * kSec, "vdev"}};
  }

  void accuse(const std::string& part, const std::string& fault, int64_t at,
              const std::string& severity = "Major") {
    const std::string uuid = std::to_string(outcome.blamed.size());
    outcome.told.push_back({at, "diagnosed", uuid});
    outcome.blamed.push_back({at, uuid, fault, severity, {part}, 100, true});
  }
  Mark marked() { return mark(scenario, cast, outcome); }

  Scenario scenario;
  Cast cast;
  Outcome outcome;
};

TEST_F(Marks, AllIsRight) {
  outcome.lit = {{kMin + 11 * kSec, "bay"}};
  const Mark m = marked();
  EXPECT_TRUE(m.localised && m.right_class && m.in_time);
  EXPECT_EQ(m.done, 1);
  EXPECT_EQ(m.musts, 1);
  EXPECT_EQ(m.lit_in_vain, 0);
  EXPECT_EQ(m.why, "");
}

TEST_F(Marks, ALateCaseIsLocalisedAndNotInTime) {
  outcome.blamed.front().at = kMin + 31 * kSec;
  const Mark m = marked();
  EXPECT_TRUE(m.localised);
  EXPECT_FALSE(m.in_time);
}

TEST_F(Marks, WhatMustBeDoneCountsOnlyByThen) {
  outcome.retired.front().at = 3 * kMin + kSec;
  const Mark m = marked();
  EXPECT_EQ(m.done, 0);
  EXPECT_EQ(m.wrongly_retired, 0);
  outcome.retired.clear();
  EXPECT_EQ(marked().done, 0);
}

TEST_F(Marks, WhatMustNotBeDoneBeforeIsWrongBeforeOnly) {
  outcome.spared = {{6 * kMin - kSec, "vdev"}};
  EXPECT_EQ(marked().spares_wasted, 1);
  outcome.spared = {{6 * kMin, "vdev"}};
  EXPECT_EQ(marked().spares_wasted, 0);
  scenario.must_not.front().time.reset();  // never
  EXPECT_EQ(marked().spares_wasted, 1);
}

TEST_F(Marks, WhatIsNotAllowedIsWrong) {
  outcome.retired.push_back({2 * kMin, "other vdev"});
  outcome.lit = {{2 * kMin, "other bay"}};
  const Mark m = marked();
  EXPECT_EQ(m.wrongly_retired, 1);
  EXPECT_EQ(m.lit_in_vain, 1);
}

TEST_F(Marks, AnotherAccusedIsWrongUnlessItIsMinor) {
  accuse("other", "fault.a", 2 * kMin, "Minor");
  EXPECT_TRUE(marked().localised);
  accuse("other", "fault.a", 2 * kMin);
  EXPECT_FALSE(marked().localised);
}

TEST_F(Marks, WhereAllIsQuietAMinorMessageIsWrongToo) {
  scenario = {};
  scenario.quiet = true;
  outcome = {};
  EXPECT_TRUE(marked().localised);
  accuse("other", "fault.a", 2 * kMin, "Minor");
  EXPECT_FALSE(marked().localised);
}

}  // namespace
}  // namespace fmd::score
