#include "fmd/model/properties.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fmd {
namespace {

std::map<std::string, Value> as_map(const Properties& properties) {
  return {properties.begin(), properties.end()};
}

TEST(Properties, OfTwoOfANameTheLaterCounts) {
  const Properties properties(std::vector<Properties::value_type>{
      {"b", int64_t{1}}, {"a", true}, {"c", Value{}}, {"b", std::string("2")}});
  EXPECT_EQ(properties.size(), 3u);
  EXPECT_EQ(properties.at("b"), Value(std::string("2")));
  Properties there = properties;
  there.drop_absent();
  EXPECT_EQ(as_map(there), (std::map<std::string, Value>{{"a", true}, {"b", std::string("2")}}));
}

// As a std::map is changed, and always in order.
TEST(Properties, AreAMap) {
  std::mt19937 random(16);
  const auto one_of = [&](int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(random);
  };
  const auto name = [&] { return std::string(1, static_cast<char>('a' + one_of(12))); };
  Properties properties;
  std::map<std::string, Value> plain;
  for (int step = 0; step < 20000; ++step) {
    const std::string at = name();
    const Value value{int64_t{one_of(3)}};
    switch (one_of(4)) {
      case 0:
        plain[at] = properties[at] = value;
        break;
      case 1:
        EXPECT_EQ(properties.emplace(at, value).second, plain.emplace(at, value).second);
        break;
      case 2:
        EXPECT_EQ(properties.erase(at), plain.erase(at));
        break;
      default: {
        const Properties later{{at, value}, {name(), true}, {name(), false}};
        properties.take(later);
        for (const auto& [said, now] : later) plain[said] = now;
      }
    }
    ASSERT_EQ(as_map(properties), plain) << "step " << step;
    ASSERT_EQ(properties.size(), plain.size());
    ASSERT_TRUE(std::is_sorted(properties.begin(), properties.end()));
    ASSERT_EQ(properties.contains(at), plain.contains(at));
  }
}

}  // namespace
}  // namespace fmd
