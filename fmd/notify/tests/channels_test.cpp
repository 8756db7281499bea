// Channels that fail to deliver: since when, and how they recover.
#include "fmd/notify/channels.h"

#include <gtest/gtest.h>

#include "fmd/base/duration.h"
#include "fmd/notify/outbox.h"

namespace fmd {
namespace {

class ChannelsTest : public ::testing::Test {
 protected:
  void SetUp() override { outbox.set_expiry(7 * 86400 * kSecondNs, {"mail"}); }
  void add(const std::string& uuid) {
    outbox.add({{"diagnosed", uuid, 1}, {}, {}}, {{"mail", {"default"}, ""}}, {[] {
                 return OutboxMessage{"subject", "body", "host", "{}"};
               }},
               now);
  }
  // Gives this answer to all messages that are due; returns their number.
  size_t answer(const std::string& status, const std::string& reason = "") {
    const auto due = outbox.due(now, [](std::string_view) { return true; });
    for (const Delivery& delivery : due) outbox.answered(delivery, status, reason, now);
    return due.size();
  }
  // The channel as reported to the inventory; "": no change.
  std::string described(const std::string& property = "delivery") {
    const auto changed = outbox.channels().take_changed();
    EXPECT_LE(changed.size(), 1u);
    if (changed.empty()) return "";
    EXPECT_EQ(changed[0].fmri, "fmd://channel=mail");
    EXPECT_EQ(changed[0].type, "channel");
    return changed[0].get(property);
  }
  Outbox outbox;
  int64_t now = 1000 * kSecondNs;
};

TEST_F(ChannelsTest, FailsFromTheFirstRefusalUntilTheLastRefusedOneIsThrough) {
  add("u1");
  add("u2");
  EXPECT_EQ(described(), "") << "waiting is no failure";
  EXPECT_EQ(answer("failed", "connection refused"), 2u);
  EXPECT_EQ(described(), "failing");
  now += 2 * kSecondNs;
  EXPECT_EQ(answer("failed", "connection refused"), 2u);
  EXPECT_EQ(described(), "") << "the same again is no news";
  now += 10 * kSecondNs;
  const auto due = outbox.due(now, [](std::string_view) { return true; });
  ASSERT_EQ(due.size(), 2u);
  EXPECT_TRUE(outbox.answered(due[0], "done", "", now));
  EXPECT_EQ(described(), "") << "the other one still waits";
  EXPECT_TRUE(outbox.answered(due[1], "done", "", now));
  EXPECT_EQ(described(), "ok");
}

TEST_F(ChannelsTest, WhatNobodyIsThereForIsNotRefused) {
  add("u1");
  EXPECT_TRUE(outbox.due(now, [](std::string_view) { return false; }).empty());
  EXPECT_EQ(described(), "");
  EXPECT_TRUE(outbox.channels().failing().empty());
}

TEST_F(ChannelsTest, ATestThatComesThroughProvesIt) {
  add("u1");
  answer("failed", "x");
  EXPECT_EQ(described(), "failing");
  outbox.proved("mail", now);
  EXPECT_EQ(described(), "") << "u1 waits still";
  now += 8 * 86400 * kSecondNs;
  EXPECT_EQ(outbox.expire(now).size(), 1u);
  EXPECT_EQ(described(), "") << "given up is not delivered";
  outbox.proved("mail", now);
  EXPECT_EQ(described(), "ok");
}

TEST_F(ChannelsTest, OneThatIsTakenOutOfTheConfigurationIsJudgedNoMore) {
  add("u1");
  answer("failed", "x");
  outbox.set_expiry(7 * 86400 * kSecondNs, {"snmp"});
  outbox.expire(now);
  EXPECT_EQ(described(), "failing") << "its message waits still";
  now += 8 * 86400 * kSecondNs;
  outbox.expire(now);
  EXPECT_EQ(described(), "ok");
}

TEST_F(ChannelsTest, ARestartRemembersSinceWhen) {
  add("u1");
  answer("failed", "x");
  const std::string since = described("failing_since");
  Outbox after;
  ASSERT_TRUE(after.restore(outbox.all_rows()));
  after.channels().refused("mail", "y", now + 3600 * kSecondNs);
  const auto changed = after.channels().take_changed();
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].get("failing_since"), since);
  EXPECT_EQ(changed[0].get("reason"), "y");
}

}  // namespace
}  // namespace fmd
