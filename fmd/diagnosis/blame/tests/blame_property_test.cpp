// Properties of the inference over random histories.
#include <limits>
#include <map>
#include <random>

#include "fmd/diagnosis/blame/blame.h"
#include "fmd/diagnosis/blame/tests/blame_rig.h"

namespace fmd::blame::test {
namespace {

struct Step {
  size_t disk = 0;
  Way way = Way::path;
  Sign sign = {};
  bool over = false;
  int64_t at = 0;
};
using Steps = std::vector<Step>;

constexpr size_t kDisks = 40;
constexpr uint64_t kSeeds = 30;

Machine machine() {
  Machine out;
  out.expanders = {16, 12, 12};
  out.model = "M";
  return out;
}

Steps random_steps(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  Steps out;
  int64_t at = kBegin;
  const int64_t longest = std::vector<int64_t>{1, kSecond, kMinute, kHour}[below(4)];
  for (size_t i = 0, count = 1 + below(60); i < count; ++i) {
    at += static_cast<int64_t>(below(3)) *
          static_cast<int64_t>(below(static_cast<uint64_t>(longest)));
    Step step{below(kDisks), below(4) ? Way::path : Way::data, {}, below(8) == 0, at};
    step.sign = {below(2) > 0, below(4) == 0, below(16) == 0, below(8) == 0, below(4) == 0};
    out.push_back(step);
  }
  return out;
}

void feed(Blame& blame, const Step& step) {
  const std::string part = disk(step.disk);
  if (step.over)
    blame.over(part, step.way, step.at);
  else
    blame.sign(part, step.way, step.sign, step.at);
}

// Everything it says, without names: of each disk the explanations' kinds, counts and odds.
using Odds = std::map<std::pair<size_t, Way>, std::vector<std::tuple<int, size_t, size_t, double>>>;
Odds odds_of(const Blame& blame) {
  Odds out;
  for (size_t i = 0; i < kDisks; ++i)
    for (const Account& account : blame.explanations(disk(i)))
      for (const Explanation& one : account.explanations)
        out[{i, account.way}].emplace_back(static_cast<int>(one.kind), one.parts.size(), one.of,
                                           one.log_odds);
  return out;
}

void expect_same(const Odds& a, const Odds& b, uint64_t seed) {
  ASSERT_EQ(a.size(), b.size()) << seed;
  for (const auto& [key, explanations] : a) {
    const auto& others = b.at(key);
    ASSERT_EQ(explanations.size(), others.size()) << seed << " disk " << key.first;
    for (size_t i = 0; i < explanations.size(); ++i) {
      EXPECT_NEAR(std::get<3>(explanations[i]), std::get<3>(others[i]), 1e-6) << seed;
      EXPECT_EQ(std::get<1>(explanations[i]), std::get<1>(others[i])) << seed;
    }
  }
}

Odds expected(const Steps& steps, int64_t now) {
  Blame blame = of(machine().layout());
  for (const Step& step : steps) feed(blame, step);
  blame.settle(now);
  return odds_of(blame);
}

TEST(BlameProperties, SettlingInBetweenChangesNothing) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Steps steps = random_steps(seed);
    Blame blame = of(machine().layout());
    for (const Step& step : steps) {
      feed(blame, step);
      blame.settle(step.at);
    }
    const int64_t now = steps.back().at + kMinute;
    blame.settle(now);
    expect_same(odds_of(blame), expected(steps, now), seed);
  }
}

TEST(BlameProperties, NamesMeanNothing) {
  const auto renamed = [](size_t i) { return (i * 17 + 5) % kDisks; };
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Steps steps = random_steps(seed);
    const int64_t now = steps.back().at + kMinute;
    const Odds names = expected(steps, now);
    Layout layout = machine().layout();
    for (size_t i = 0; i < kDisks; ++i) layout.parts[i].name = disk(renamed(i));
    std::reverse(layout.parts.begin(), layout.parts.end());
    Blame blame = of(layout);
    for (Step step : steps) {
      step.disk = renamed(step.disk);
      feed(blame, step);
    }
    blame.settle(now);
    const Odds others = odds_of(blame);
    Odds back;
    for (size_t i = 0; i < kDisks; ++i)
      for (const Way way : {Way::path, Way::data})
        if (const auto at = others.find({renamed(i), way}); at != others.end())
          back[{i, way}] = at->second;
    expect_same(back, names, seed);
  }
}

