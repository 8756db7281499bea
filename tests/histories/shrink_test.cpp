#include "shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fmd::histories {
namespace {

bool same(const History& a, const History& b) {
  return a.steps.size() == b.steps.size() &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(),
                    [](const Step& x, const Step& y) {
                      return x.at == y.at && x.kind == y.kind && x.place == y.place &&
                             x.amount == y.amount && x.option == y.option;
                    });
}

TEST(History, TheSameSeedWritesTheSame) {
  EXPECT_TRUE(same(write_history(7), write_history(7)));
  EXPECT_FALSE(same(write_history(7), write_history(8)));
}

TEST(History, StepsAreInOrderAndPlayableInAnyWorld) {
  for (uint64_t seed = 1; seed < 200; ++seed) {
    const History h = write_history(seed);
    EXPECT_TRUE(std::is_sorted(h.steps.begin(), h.steps.end(),
                               [](const Step& a, const Step& b) { return a.at < b.at; }));
    EXPECT_EQ(h.shape.bay_known.size(), static_cast<size_t>(h.shape.bays()));
    EXPECT_EQ(h.shape.leds.size(), static_cast<size_t>(h.shape.bays()));
  }
}

// The failure needs a pull, a later kill and a slow pool; shrinking must remove everything else.
TEST(Shrink, OnlyWhatItNeedsIsLeft) {
  History h = write_history(3);
  const auto add = [&](StepKind kind, Ns at) { h.steps.push_back({at, kind, 1, 5, 0}); };
  for (int i = 0; i < 40; ++i) add(StepKind::zpool_clear, i * kMin);
  add(StepKind::pull, 50 * kMin);
  for (int i = 0; i < 40; ++i) add(StepKind::zpool_online, 51 * kMin);
  add(StepKind::kill, 9 * kHour);
  h.shape.max_retired = 1;
  h.shape.zed = true;
  int played = 0;
  const History shortest = shrink(h, [&](const History& candidate) {
    ++played;
    bool pulled = false;
    for (const Step& step : candidate.steps) {
      if (step.kind == StepKind::pull) pulled = true;
      if (step.kind == StepKind::kill && pulled) return candidate.shape.max_retired == 1;
    }
    return false;
  });
  ASSERT_EQ(shortest.steps.size(), 2u);
  EXPECT_EQ(shortest.steps[0].kind, StepKind::pull);
  EXPECT_EQ(shortest.steps[1].kind, StepKind::kill);
  EXPECT_LE(shortest.steps[1].at, 10 * kSec);
  EXPECT_EQ(shortest.shape.max_retired, 1);
  EXPECT_FALSE(shortest.shape.zed);
  EXPECT_LT(played, 2000);
}

}  // namespace
}  // namespace fmd::histories
