// A storm in which very many parts fail: cost per event and memory per part as the machine grows.
// Each finding may share a cause with all others, so code that compares each with all others is
// quadratic.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ereports.h"
#include "fmd/diagnosis/engine.h"
#include "measure.h"
#include "sick_disks.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::bench {
namespace {

using Rules = std::shared_ptr<const RuleSet>;

struct Cost {
  double us_an_event = 0, bytes_a_disk = 0;
  uint64_t cases = 0;
};

Cost cost(const Rules& rules, const Story& story, uint64_t disks) {
  const std::vector<Event> events = storm(story, disks);
  const size_t before = mallinfo2().uordblks;
  uint64_t uuids = 0;
  Engine engine(rules, [&] { return fmt::format("00000000-0000-4000-8000-{:012}", ++uuids); });
  engine.on_inventory(pools(disks), kBegin);
  if (story.paths) engine.on_inventory(hardware(disks), kBegin);
  engine.take_changes();
  Cost out;
  const double seconds = cpu_seconds([&] { weather(engine, events); });
  out.us_an_event = seconds * 1e6 / static_cast<double>(events.size());
  out.bytes_a_disk =
      static_cast<double>(mallinfo2().uordblks - before) / static_cast<double>(disks);
  for (const auto& [uuid, c] : engine.cases()) out.cases += c.state != CaseState::unsolved;
  if (out.cases == 0)
    throw std::runtime_error(
        fmt::format("{}: no case was diagnosed: this measures nothing", story.name));
  return out;
}

// CPU of an event, in us, on a thousand disks with this many cases open, about these disks or
// others. Each of these was convicted alone, twenty minutes after the previous one.
double beside_cases(const Rules& rules, uint64_t open, bool about_these) {
  constexpr uint64_t kAsked = 1000, kErrors = 5;
  uint64_t uuids = 0, seq = 0;
  Engine engine(rules, [&] { return fmt::format("00000000-0000-4000-8000-{:012}", ++uuids); });
  engine.on_inventory(pools(open + kAsked), kBegin);
  int64_t now = kBegin;
  for (uint64_t n = 0; n < open; ++n, now += kAfter) {
    for (uint64_t i = 0; i < kErrorsEach; ++i)
      engine.on_event(ereport(kStories[0].event_class, n, ++seq, now), now);
    pass(engine, now + kAfter);
  }
  engine.take_changes();
  uint64_t are_open = 0;
  for (const auto& [uuid, c] : engine.cases()) are_open += c.faulty();
  if (are_open != open) throw std::runtime_error("not as many cases as meant");
  const uint64_t first = about_these ? 0 : open,
                 asked = about_these ? std::min(open, kAsked) : kAsked;
  std::vector<Event> events;
  for (uint64_t i = 0; i < kAsked * kErrors; ++i)
    events.push_back(
        ereport(kStories[0].event_class, first + i % asked, ++seq, now + static_cast<int64_t>(i)));
  const double seconds = cpu_seconds([&] {
    for (const Event& event : events) engine.on_event(event, event.time_ns);
    engine.take_decided();
  });
  return seconds * 1e6 / static_cast<double>(events.size());
}

}  // namespace

std::vector<Figure> measure_failing(const Settings& settings) {
  const Rules rules = shipped_rules();
  std::vector<Figure> figures;
  for (const Story& story : kStories) {
    std::vector<double> logs[3];
    for (uint64_t disks = 10; disks <= settings.disks; disks *= 10) {
      if (story.each > 1 && disks < 100) continue;  // a single disk is no storm
      const Cost c = cost(rules, story, disks);
      const std::string name = fmt::format("failing.{}_{}", story.name, disks);
      figures.push_back({name, c.us_an_event, "us/event",
                         fmt::format("CPU; {}, {} of them, {} cases", story.note, disks, c.cases)});
      figures.push_back({name + "_bytes", c.bytes_a_disk, "bytes/disk", "what it keeps in memory"});
      logs[0].push_back(std::log10(static_cast<double>(disks)));
      logs[1].push_back(std::log10(c.us_an_event * static_cast<double>(disks)));
      logs[2].push_back(std::log10(c.bytes_a_disk * static_cast<double>(disks)));
    }
    if (logs[0].size() < 2) continue;
    figures.push_back({fmt::format("failing.{}_time", story.name), slope(logs[0], logs[1]), "power",
                       "CPU grows with this power of the number of disks; 1 is linear"});
    figures.push_back({fmt::format("failing.{}_memory", story.name), slope(logs[0], logs[2]),
                       "power", "memory does"});
  }
  for (uint64_t open = 0; open <= settings.disks; open = open == 0 ? 1000 : open * 10)
    for (const bool about_these : {false, true})
      if (open > 0 || !about_these)
        figures.push_back({fmt::format("failing.{}_{}", about_these ? "same" : "open", open),
                           beside_cases(rules, open, about_these), "us/event",
                           fmt::format("CPU; {} cases open, about {}", open,
                                       about_these ? "the same disks" : "others")});
  return figures;
}

}  // namespace fmd::bench
