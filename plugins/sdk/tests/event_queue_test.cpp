#include "plugins/sdk/internal/event_queue.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "fmd/protocol/lines.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"

namespace fmd::sdk {
namespace {

using nlohmann::json;

std::vector<OutEvent> events(int first, int count) {
  std::vector<OutEvent> result;
  for (int i = 0; i < count; ++i)
    result.push_back({"ereport.fs.zfs.checksum", "zfs://pool=1", first + i, 0, json::object()});
  return result;
}

json params(const std::optional<std::string>& line) {
  return line ? json::parse(*line)["params"] : json();
}

TEST(EventQueue, ABatchIsAWholeRequestLine) {
  EventQueue queue("i");
  queue.push(events(5, 2), "cur\"sor");
  const auto line = queue.take(7);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->back(), '\n');
  const json message = json::parse(*line);
  EXPECT_EQ(message["id"], 7);
  EXPECT_EQ(message["method"], "events");
  EXPECT_EQ(message["params"]["cursor"], "cur\"sor");
  EXPECT_EQ(message["params"]["events"][1]["time"], 6);
  EXPECT_FALSE(queue.take(8));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.acked(7), 2u);
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_FALSE(queue.acked(7));
}

TEST(EventQueue, BatchesAreBoundedInNumberAndEvents) {
  EventQueue queue("i");
  queue.push(events(0, 9500), "end");
  for (uint64_t id = 1; id <= EventQueue::kMaxBatches; ++id)
    EXPECT_EQ(params(queue.take(id))["events"].size(), 1000u);
  EXPECT_FALSE(queue.take(9));
  queue.acked(3);
  EXPECT_TRUE(queue.take(9));
  EXPECT_FALSE(queue.take(10));
}

TEST(EventQueue, WhatTheCoreKeepsHindersNoOther) {
  EventQueue queue("i");
  const auto one = [&](uint64_t id) {
    queue.push(events(static_cast<int>(id), 1), std::to_string(id));
    return queue.take(id);
  };
  for (uint64_t id = 1; id <= EventQueue::kMaxBatches; ++id) EXPECT_TRUE(one(id));
  EXPECT_FALSE(one(9));
  queue.kept(4);
  queue.kept(4);
  queue.kept(77);
  EXPECT_TRUE(queue.take(9));
  EXPECT_FALSE(one(10)) << "one for one";
  // "Kept" does not mean stored: uncommitted events are resent.
  EXPECT_EQ(queue.reconnected("2", ""), "10");
  EXPECT_EQ(queue.size(), 8u);
  EXPECT_EQ(params(queue.take(1))["events"].size(), 8u);
}

// While fmd cannot write, batches in its memory are neither resent nor dropped.
TEST(EventQueue, WhatIsInTheCoresMemoryWaitsUntilItIsOnDisk) {
  EventQueue queue("i");
  EXPECT_EQ(queue.reconnected("0", ""), "0");
  for (uint64_t id = 1; id <= 4; ++id) {
    queue.push(events(static_cast<int>(id), 1), std::to_string(id));
    ASSERT_TRUE(queue.take(id));
  }
  EXPECT_EQ(queue.reconnected("1", "3"), "4");
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(params(queue.take(7))["cursor"], "4") << "the others are there";
  EXPECT_FALSE(queue.take(8));
  EXPECT_EQ(queue.reconnected("1", ""), "4") << "it was killed before it could write";
  EXPECT_EQ(params(queue.take(9))["events"].size(), 3u);
  EXPECT_EQ(queue.acked(9), 3u);
  EXPECT_EQ(queue.size(), 0u);
}

TEST(EventQueue, WhatIsWrittenLaterIsTold) {
  EventQueue queue("i");
  for (uint64_t id = 1; id <= 3; ++id) {
    queue.push(events(static_cast<int>(id), 2), std::to_string(id));
    ASSERT_TRUE(queue.take(id));
  }
  EXPECT_EQ(queue.reconnected("0", "3"), "3");
  EXPECT_FALSE(queue.take(4));
  queue.written("2");
  queue.written("77");
  EXPECT_EQ(queue.size(), 2u);
  queue.written("3");
  EXPECT_EQ(queue.size(), 0u);
}

