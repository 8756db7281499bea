// During a lasting storm fmd allocates no memory: parsing reuses events that have been written, and
// counting reuses existing space. A checkpoint allocates only its rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "counted_memory.h"
#include "ereports.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/protocol/events_request.h"
#include "fmd/protocol/spare_events.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kBatch = 1000, kBatches = 120, kLast = 5;  // events; messages; last ones count
constexpr uint64_t kCounting = 6;                             // messages before any vdev is faulted

struct Asked {
  double reading = 0, diagnosing = 0;  // allocations per event
  double writing = 0;                  // allocations per row
};

std::string request(uint64_t number, Shape shape) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"events","params":{}}})", number,
                     as_message(make_ereports(1 + number * kBatch, kBatch, shape)));
}

double checkpoint(Engine& engine) {
  const uint64_t begin = allocations();
  const std::vector<StateRow> rows = engine.take_changes();
  const uint64_t end = allocations();
  EXPECT_GT(rows.size(), kVdevs / 2) << "most are counting";
  return static_cast<double>(end - begin) / static_cast<double>(rows.size());
}

// The minimum of the last batches, to exclude occasional reallocations.
Asked weather(Shape shape) {
  const EventSchema schema = shipped_schema();
  const auto rules = shipped_rules();
  const MemberNames members(rules->event_members());
  uint64_t uuids = 0, seq = 0;
  Engine engine(rules, [&] { return fmt::format("00000000-0000-4000-8000-{:012}", ++uuids); });
  Asked asked;
  for (uint64_t number = 0; number < kBatches; ++number) {
    const std::string line = request(number, shape);
    const uint64_t begin = allocations();
    auto taken = protocol::parse_events_request(line, {&schema, &members});
    const uint64_t read = allocations();
    if (!taken || taken->message.events.size() != kBatch) {
      ADD_FAILURE() << "not all of them were read";
      return asked;
    }
    for (auto& [index, event] : taken->message.events) {
      event->seq = ++seq;
      engine.on_event(*event, event->time_ns);
    }
    if (number + kLast == kBatches) asked.reading = asked.diagnosing = INFINITY;
    asked.reading = std::min(asked.reading, static_cast<double>(read - begin) / kBatch);
    asked.diagnosing =
        std::min(asked.diagnosing, static_cast<double>(allocations() - read) / kBatch);
    engine.take_decided();
    if (number + 1 == kCounting) asked.writing = checkpoint(engine);
    EventList written;
    for (auto& [index, event] : taken->message.events) written.add(std::move(event));
    protocol::spare_events().give(std::move(written));
  }
  EXPECT_EQ(engine.cases().size(), kVdevs) << "all of them fail";
  return asked;
}

TEST(SteadyStorm, AsksForNoMemory) {
  for (const Shape shape : {Shape::plain, Shape::whole}) {
    const Asked asked = weather(shape);
    fmt::print("{:.3f} and {:.3f} an event, {:.1f} a row\n", asked.reading, asked.diagnosing,
               asked.writing);
    EXPECT_LT(asked.reading, 0.02) << "each message, not each event";
    EXPECT_LT(asked.diagnosing, 0.01);
    EXPECT_LT(asked.writing, 3) << "its key and its text";
  }
}

}  // namespace
}  // namespace fmd::bench
