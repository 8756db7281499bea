// Messages about one failure are merged, messages apart in time are not.
#include <gtest/gtest.h>

#include "plugins/disk/episodes.h"

namespace fmd::disk {
namespace {

using namespace std::chrono_literals;

constexpr int64_t kSecond = 1'000'000'000;

Indication says(Cause cause, std::optional<uint64_t> sector = {}) {
  Indication said;
  said.cause = cause;
  said.sector = sector;
  return said;
}

TEST(Episodes, ManyVoicesOneFailure) {
  Episodes episodes(1s);
  EXPECT_FALSE(episodes.next_ns());
  episodes.add("a", says(Cause::medium), 100 * kSecond, 5 * kSecond);
  episodes.add("a", says(Cause::medium, 4656), 100 * kSecond, 5 * kSecond + 1);
  episodes.add("a", says(Cause::unspecific), 99 * kSecond, 5 * kSecond + 2);
  episodes.add("a", says(Cause::nothing), 98 * kSecond, 5 * kSecond + 2);
  EXPECT_EQ(episodes.next_ns(), 6 * kSecond);
  EXPECT_TRUE(episodes.take_over(6 * kSecond - 1).empty());
  const auto over = episodes.take_over(6 * kSecond);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].began_ns, 99 * kSecond);
  const auto told = telling(over[0]);
  ASSERT_EQ(told.size(), 1u) << "the medium explains the error that nobody explains";
  EXPECT_EQ(told[0].said.cause, Cause::medium);
  EXPECT_EQ(told[0].said.sector, 4656u);
  EXPECT_EQ(told[0].count, 2u);
  EXPECT_TRUE(episodes.take_over(100 * kSecond).empty()) << "told once";
}

TEST(Episodes, OnePathEach) {
  Episodes episodes(1s);
  episodes.add("b", says(Cause::timeout), 2, 2);
  episodes.add("a", says(Cause::transport), 1, 3);
  const auto over = episodes.take_over(5 * kSecond);
  ASSERT_EQ(over.size(), 2u);
  EXPECT_EQ(over[0].place, "a") << "in order of time";
}

// The plugin was not running, and now reads an hour of the trace and then of the log at once.
TEST(Episodes, WhatIsReadLateIsTakenApartByItsTime) {
  Episodes episodes(1s);
  for (const int64_t when : {100, 200, 300})
    episodes.add("a", says(Cause::unspecific), when * kSecond, 5);
  for (const int64_t when : {100, 200, 300})
    episodes.add("a", says(Cause::medium), when * kSecond + 50, 6);
  const auto over = episodes.take_over(5 * kSecond);
  ASSERT_EQ(over.size(), 3u);
  EXPECT_EQ(over[1].began_ns, 200 * kSecond);
  ASSERT_EQ(telling(over[1]).size(), 1u);
  EXPECT_EQ(telling(over[1])[0].said.cause, Cause::medium);
}

TEST(Episodes, SeveralCausesAreTold) {
  Episodes episodes(1s);
  episodes.add("a", says(Cause::timeout), 1, 1);
  episodes.add("a", says(Cause::transport), 2, 2);
  EXPECT_EQ(telling(episodes.take_over(2 * kSecond)[0]).size(), 2u);
}

TEST(Episodes, AResetAfterATimeoutIsTheTimeouts) {
  Episodes episodes(1s);
  episodes.add("a", says(Cause::timeout), 1, 1);
  episodes.add("a", says(Cause::reset), 2, 2);
  const auto told = telling(episodes.take_over(2 * kSecond)[0]);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].said.cause, Cause::timeout);
}

// EREMOTEIO with sense data for an unsupported request: no part is at fault.
TEST(Episodes, TheCallersFaultIsNone) {
  Episodes episodes(1s);
  episodes.add("a", says(Cause::unspecific), 1, 1);
  episodes.add("a", says(Cause::caller), 1, 1);
  EXPECT_TRUE(telling(episodes.take_over(2 * kSecond)[0]).empty());
}

TEST(Episodes, UnexplainedIsTold) {
  Episodes episodes(1s);
  episodes.add("a", says(Cause::unspecific), 1, 1);
  EXPECT_EQ(telling(episodes.take_over(2 * kSecond)[0]).size(), 1u);
}

// The kernel's log names the reason of a few failures only. That a unit is unmapped holds for those of the next minute, of the same path.
TEST(Episodes, AnUnmappedUnitIsSoForAMinute) {
  Episodes episodes(1s);
  const auto told_at = [&](const char* place, int64_t second, std::vector<Cause> causes) {
    for (const Cause cause : causes)
      episodes.add(place, says(cause), second * kSecond, second * kSecond);
    return telling(episodes.take_over((second + 2) * kSecond).at(0));
  };
  EXPECT_EQ(told_at("a", 10, {Cause::unspecific, Cause::caller, Cause::unmapped})[0].said.cause,
            Cause::unmapped);
  EXPECT_EQ(told_at("a", 30, {Cause::unspecific})[0].said.cause, Cause::unmapped);
  EXPECT_EQ(told_at("b", 33, {Cause::unspecific})[0].said.cause, Cause::unspecific)
      << "another path";
  EXPECT_EQ(told_at("a", 40, {Cause::medium})[0].said.cause, Cause::medium);
  EXPECT_EQ(told_at("a", 70, {Cause::unspecific})[0].said.cause, Cause::unmapped);
  EXPECT_EQ(told_at("a", 73, {Cause::unspecific})[0].said.cause, Cause::unspecific) << "too late";
  EXPECT_TRUE(told_at("a", 80, {Cause::unspecific, Cause::caller}).empty());
  EXPECT_EQ(told_at("a", 83, {Cause::unspecific})[0].said.cause, Cause::unspecific)
      << "another caller's fault explains no more than itself";
}

// A cursor must not go beyond what is still open.
TEST(Episodes, TheOldestOpenRecord) {
  Episodes episodes(1s);
  EXPECT_EQ(episodes.open_from(), 0u);
  episodes.add("b", says(Cause::medium), 1, 1, 700);
  episodes.add("b", says(Cause::medium), 1, 1, 701);
  episodes.add("a", says(Cause::medium), 1, kSecond, 702);
  EXPECT_EQ(episodes.open_from(), 700u);
  (void)episodes.take_over(kSecond + 2);
  EXPECT_EQ(episodes.open_from(), 702u);
}

}  // namespace
}  // namespace fmd::disk
