#include "fmd/base/deadlines.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace fmd {
namespace {

TEST(Deadlines, TheEarliestComesFirst) {
  Deadlines<std::string> waits;
  EXPECT_FALSE(waits.next());
  EXPECT_FALSE(waits.take_due(INT64_MAX));
  waits.set("late", 30);
  waits.set("early", 10);
  waits.set("b", 20);
  waits.set("a", 20);
  EXPECT_EQ(waits.next(), 10);
  EXPECT_FALSE(waits.take_due(9));
  EXPECT_EQ(waits.take_due(25), "early");
  EXPECT_EQ(waits.take_due(25), "a");
  EXPECT_EQ(waits.take_due(25), "b");
  EXPECT_FALSE(waits.take_due(25)) << "the last is not due yet";
  EXPECT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits.at("late"), 30);
  EXPECT_FALSE(waits.at("early")) << "what was taken waits no more";
}

TEST(Deadlines, AKeyHasOne) {
  Deadlines<std::string> waits;
  waits.set("x", 10);
  waits.set("x", 20);
  waits.set("x", 20);
  EXPECT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits.next(), 20);
  waits.set("x", 5);
  EXPECT_EQ(waits.take_due(5), "x");
  EXPECT_TRUE(waits.empty());
  waits.set("x", 5);
  EXPECT_TRUE(waits.erase("x"));
  EXPECT_FALSE(waits.erase("x"));
  EXPECT_FALSE(waits.next());
}

TEST(Deadlines, KeepsUpWithAPlainMap) {
  std::mt19937 random(1);
  Deadlines<int> waits;
  std::map<int, int64_t> plain;
  for (int i = 0; i < 5000; ++i) {
    const int key = static_cast<int>(random() % 20);
    const auto at = static_cast<int64_t>(random() % 50);
    if (random() % 3) {
      waits.set(key, at);
      plain[key] = at;
    } else if (random() % 2) {
      EXPECT_EQ(waits.erase(key), plain.erase(key) > 0);
    } else if (const auto due = waits.take_due(at)) {
      for (const auto& [other, time] : plain)
        EXPECT_LE(std::pair(plain.at(*due), *due), std::pair(time, other));
      EXPECT_LE(plain.at(*due), at);
      plain.erase(*due);
    }
    ASSERT_EQ(waits.all(), plain);
    ASSERT_EQ(waits.size(), plain.size());
  }
}

}  // namespace
}  // namespace fmd
