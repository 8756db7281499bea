// Very many parts fail within a storm: what an event costs then, and a part of memory, as the machine grows. Each
// finding may have a cause in common with all others, so that whoever looks at all of them for each has it grow
// with the square.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "ereports.h"
#include "fmd/diagnosis/engine.h"
#include "measure.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kShelfOf = 50, kRaidzOf = 10, kErrorsEach = 12;
constexpr int64_t kStorm = 60'000'000'000, kAfter = 20 * kStorm;  // ns
constexpr uint64_t kCommit = 1000;                                // events

using Rules = std::shared_ptr<const RuleSet>;

struct Story {
  const char* name;
  const char* event_class;
  uint64_t each;  // that disk of so many fails
  bool paths;     // it is known what the disks hang on
  const char* note;
};

constexpr Story kStories[] = {
    {"checksums", "ereport.fs.zfs.checksum", 1, true, "wrong checksums of all disks"},
    {"no_path", "ereport.fs.zfs.checksum", 1, false,
     "the same, of disks that hang on nothing known"},
    {"io", "ereport.fs.zfs.io", 1, true, "I/O errors of all disks"},
    {"tenth", "ereport.fs.zfs.checksum", 10, true, "wrong checksums of each tenth disk"},
};

std::string disk_of(uint64_t n) {
  return fmt::format("dev://wwn=5000c500d{:07}", n);
}
std::string leaf_of(uint64_t n) {
  return fmt::format("zfs://pool={}/vdev={}", kPool, 7242000000000000000U + n);
}

Resource part(std::string fmri, const char* type, std::vector<Edge> edges = {}) {
  Resource r;
  r.fmri = std::move(fmri);
  r.type = type;
  r.edges = std::move(edges);
  return r;
}

void set(Resource& r, const char* property, Value value) {
  r.properties[property] = std::move(value);
}

// Shelves of fifty disks, ten shelves on a controller.
InventoryUpdate hardware(uint64_t disks) {
  InventoryUpdate update;
  update.source = "system";
  std::vector<Edge> shelves;
  uint64_t hbas = 0;
  for (uint64_t shelf = 0; shelf * kShelfOf < disks; ++shelf) {
    const std::string expander = fmt::format("dev://sas=500a098{:09}", shelf);
    std::vector<Edge> behind;
    for (uint64_t n = shelf * kShelfOf; n < std::min(disks, (shelf + 1) * kShelfOf); ++n)
      behind.push_back({Relation::path, disk_of(n)});
    update.resources.push_back(part(expander, "expander", std::move(behind)));
    shelves.push_back({Relation::path, expander});
    if (shelves.size() < 10 && (shelf + 1) * kShelfOf < disks) continue;
    update.resources.push_back(
        part(fmt::format("dev://pci=0000:{:02x}:00.0", hbas++), "hba", std::exchange(shelves, {})));
  }
  return update;
}

// In raidz2 of ten; a pool of each thousand.
InventoryUpdate pools(uint64_t disks) {
  InventoryUpdate update;
  update.source = "zfs";
  Resource pool, raidz;
  for (uint64_t n = 0; n < disks; ++n) {
    update.resources.push_back(part(disk_of(n), "disk"));
    set(update.resources.back(), "serial", fmt::format("S{:07}", n));
    Resource leaf = part(leaf_of(n), "zfs-vdev", {{Relation::redundancy, disk_of(n)}});
    set(leaf, "service", std::string("in-service"));
    raidz.edges.push_back({Relation::redundancy, leaf.fmri});
    update.resources.push_back(std::move(leaf));
    const bool last = n + 1 == disks;
    if ((n + 1) % kRaidzOf != 0 && !last) continue;
    raidz.fmri = leaf_of(5'000'000'000 + n);
    raidz.type = "zfs-vdev";
    set(raidz, "parity", int64_t{2});
    pool.edges.push_back({Relation::redundancy, raidz.fmri});
    update.resources.push_back(std::exchange(raidz, {}));
    if ((n + 1) % 1000 != 0 && !last) continue;
    pool.fmri = fmt::format("zfs://pool={}", kPool + n / 1000);
    pool.type = "zfs-pool";
    set(pool, "name", fmt::format("tank{}", n / 1000));
    update.resources.push_back(std::exchange(pool, {}));
  }
  return update;
}

Event ereport(const char* event_class, uint64_t disk, uint64_t seq, int64_t time_ns) {
  Event event;
  event.seq = seq;
  event.event_class = event_class;
  event.resource = leaf_of(disk);
  event.time_ns = event.received_ns = time_ns;
  event.ena = 0x725c738c4a00401 + seq * 0x100000000;
  event.source = "zfs";
  event.payload.set("vdev_type", Value(std::string("disk")));
  event.payload.set("context", Value(std::string("none")));
  event.payload_json = "{}";
  return event;
}

std::vector<Event> storm(const Story& story, uint64_t disks) {
  std::vector<uint64_t> sick;
  for (uint64_t n = 0; n < disks; n += story.each) sick.push_back(n);
  std::mt19937 random(static_cast<unsigned>(disks));
  std::vector<Event> events;
  const auto apart = kStorm / static_cast<int64_t>(sick.size() * kErrorsEach);
  for (uint64_t round = 0; round < kErrorsEach; ++round) {
    std::shuffle(sick.begin(), sick.end(), random);
    for (const uint64_t n : sick) {
      const uint64_t seq = events.size() + 1;
      events.push_back(
          ereport(story.event_class, n, seq, kBegin + static_cast<int64_t>(seq) * apart));
    }
  }
  return events;
}

void pass(Engine& engine, int64_t until) {
  for (auto next = engine.next_deadline_ns(); next && *next <= until;
       next = engine.next_deadline_ns())
    engine.on_time(*next);
}

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
  const double seconds = cpu_seconds([&] {
    for (const Event& event : events) {
      pass(engine, event.time_ns);
      engine.on_event(event, event.time_ns);
      if (event.seq % kCommit == 0) engine.take_decided();
    }
    pass(engine, kBegin + kAfter);
    engine.take_changes();
    engine.take_news();
  });
  out.us_an_event = seconds * 1e6 / static_cast<double>(events.size());
  out.bytes_a_disk =
      static_cast<double>(mallinfo2().uordblks - before) / static_cast<double>(disks);
  for (const auto& [uuid, c] : engine.cases()) out.cases += c.state != CaseState::unsolved;
  if (out.cases == 0)
    throw std::runtime_error(
        fmt::format("{}: no case was diagnosed: this measures nothing", story.name));
  return out;
}

// CPU of an event, us, about a thousand disks, with so many cases open: about these, or about others. Each was convicted
// alone, twenty minutes after the one before.
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
      if (story.each > 1 && disks < 100) continue;  // one is no storm
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
