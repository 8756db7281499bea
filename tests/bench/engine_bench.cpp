#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "ereports.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/model/event_schema.h"
#include "fmd/protocol/parse.h"
#include "fmd/rules/rules.h"
#include "measure.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kEngineBatch = 250;  // what goes into one message of at most 1 MiB

std::vector<SourceFile> read_folder(const std::string& folder) {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    std::ifstream in(entry.path());
    files.push_back(
        {entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  return files;
}

void refuse(const std::vector<Error>& errors) {
  if (!errors.empty()) throw std::runtime_error(errors.front().text());
}

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

// Temperatures that change, a second, on 1000 disks, while there are so many cases about others.
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

}  // namespace

std::vector<Figure> measure_engine(const Settings& settings) {
  const std::string tree = FMD_TREE;
  auto [schema, schema_errors] = EventSchema::load(read_folder(tree + "/schemas/events"));
  refuse(schema_errors);
  auto [rules, rule_errors] = RuleSet::load(read_folder(tree + "/diagnosis-rules"), schema);
  refuse(rule_errors);
  std::vector<std::string> messages;
  for (uint64_t first = 1; first <= settings.events; first += kEngineBatch)
    messages.push_back(as_message(make_ereports(first, kEngineBatch, Shape::plain)));
  const uint64_t events = messages.size() * kEngineBatch;

  std::vector<double> parsing, diagnosing;
  for (int round = 0; round < settings.rounds; ++round) {
    std::vector<Event> parsed;
    parsed.reserve(events);
    parsing.push_back(rate(events, [&] {
      for (const std::string& message : messages) {
        auto one = protocol::parse_events(message);
        if (!one) throw std::runtime_error(one.error().text());
        for (auto& [index, event] : one->events) {
          if (const auto good = schema.check(event); !good)
            throw std::runtime_error(good.error().text());
          parsed.push_back(std::move(event));
        }
      }
    }));
    uint64_t uuids = 0;
    Engine engine(rules, [&] { return fmt::format("00000000-0000-4000-8000-{:012}", ++uuids); });
    engine.on_inventory(inventory(), kBegin);
    engine.take_changes();
    diagnosing.push_back(rate(events, [&] {
      uint64_t seq = 0;
      for (Event& event : parsed) {
        event.seq = ++seq;
        engine.on_event(event, event.time_ns);
        if (seq % 1000 == 0) engine.take_changes();
      }
    }));
    if (uuids == 0) throw std::runtime_error("no case was diagnosed: this measures nothing");
  }
  std::vector<double> alone, among_cases;
  for (int round = 0; round < settings.rounds; ++round) {
    alone.push_back(temperatures(rules, 0, 0));
    among_cases.push_back(temperatures(rules, 1000, 10000));
  }
  return {
      {"engine.parse", median(parsing), "events/s", "messages of plugins taken apart and checked"},
      {"engine.diagnose", median(diagnosing), "events/s",
       "diagnosed, on 1000 vdevs of which many fail"},
      {"engine.readings", median(alone), "changes/s", "temperatures that change, without cases"},
      {"engine.readings_cases", median(among_cases), "changes/s",
       "the same with 1000 open and 10000 resolved cases about other disks"}};
}

}  // namespace fmd::bench
