#include "fmd/protocol/spare_events.h"

#include <gtest/gtest.h>

#include <string>

namespace fmd::protocol {
namespace {

std::vector<Event> events(size_t count, size_t payload = 1000) {
  std::vector<Event> out(count);
  for (Event& event : out) {
    event.seq = 7;
    event.event_class = "ereport.fs.zfs.checksum";
    event.resource = "zfs://pool=1/vdev=2";
    event.time_ns = event.received_ns = 5;
    event.ena = 9;
    event.source = "a-source-of-a-long-name";
    event.payload.append("name", Value(int64_t{1}));
    event.payload_json.assign(payload, ' ');
  }
  return out;
}

TEST(SpareEvents, ComeBackEmptyAndWithRoom) {
  SpareEvents spare;
  spare.give(events(1));
  ASSERT_EQ(spare.count(), 1u);
  const EventPtr taken = spare.take();
  Event& event = *taken;
  EXPECT_EQ(spare.count(), 0u);
  EXPECT_GE(event.payload_json.capacity(), 1000u);
  EXPECT_EQ(event.event_class.str() + event.resource.str() + event.source + event.payload_json, "");
  EXPECT_EQ(event.seq + event.ena, 0u);
  EXPECT_EQ(event.time_ns + event.received_ns, 0);
  EXPECT_TRUE(event.payload.members().empty());
  EXPECT_GE(event.payload.room(), 1u);
  EXPECT_EQ(spare.take()->payload_json.capacity(), std::string().capacity()) << "a fresh one";
}

TEST(SpareEvents, AreNoMoreThanSaidAndNoLongOnes) {
  SpareEvents spare;
  spare.give(events(10, SpareEvents::kLongest + 1));
  EXPECT_EQ(spare.count(), 0u);
  std::vector<Event> wide = events(1);
  for (size_t i = 0; i < SpareEvents::kWidest; ++i) wide[0].payload.append("a", Value(int64_t{1}));
  spare.give(std::move(wide));
  EXPECT_EQ(spare.count(), 0u) << "nor any of very many members";
  for (int i = 0; i < 3; ++i) spare.give(events(SpareEvents::kMost, 10));
  EXPECT_EQ(spare.count(), SpareEvents::kMost);
}

// Even if other members are long in each event.
TEST(SpareEvents, KeepNoLongTextsOfMembers) {
  SpareEvents spare;
  EventPtr event = std::make_unique<Event>();
  for (size_t longest = 0; longest < 8; ++longest) {
    for (size_t i = 0; i < 8; ++i)
      event->payload.append("m", Value(std::string(i == longest ? 3000 : 40, 'x')));
    event->payload.clear();
    EventList used;
    used.add(std::move(event));
    spare.give(std::move(used));
    event = spare.take();
  }
  size_t room = 0;
  for (size_t i = 0; i < 8; ++i)
    if (const auto* text = std::get_if<std::string>(&event->payload.append("m")))
      room += text->capacity();
  EXPECT_GT(room, 40u) << "the short ones' is";
  EXPECT_LE(room, 8 * Payload::kKeptText);
}

TEST(SpareEvents, AreGivenUpWhileLittleComes) {
  SpareEvents spare;
  spare.give(events(1000, 10));
  spare.give(events(1000, 10));
  ASSERT_EQ(spare.count(), 2000u);
  for (int commits = 0; commits < 60; ++commits) spare.give(events(1, 10));
  EXPECT_LE(spare.count(), 2u);
}

}  // namespace
}  // namespace fmd::protocol
