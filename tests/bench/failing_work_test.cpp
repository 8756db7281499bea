// Ten times as many sick disks cause ten times the work, not a hundred times. Allocations measure
// the work: they are the same on each machine, and code that visits all disks for each one builds
// lists, names or texts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "counted_memory.h"
#include "ereports.h"
#include "sick_disks.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::bench {
namespace {

double allocations_an_event(const Story& story, uint64_t disks) {
  static const auto rules = shipped_rules();
  const std::vector<Event> events = storm(story, disks);
  uint64_t uuids = 0;
  Engine engine(rules, [&] { return fmt::format("00000000-0000-4000-8000-{:012}", ++uuids); });
  engine.on_inventory(pools(disks), kBegin);
  if (story.paths) engine.on_inventory(hardware(disks), kBegin);
  engine.take_changes();
  const uint64_t before = allocations();
  weather(engine, events);
  EXPECT_FALSE(engine.cases().empty());
  return static_cast<double>(allocations() - before) / static_cast<double>(events.size());
}

class OfManyDisks : public ::testing::TestWithParam<Story> {};

TEST_P(OfManyDisks, TheLastCostsWhatTheFirstDoes) {
  const double of_few = allocations_an_event(GetParam(), 200);
  const double of_many = allocations_an_event(GetParam(), 2000);
  fmt::print("{}: {:.1f} and {:.1f} allocations an event\n", GetParam().name, of_few, of_many);
  EXPECT_LT(of_many, 1.25 * of_few) << GetParam().note;
}

INSTANTIATE_TEST_SUITE_P(Failing, OfManyDisks, ::testing::ValuesIn(kStories),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace fmd::bench
