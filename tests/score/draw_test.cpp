#include "draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "scenario.h"

namespace fmd::score {
namespace {

class Draw : public testing::Test {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < kScenarios; ++i) {
      scenarios_[i].label = "scenario " + std::to_string(i);
      for (uint64_t seed = 1; seed <= 2; ++seed) jobs_.push_back({&scenarios_[i], seed});
    }
  }
  std::vector<std::pair<std::string, uint64_t>> drawn(size_t count, const std::string& text) {
    std::vector<std::pair<std::string, uint64_t>> names;
    for (const Job& job : draw(jobs_, count, text))
      names.emplace_back(job.scenario->label, job.seed);
    return names;
  }

  static constexpr size_t kScenarios = 300;
  Scenario scenarios_[kScenarios];
  std::vector<Job> jobs_;
};

TEST_F(Draw, ATextAlwaysDrawsTheSame) {
  EXPECT_EQ(drawn(200, "a commit"), drawn(200, "a commit"));
  EXPECT_NE(drawn(200, "a commit"), drawn(200, "another"));
}

TEST_F(Draw, EachPlayOnceAndInTheirOrder) {
  const std::vector<Job> found = draw(jobs_, 200, "a commit");
  ASSERT_EQ(found.size(), 200u);
  for (size_t i = 1; i < found.size(); ++i)
    EXPECT_LT(std::pair(found[i - 1].scenario, found[i - 1].seed),
              std::pair(found[i].scenario, found[i].seed));
}

TEST_F(Draw, MoreThanThereAreIsAll) {
  EXPECT_EQ(drawn(1000, "a commit").size(), jobs_.size());
}

TEST_F(Draw, EveryPlayIsDrawnSoonerOrLater) {
  std::set<std::pair<std::string, uint64_t>> seen;
  for (int commit = 0; commit < 40; ++commit)
    for (const auto& name : drawn(200, std::to_string(commit))) seen.insert(name);
  EXPECT_EQ(seen.size(), jobs_.size());
}

TEST_F(Draw, ANewScenarioChangesOnePlayAtMost) {
  const auto before = drawn(200, "a commit");
  Scenario fresh;
  fresh.label = "a new one";
  jobs_.push_back({&fresh, 1});
  const auto after = drawn(200, "a commit");
  size_t kept = 0;
  for (const auto& name : after)
    kept += std::find(before.begin(), before.end(), name) != before.end();
  EXPECT_GE(kept, 199u);
}

}  // namespace
}  // namespace fmd::score
