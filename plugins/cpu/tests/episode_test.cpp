// Merging the errors of a second, and counting those of a minute.
#include "plugins/cpu/episode.h"
#include "plugins/sdk/messages.h"

#include <gtest/gtest.h>

namespace fmd::cpu {
namespace {

constexpr const char* kSocket0 = "cpu://socket=0";
constexpr const char* kSocket1 = "cpu://socket=1";

sdk::OutEvent event(const char* event_class, const char* severity = "corrected") {
  return {event_class, "of it", 0, 0, {{"severity", severity}}};
}

std::vector<bool> explained(const std::vector<sdk::OutEvent>& events) {
  std::vector<bool> out;
  for (const auto& one : events)
    if (one.event_class == "ereport.cpu.bus") out.push_back(one.payload.contains("explained"));
  return out;
}

// A memory error explains a bus error of the same second or an adjacent one, and no other.
TEST(Episode, TheBusEchoesTheMemoryOfItsProcessor) {
  for (const int distance : {-2, -1, 0, 1, 2}) {
    Episode episode;
    std::vector<sdk::OutEvent> all;
    for (int second = 0; second <= 8; ++second) {
      if (second == 4) episode.add(event("ereport.cpu.bus"), kSocket0);
      if (second == 4 + distance) episode.add(event("ereport.memory.page"), kSocket0);
      for (auto& one : episode.take()) all.push_back(std::move(one));
    }
    EXPECT_EQ(explained(all), std::vector<bool>{distance >= -1 && distance <= 1}) << distance;
    EXPECT_FALSE(episode.goes_on());
  }
}

TEST(Episode, NotAnotherProcessorsAndNotWhatIsGraver) {
  Episode episode;
  episode.add(event("ereport.cpu.bus"), kSocket1);
  episode.add(event("ereport.cpu.bus", "uncorrected"), kSocket0);
  episode.add(event("ereport.memory.page"), kSocket0);
  episode.add(event("ereport.memory.shared"), "");  // EDAC's report of the same error
  EXPECT_EQ(explained(episode.take()), std::vector<bool>{false}) << "uncorrected: told at once";
  EXPECT_EQ(explained(episode.take()), std::vector<bool>{false}) << "the other processor's";
  episode.add(event("ereport.cpu.bus"), kSocket1);
  episode.take();
  episode.take();
  episode.add(event("ereport.memory.shared"), "");
  episode.add(event("ereport.cpu.bus"), kSocket1);
  episode.take();
  EXPECT_EQ(explained(episode.take()), std::vector<bool>{true}) << "nobody else was named";
}

TraceRecord mce(unsigned socket, uint64_t status) {
  MceRecord record;
  record.vendor = Vendor::intel;
  record.socket = socket;
  record.status = status;
  return {0, record};
}

// A machine check and EDAC's report of it count once, for the processor that had the error.
TEST(Storm, CountsEachErrorOnceOnItsProcessor) {
  Storm storm;
  EXPECT_TRUE(storm.empty());
  MemoryRecord edac;
  edac.count = 1;
  for (int i = 0; i < 450; ++i) {
    storm.add(mce(1, 0x8c00000000000092), kSocket1);
    storm.add({0, edac}, "");
  }
  storm.add(mce(0, 0x8000000000000135), kSocket0);
  storm.add(mce(0, 0xa000000000000135), kSocket0);  // uncorrected
  EXPECT_EQ(storm.take(), (std::map<std::string, uint64_t>{{kSocket0, 1}, {kSocket1, 450}}));
  EXPECT_TRUE(storm.empty());
  edac.count = 7;
  storm.add({0, edac}, "");
  EXPECT_EQ(storm.take(), (std::map<std::string, uint64_t>{{kSocket0, 7}})) << "EDAC alone tells";
}

}  // namespace
}  // namespace fmd::cpu
