// Benchmarks of the engine: events per second and memory.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "ereports.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/protocol/parse.h"
#include "measure.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kEngineBatch = 250;  // events per message of at most 1 MiB

InventoryUpdate inventory() {
  InventoryUpdate update;
  update.source = "zfs";
  Resource pool;
  pool.fmri = fmt::format("zfs://pool={}", kPool);
  pool.type = "zfs-pool";
  pool.properties["name"] = Value(std::string("tank"));
  for (uint64_t vdev = 0; vdev < kVdevs; ++vdev) {
    Resource leaf;
    leaf.fmri = vdev_fmri(vdev);
    leaf.type = "zfs-vdev";
    leaf.properties["service"] = Value(std::string("in-service"));
    leaf.edges.push_back({Relation::redundancy, fmt::format("dev://wwn=5000c500a{:07}", vdev)});
    pool.edges.push_back({Relation::redundancy, leaf.fmri});
    update.resources.push_back(std::move(leaf));
  }
  update.resources.push_back(std::move(pool));
  return update;
}

std::string disk_fmri(uint64_t disk) {
  return fmt::format("dev://wwn=5000c500b{:07}", disk);
}

InventoryUpdate reading(uint64_t disk, const std::string& property, Value value) {
  InventoryUpdate update;
  update.source = "smart";
  Resource r;
  r.fmri = disk_fmri(disk);
  r.type = "disk";
  r.properties["smart.protocol"] = Value(std::string("ata"));
  r.properties[property] = std::move(value);
  update.resources.push_back(std::move(r));
  return update;
}

// Changing temperatures per second on 1000 disks, with this many cases about other disks.
double temperatures(const std::shared_ptr<const RuleSet>& rules, uint64_t open, uint64_t resolved) {
  uint64_t uuids = 0;
  Engine engine(rules, [&] { return std::to_string(++uuids); });
  for (uint64_t disk = 0; disk < resolved; ++disk) {
    engine.on_inventory(reading(disk, "smart.status", std::string("failed")), kBegin);
    engine.on_inventory(reading(disk, "smart.status", std::string("passed")), kBegin);
    (void)engine.judge(Judgement::repaired, std::to_string(uuids), "", "bench", kBegin);
  }
  for (uint64_t disk = 0; disk < open; ++disk)
    engine.on_inventory(reading(resolved + disk, "smart.status", std::string("failed")), kBegin);
  uint64_t are_open = 0;
  for (const auto& [uuid, c] : engine.cases()) are_open += c.open();
  if (are_open != open || engine.cases().size() != open + resolved)
    throw std::runtime_error("not as many cases as meant: this measures something else");
  engine.take_changes();
  constexpr uint64_t kDisks = 1000, kSweeps = 5;
  return rate(kDisks * kSweeps, [&] {
    for (uint64_t i = 0; i < kDisks * kSweeps; ++i) {
      InventoryUpdate update = reading(resolved + open + i % kDisks, "temperature_celsius",
                                       static_cast<int64_t>(20 + i / kDisks));
      update.merge = true;
      engine.on_inventory(update, kBegin);
      if (i % kDisks == 0) engine.take_changes();
    }
  });
}

constexpr uint64_t kGroup = 1000;         // events per commit
constexpr uint64_t kCheckpointEach = 50;  // groups; the daemon's value during a storm

struct Written {
  double rows = 0, bytes = 0;  // per 1000 events
};
struct Diagnosed {
  double per_second = 0, recounted_per_second = 0;
};

