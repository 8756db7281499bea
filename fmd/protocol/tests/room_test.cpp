#include "fmd/protocol/room.h"

#include <gtest/gtest.h>

#include "fmd/protocol/parse.h"
#include "fmd/protocol/spare_events.h"

namespace fmd::protocol {
namespace {

const std::string kOne =
    R"({"events":[{"class":"ereport.a.b","resource":"dev://serial=A","time":1,"payload":{"a":1}}]})";

TEST(JsonRoom, IsGivenBackAndMadeAgain) {
  const std::string large = kOne + std::string(1 << 20, ' ');
  for (int times = 0; times < 2; ++times) {
    auto message = parse_events(large, {});
    ASSERT_TRUE(message);
    ASSERT_EQ(message->events.size() + message->rejected.size(), 1u);
    EXPECT_NE(known_resources().find("dev://serial=A"), nullptr);
    EXPECT_GE(json_room().copy.capacity(), large.size());
    EXPECT_GE(json_room().parser.capacity(), large.size());
    EventList used;
    used.add(std::make_unique<Event>());
    spare_events().give(std::move(used));
    EXPECT_EQ(spare_events().count(), 1u);
    message->events.clear();
    give_room_back();
    EXPECT_LT(json_room().copy.capacity(), 100u);
    EXPECT_EQ(json_room().parser.capacity(), 0u);
    EXPECT_EQ(spare_events().count(), 0u);
    EXPECT_EQ(known_resources().size(), 0u);
  }
}

}  // namespace
}  // namespace fmd::protocol