// A plugin that began after events in fmd's memory must start again if those are lost.
TEST(EventQueue, WhatThisProcessBeganBehindIsLost) {
  for (const bool written : {false, true}) {
    EventQueue queue("i");
    EXPECT_EQ(queue.reconnected("7", "9"), "9");
    queue.push(events(1, 1), "10");
    ASSERT_TRUE(queue.take(1));
    EXPECT_EQ(queue.reconnected("7", "9"), "10") << "the same fmd";
    if (written)
      EXPECT_EQ(queue.reconnected("9", ""), "10");
    else
      EXPECT_EQ(queue.reconnected("7", ""), std::nullopt);
  }
}

TEST(EventQueue, NoLineIsTooLong) {
  EventQueue queue("i");
  auto big = events(0, 20);
  for (auto& event : big) event.payload["text"] = std::string(100 << 10, 'x');
  big[3].payload["text"] = std::string(3 << 20, 'x');
  queue.push(big, "end");
  size_t seen = 0;
  for (uint64_t id = 1; auto line = queue.take(id); ++id) {
    EXPECT_LT(line->size(), wire::kMaxLine);
    seen += params(line)["events"].size();
    queue.acked(id);
  }
  EXPECT_EQ(seen, 20u);
}

TEST(EventQueue, BrokenUtf8GoesThroughAsReplacement) {
  EventQueue queue("i");
  auto one = events(0, 1);
  one[0].payload["serial"] = "a\xff";
  queue.push(one, "");
  EXPECT_EQ(params(queue.take(1))["events"][0]["payload"]["serial"], "a\xEF\xBF\xBD");
}

TEST(EventQueue, OnlyTheLastPieceCarriesTheSourcesCursor) {
  EventQueue queue("i");
  queue.reconnected("10", "");
  queue.push(events(0, 1500), "20");
  EXPECT_EQ(params(queue.take(1))["cursor"], "10#sdk-i-1");
  EXPECT_EQ(params(queue.take(2))["cursor"], "20");
  queue.push(events(0, 1), "");
  EXPECT_EQ(params(queue.take(3))["cursor"], "20#sdk-i-2");
}

TEST(EventQueue, ACursorAloneIsProgressToo) {
  EventQueue queue("i");
  queue.push({}, "30");
  const json batch = params(queue.take(1));
  EXPECT_EQ(batch["cursor"], "30");
  EXPECT_TRUE(batch["events"].empty());
  EXPECT_EQ(queue.acked(1), 0u);
}

TEST(EventQueue, AfterALostAckNothingIsSentTwice) {
  EventQueue queue("i");
  queue.push(events(0, 1), "1");
  queue.take(1);
  queue.push(events(1, 1), "");
  queue.take(2);
  queue.push(events(2, 1), "3");
  queue.take(3);
  queue.push(events(3, 1), "4");
  // The core committed the first two; their acks were lost.
  EXPECT_EQ(queue.reconnected("1#sdk-i-1", ""), "4");
  EXPECT_EQ(queue.size(), 2u);
  const json again = params(queue.take(4));
  EXPECT_EQ(again["events"].size(), 2u);
  EXPECT_EQ(again["events"][0]["time"], 2);
  EXPECT_EQ(again["cursor"], "4");
}

TEST(EventQueue, AllIsSentAgainWhenNothingWasCommitted) {
  EventQueue queue("i");
  queue.push(events(0, 1), "1");
  queue.take(1);
  queue.push(events(1, 1), "2");
  queue.take(2);
  EXPECT_EQ(queue.reconnected("0", ""), "2");
  EXPECT_EQ(params(queue.take(3))["events"][0]["time"], 0);
}

TEST(EventQueue, TheSourceGetsItsOwnCursorBack) {
  EventQueue queue("new");
  EXPECT_EQ(queue.reconnected("a#b#sdk-old-17", ""), "a#b");
  EXPECT_EQ(queue.reconnected("", ""), "");
}

}  // namespace
}  // namespace fmd::sdk