TEST(BlameProperties, TheOrderOfEqualMomentsMeansNothing) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Steps steps = random_steps(seed);
    for (Step& step : steps) {
      step.at -= step.at % (10 * kSecond);
      step.over = false;  // whether it recovered or failed last is not equal
    }
    Steps other = steps;
    std::mt19937_64 random(seed);
    std::shuffle(other.begin(), other.end(), random);
    std::stable_sort(other.begin(), other.end(),
                     [](const Step& a, const Step& b) { return a.at < b.at; });
    const int64_t now = steps.back().at + kMinute;
    expect_same(expected(other, now), expected(steps, now), seed);
  }
}

TEST(BlameProperties, RestartsChangeNothing) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Steps steps = random_steps(seed);
    Blame blame = of(machine().layout());
    for (const Step& step : steps) {
      feed(blame, step);
      Blame next;
      for (const auto& [key, item] : blame.items().all()) next.stored().restore(item);
      next.topology(machine().layout());
      blame = std::move(next);
    }
    const int64_t now = steps.back().at + kMinute;
    blame.settle(now);
    expect_same(odds_of(blame), expected(steps, now), seed);
  }
}

TEST(BlameProperties, MoreWellDisksNeverRaiseAHubsOdds) {
  size_t compared = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Steps steps = random_steps(seed);
    const int64_t now = steps.back().at + kMinute;
    double last = std::numeric_limits<double>::infinity();
    for (const size_t more : {0, 1, 2, 5, 20, 200}) {
      Layout layout = machine().layout();
      for (size_t i = 0; i < more; ++i) {
        Layout::Part well = layout.parts.front();
        well.name = "well-" + std::to_string(i);
        if (i % 2) well.group = "another";
        layout.parts.push_back(well);
      }
      Blame blame = of(layout);
      for (const Step& step : steps)
        if (step.disk < 16) feed(blame, step);
      double gain = -1e300;
      for (const Hypothesis& h : blame.settle(now))
        if (h.way == Way::path) gain = std::max(gain, h.gain);
      if (gain > -1e300) ++compared;
      EXPECT_LE(gain, last + 1e-6) << seed << " with " << more;
      last = gain;
    }
  }
  EXPECT_GT(compared, kSeeds / 2);
}

TEST(BlameProperties, OddsAreFinite) {
  for (const size_t count : {1u, 2u, 2000u})
    for (const int64_t gap : {int64_t{0}, int64_t{1}, kSecond, kHour}) {
      Machine big;
      big.expanders = {2000};
      big.model = "M";
      Blame blame = of(big.layout());
      for (size_t i = 0; i < count; ++i)
        blame.sign(disk(i), Way::path, i % 3 ? kHard : kLeft,
                   kBegin + gap * static_cast<int64_t>(i));
      for (const int64_t after : {int64_t{0}, kSecond, 2000 * kHour}) {
        for (const Hypothesis& h : blame.settle(kBegin + gap * static_cast<int64_t>(count) + after))
          EXPECT_TRUE(std::isfinite(h.gain));
        for (const Account& account : blame.explanations(disk(0)))
          for (const Explanation& one : account.explanations) {
            EXPECT_FALSE(std::isnan(one.log_odds));
            EXPECT_LE(one.log_odds, 0);
            EXPECT_TRUE(one.probability >= 0 && one.probability <= 1);
          }
      }
    }
}

TEST(BlameProperties, RandomOddsAreFiniteAndSumUp) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Steps steps = random_steps(seed);
    Blame blame = of(machine().layout());
    for (const Step& step : steps) feed(blame, step);
    blame.settle(steps.back().at);
    for (size_t i = 0; i < kDisks; ++i)
      for (const Account& account : blame.explanations(disk(i))) {
        double sum = 0;
        for (const Explanation& one : account.explanations) sum += one.probability;
        EXPECT_NEAR(sum, 1, 1e-9);
      }
  }
}

}  // namespace
}  // namespace fmd::blame::test
