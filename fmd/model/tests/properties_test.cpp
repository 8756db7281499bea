#include "fmd/model/properties.h"

#include <gtest/gtest.h>

#include <cmath>
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

// What is kept once is nobody's to change.
TEST(Properties, ACopyIsItsOwn) {
  Properties one{{"a", int64_t{1}}, {"b", std::string("a text that is too long for its place")}};
  Properties other = one;
  EXPECT_EQ(&one.at("b"), &other.at("b"));
  other["a"] = int64_t{2};
  other["c"] = true;
  other.erase("b");
  EXPECT_EQ(as_map(one),
            (std::map<std::string, Value>{
                {"a", int64_t{1}}, {"b", std::string("a text that is too long for its place")}}));
  EXPECT_EQ(as_map(other), (std::map<std::string, Value>{{"a", int64_t{2}}, {"c", true}}));
}

// Of parts that know nothing of each other, too; but only to the last bit.
TEST(Properties, OfEqualValuesThereIsOne) {
  const Properties one{{"model", std::string("SEAGATE ST16000NM004J")}, {"t", 0.0}};
  const Properties other{{"model", std::string("SEAGATE ST16000NM004J")}, {"t", -0.0}};
  EXPECT_EQ(&one.at("model"), &other.at("model"));
  EXPECT_TRUE(std::signbit(std::get<double>(other.at("t"))));
  EXPECT_FALSE(std::signbit(std::get<double>(one.at("t"))));
  const Properties number{{"t", int64_t{0}}};
  EXPECT_EQ(number.at("t"), Value(int64_t{0})) << "which is no 0.0";
  EXPECT_EQ(&one.begin()->first, &other.begin()->first);
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

// What is refused later has been read by then: hostile lists are not kept for it.
TEST(Names, AreKeptOnceUnlessTheyAreLong) {
  const std::vector<std::string_view> few = {"model", "serial"};
  EXPECT_TRUE(Names(few).same_list(Names(few)));
  const std::string long_one(20'000, 'x');
  const std::vector<std::string_view> large = {"model", long_one};
  EXPECT_FALSE(Names(large).same_list(Names(large)));
  EXPECT_TRUE(Names(large) == Names(large));
}

}  // namespace
}  // namespace fmd