// Diagnoses events and serialises the changes as rows, with a checkpoint every `checkpoint_each`
// groups.
Diagnosed diagnose(const std::shared_ptr<const RuleSet>& rules, const std::vector<Event>& events,
                   uint64_t checkpoint_each, Written& written) {
  uint64_t uuids = 0, rows = 0, bytes = 0, groups = 0;
  const auto uuid = [&] { return fmt::format("00000000-0000-4000-8000-{:012}", ++uuids); };
  Engine engine(rules, uuid);
  std::map<std::pair<std::string, std::string>, std::string> store, before;
  const auto write = [&](std::vector<StateRow> changed) {
    for (StateRow& row : changed) {
      ++rows;
      bytes += row.doc.size();
      store[{row.kind, row.key}] = std::move(row.doc);
    }
  };
  engine.on_inventory(inventory(), kBegin);
  write(engine.take_changes());
  rows = bytes = 0;
  Diagnosed out;
  out.per_second = rate(events.size(), [&] {
    for (const Event& event : events) {
      engine.on_event(event, event.time_ns);
      if (event.seq % kGroup != 0) continue;
      const bool checkpoint = ++groups % checkpoint_each == 0;
      write(checkpoint ? engine.take_changes() : engine.take_decided());
      if (checkpoint && event.seq + checkpoint_each * kGroup == events.size()) before = store;
    }
  });
  if (uuids == 0) throw std::runtime_error("no case was diagnosed: this measures nothing");
  const double thousands = static_cast<double>(events.size()) / 1000;
  written = {static_cast<double>(rows) / thousands, static_cast<double>(bytes) / thousands};
  if (before.empty()) return out;
  std::vector<StateRow> kept;
  for (const auto& [key, doc] : before)
    if (!doc.empty()) kept.push_back({key.first, key.second, doc});
  Engine again(rules, uuid);
  uint64_t recounted = 0;
  const auto tail = [&](uint64_t after, const Engine::Journal::Each& each) {
    for (uint64_t i = after; i < events.size(); ++i, ++recounted)
      each(events[i], events[i].time_ns);
  };
  const double starts = rate(1, [&] { (void)again.restore(kept, {events.size(), tail}); });
  out.recounted_per_second = static_cast<double>(recounted) * starts;
  return out;
}

}  // namespace

std::vector<Figure> measure_engine(const Settings& settings) {
  const EventSchema schema = shipped_schema();
  const auto rules = shipped_rules(), without = shipped_rules("common.toml");
  std::vector<std::string> messages;
  for (uint64_t first = 1; first <= settings.events; first += kEngineBatch)
    messages.push_back(as_message(make_ereports(first, kEngineBatch, Shape::plain)));
  const uint64_t events = messages.size() * kEngineBatch;

  const MemberNames members(rules->event_members());
  std::vector<double> parsing, diagnosing, writing_all, recounting;
  Written all, left;
  for (int round = 0; round < settings.rounds; ++round) {
    std::vector<Event> parsed;
    parsed.reserve(events);
    parsing.push_back(rate(events, [&] {
      for (const std::string& message : messages) {
        auto one = protocol::parse_events(message, {&schema, &members});
        if (!one) throw std::runtime_error(one.error().text());
        if (!one->unfit.empty()) throw std::runtime_error(one->unfit.front().second);
        for (auto& [index, event] : one->events) parsed.push_back(std::move(*event));
      }
    }));
    uint64_t seq = 0;
    for (Event& event : parsed) event.seq = ++seq;
    writing_all.push_back(diagnose(rules, parsed, 1, all).per_second);
    const Diagnosed with_tail = diagnose(rules, parsed, kCheckpointEach, left);
    diagnosing.push_back(with_tail.per_second);
    recounting.push_back(with_tail.recounted_per_second);
  }
  std::vector<double> alone, among_cases;
  for (int round = 0; round < settings.rounds; ++round) {
    alone.push_back(temperatures(rules, 0, 0));
    among_cases.push_back(temperatures(rules, 1000, 10000));
  }
  std::vector<Figure> figures{
      {"engine.parse", median(parsing), "events/s", "messages of plugins taken apart and checked"},
      {"engine.diagnose", median(diagnosing), "events/s",
       "diagnosed, on 1000 vdevs of which many fail, with the rows of each commit"},
      {"engine.diagnose_all", median(writing_all), "events/s",
       "the same with all that has changed in each commit"},
      {"engine.rows", left.rows, "rows/1000", "written in a storm, per 1000 events"},
      {"engine.row_bytes", left.bytes, "bytes/1000", "and their bytes"},
      {"engine.rows_all", all.rows, "rows/1000", "with all that has changed in each commit"},
      {"engine.row_bytes_all", all.bytes, "bytes/1000", "and their bytes"},
      {"engine.recount", median(recounting), "events/s", "counted again at start"},
      {"engine.readings", median(alone), "changes/s", "temperatures that change, without cases"},
      {"engine.readings_cases", median(among_cases), "changes/s",
       "the same with 1000 open and 10000 resolved cases about other disks"}};
  for (Figure& figure : measure_common(settings, rules, without))
    figures.push_back(std::move(figure));
  return figures;
}

}  // namespace fmd::bench
