// Cost of the common-cause rules: on the hot path while nothing fails, and as a delay until a
// single failing disk is accused.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "ereports.h"
#include "fmd/diagnosis/engine.h"
#include "measure.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kHanging = 1000, kInShelf = 50;
constexpr int64_t kOneSecond = 1'000'000'000;

std::string behind_hba(uint64_t disk) {
  return fmt::format("dev://wwn=5000c500c{:07}", disk);
}

Resource resource(const std::string& fmri, const char* type, std::vector<Edge> edges = {}) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  r.edges = std::move(edges);
  return r;
}

// Twenty shelves of fifty disks behind two controllers.
InventoryUpdate host() {
  InventoryUpdate update;
  update.source = "system";
  std::vector<Edge> shelves[2];
  for (uint64_t shelf = 0; shelf < kHanging / kInShelf; ++shelf) {
    const std::string expander = fmt::format("dev://sas=500a098{:09}", shelf);
    std::vector<Edge> disks;
    for (uint64_t disk = shelf * kInShelf; disk < (shelf + 1) * kInShelf; ++disk) {
      update.resources.push_back(resource(behind_hba(disk), "disk"));
      update.resources.back().properties["kernel_state"] = Value(std::string("running"));
      disks.push_back({Relation::path, behind_hba(disk)});
    }
    update.resources.push_back(resource(expander, "expander", std::move(disks)));
    shelves[shelf % 2].push_back({Relation::path, expander});
  }
  for (const int hba : {0, 1})
    update.resources.push_back(
        resource(fmt::format("dev://pci=0000:0{}:00.0", hba), "hba", std::move(shelves[hba])));
  return update;
}

Event error(uint64_t disk, uint64_t seq, int64_t time_ns) {
  Event event;
  event.seq = seq;
  event.event_class = "ereport.disk.io.unspecific";
  event.resource = behind_hba(disk);
  event.time_ns = event.received_ns = time_ns;
  event.payload_json = "{}";
  return event;
}

using Rules = std::shared_ptr<const RuleSet>;

// A healthy host: a few errors on each disk, too few for a verdict, and changing temperatures.
// Seconds.
double quiet(const Rules& rules, uint64_t sweeps) {
  uint64_t uuids = 0, seq = 0;
  Engine engine(rules, [&] { return std::to_string(++uuids); });
  engine.on_inventory(host(), kBegin);
  engine.take_changes();
  const double sweeps_a_second = rate(1, [&] {
    for (uint64_t sweep = 0; sweep < sweeps; ++sweep) {
      const int64_t now = kBegin + static_cast<int64_t>(sweep) * 300 * kOneSecond;
      for (uint64_t disk = 0; disk < kHanging; ++disk) {
        engine.on_event(error(disk, ++seq, now), now);
        InventoryUpdate update;
        update.source = "smart";
        update.merge = true;
        update.resources.push_back(resource(behind_hba(disk), "disk"));
        update.resources.back().properties["temperature_celsius"] =
            Value(static_cast<int64_t>(20 + sweep % 10));
        engine.on_inventory(update, now);
      }
      engine.take_changes();
    }
  });
  if (uuids > 0) throw std::runtime_error("something failed: this measures something else");
  return 1 / sweeps_a_second;
}

// From the last error of a single failing disk to its case, in the engine's time. Seconds.
double alone(const Rules& rules, bool goes_offline) {
  uint64_t uuids = 0;
  Engine engine(rules, [&] { return std::to_string(++uuids); });
  engine.on_inventory(host(), kBegin);
  if (goes_offline) {
    InventoryUpdate update;
    update.source = "system";
    update.merge = true;
    update.resources.push_back(resource(behind_hba(0), "disk"));
    update.resources.back().properties["kernel_state"] = Value(std::string("offline"));
    engine.on_inventory(update, kBegin);
  }
  for (uint64_t i = 1; i <= 10 && !goes_offline; ++i) engine.on_event(error(0, i, kBegin), kBegin);
  while (engine.take_news().empty()) {
    const auto next = engine.next_deadline_ns();
    if (!next) throw std::runtime_error("a disk that fails on its own was not accused");
    engine.on_time(*next);
    for (const auto& [uuid, c] : engine.cases())
      if (c.state != CaseState::unsolved)
        return static_cast<double>(*next - kBegin) / static_cast<double>(kOneSecond);
  }
  return 0;
}

}  // namespace

std::vector<Figure> measure_common(const Settings& settings, const Rules& rules,
                                   const Rules& without) {
  const uint64_t sweeps = std::max<uint64_t>(1, settings.events / kHanging / 4);
  std::vector<double> ratios;
  quiet(rules, 1);  // warm-up
  for (int round = 0; round < std::max(3, settings.rounds); ++round) {
    const double with_first = quiet(rules, sweeps), then = quiet(without, sweeps);
    const double first = quiet(without, sweeps), with_then = quiet(rules, sweeps);
    ratios.push_back((with_first + with_then) / (then + first));
  }
  double later = 0;
  for (const bool goes_offline : {false, true})
    later = std::max(later, alone(rules, goes_offline) - alone(without, goes_offline));
  return {{"engine.common_quiet", median(ratios), "ratio",
           "errors and temperatures of 1000 disks of which none fails: with the rules of causes in "
           "common, beside without"},
          {"engine.common_errors_alone", alone(rules, false), "s",
           "from the tenth error of a disk on its own to its case"},
          {"engine.common_offline_alone", alone(rules, true), "s",
           "from its going offline to its case"},
          {"engine.common_later", later, "s", "later than without these rules, at most"}};
}

}  // namespace fmd::bench
