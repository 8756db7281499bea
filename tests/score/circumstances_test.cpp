#include "circumstances.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "corpus.h"

namespace fmd::score {
namespace {

const char* const kCable = R"(family = "cable"
[[scenario]]
label = "one"
shape = "two shelves"
generator = "path"
with = { spread = ["0s", "10s"] }
truth = [{ part = "hub", class = ["fault.a"], within = "2min" }]
must = { light = "disk", spare = "disk", within = "3min" }
)";

Scenario cable() {
  auto [corpus, errors] = read_corpus({{"cable.toml", kCable}}, {"fault.a"});
  EXPECT_TRUE(errors.empty());
  return corpus.at(0);
}

size_t shares_of(const std::vector<Circumstances>& all, bool (*has)(const Circumstances&)) {
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), has));
}

TEST(Circumstances, AreTheSameForTheSamePlayAndCoverEachDimension) {
  const Scenario one = cable();
  EXPECT_EQ(drawn_circumstances(one, 7).text(), drawn_circumstances(one, 7).text());
  std::vector<Circumstances> all;
  for (uint64_t seed = 0; seed < 300; ++seed) all.push_back(drawn_circumstances(one, seed));
  const auto is_common = [&](bool (*has)(const Circumstances&)) {
    const size_t n = shares_of(all, has);
    return n > 20 && n < 280;
  };
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.form.bays == Bays::tell; }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.form.bays == Bays::silent; }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.form.bays == Bays::none; }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.spread > 10; }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.log_uniform; }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.zed; }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.form.pools > 1; }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.restart.has_value(); }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.lag.contains(Teller::zfs); }));
  EXPECT_TRUE(is_common([](const Circumstances& c) { return c.noise > 0; }));
}

TEST(Circumstances, NoLedIsRequiredWithoutBaysAndNoSpareBesideZed) {
  Circumstances c;
  EXPECT_EQ(required_under(c, cable()).must.size(), 2u);
  c.form.bays = Bays::none;
  const Scenario blind = required_under(c, cable());
  ASSERT_EQ(blind.must.size(), 1u);
  EXPECT_EQ(blind.must[0].deed, Deed::spare);
  EXPECT_EQ(blind.may.size(), 1u);
  c.zed = true;
  EXPECT_TRUE(required_under(c, cable()).must.empty());
}

TEST(Circumstances, TimeLimitsGrowWithSpreadLagAndRestart) {
  Circumstances c;
  c.spread = 4;
  c.lag = {{Teller::zfs, 2 * kSec}, {Teller::disk, 5 * kSec}};
  c.restart = {Teller::zfs, kMin, 7 * kSec};
  const Scenario s = required_under(c, cable());
  EXPECT_EQ(s.truths.at(0).within, 2 * kMin + 30 * kSec + 5 * kSec + 7 * kSec);
}

TEST(Sealed, FamiliesAreListedOneALineAndUnknownOnesAreFound) {
  const auto listed = families_listed("# why\ncable\n\nno such family\n");
  EXPECT_EQ(listed, (std::set<std::string>{"cable", "no such family"}));
  EXPECT_EQ(unknown_families(listed, {cable()}), std::vector<std::string>{"no such family"});
}

TEST(Forms, WithoutBaysNothingContainsADiskAndPoolsShareTheSpare) {
  const auto shape = std::find_if(shapes().begin(), shapes().end(), [](const ShapeSpec& s) {
    return std::string_view(s.name) == "two shelves";
  });
  Host host(*shape, Variant::plain, {Bays::none, 2});
  EXPECT_TRUE(
      host.set(Teller::enclosure, host.disks[0].bay, "occupied", Value(true)).resources.empty());
  EXPECT_EQ(host.disks.front().pool, 0);
  EXPECT_EQ(host.disks.back().pool, 1);
  EXPECT_TRUE(host.told(Teller::zfs, host.disks.back().vdev).is("pool", "tank1"));
}

}  // namespace
}  // namespace fmd::score
