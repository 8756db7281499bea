#include "fmd/base/interned.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fmd {
namespace {

const std::string kClass = "ereport.fs.zfs.checksum";

TEST(Interned, IsKeptOnceForAllWhoHaveIt) {
  const Interned one = kClass, other = std::string_view(kClass);
  EXPECT_EQ(&one.str(), &other.str());
  EXPECT_EQ(one, other);
  EXPECT_EQ(one, kClass);
  EXPECT_EQ(one, "ereport.fs.zfs.checksum");
  EXPECT_NE(one, Interned("ereport.fs.zfs.checksun"));
  EXPECT_NE(one, Interned());
}

TEST(Interned, IsKeptAsLongAsSomebodyHasItHoweverManyAreMade) {
  const Interned one = kClass;
  for (int i = 0; i < 50000; ++i) Interned("made.up." + std::to_string(i));
  EXPECT_EQ(&Interned(kClass).str(), &one.str());
  EXPECT_LT(InternedTexts::of_thread().size(), 10000u);
  std::vector<Interned> held;
  for (int i = 0; i < 50000; ++i) held.emplace_back("held." + std::to_string(i));
  for (const Interned& text : held) ASSERT_EQ(&Interned(text.str()).str(), &text.str());
  EXPECT_GE(InternedTexts::of_thread().size(), 50000u);
  held.clear();
  InternedTexts::of_thread().forget_unused();
  EXPECT_LT(InternedTexts::of_thread().size(), 100u);
}

TEST(Interned, IsTheSameTextThoughAnotherThreadMadeIt) {
  const Interned one = kClass;
  Interned other;
  std::thread([&] { other = kClass; }).join();
  EXPECT_NE(&one.str(), &other.str());
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.hash(), other.hash());
}

TEST(Interned, IsNothingAtFirstAndWhenItWasMovedFrom) {
  EXPECT_EQ(Interned(), "");
  EXPECT_EQ(Interned(""), Interned());
  EXPECT_EQ(Interned("").hash(), Interned().hash());
  Interned from = kClass;
  const Interned to = std::move(from);
  EXPECT_EQ(to, kClass);
  EXPECT_EQ(from, "");  // NOLINT: the use after move is tested
  from = to;
  EXPECT_EQ(from, kClass);
  Interned& itself = from;
  from = itself;
  EXPECT_EQ(from, kClass);
  from.clear();
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(to, kClass);
}

TEST(Interned, FindsWhatAnyTextFinds) {
  std::unordered_map<Interned, int, InternedHash, std::equal_to<>> numbers;
  numbers[kClass] = 1;
  numbers[""] = 2;
  EXPECT_EQ(numbers.find(Interned(kClass))->second, 1);
  EXPECT_EQ(numbers.find(std::string_view(kClass))->second, 1);
  EXPECT_EQ(numbers.find(kClass)->second, 1);
  EXPECT_EQ(numbers.find(std::string_view())->second, 2);
  EXPECT_EQ(numbers.find(Interned())->second, 2);
  EXPECT_EQ(numbers.find(std::string_view("none")), numbers.end());
}

TEST(InternedTexts, AreThoseInUseAndSoManyMore) {
  InternedTexts texts(100);
  const Interned first = "0";
  texts.keep(first);
  for (int i = 1; i < 1000; ++i) {
    const std::string text = std::to_string(i);
    texts.keep(text);
    ASSERT_NE(texts.find(text), nullptr);
    EXPECT_EQ(*texts.find(text), text);
    EXPECT_LE(texts.size(), 101u);
  }
  EXPECT_NE(texts.find("0"), nullptr) << "it is in use";
  texts.forget_unused();
  EXPECT_EQ(texts.size(), 1u);
  texts.keep("");
  const std::string is_long(InternedTexts::kLongest + 1, 'x');
  const Interned kept_by_who_has_it = is_long;
  texts.keep(kept_by_who_has_it);
  EXPECT_EQ(texts.find(is_long), nullptr);
  EXPECT_EQ(texts.find("never kept"), nullptr);
  EXPECT_EQ(texts.find(""), nullptr);
  EXPECT_EQ(texts.size(), 1u);
}

}  // namespace
}  // namespace fmd
