// Cost of a reconciler pass with 1,000 open and 10,000 resolved cases: every disk of 20 shelves is
// failing and has years of history.
#include <fmt/format.h>

#include <stdexcept>

#include "fmd/diagnosis/engine.h"
#include "fmd/model/event_schema.h"
#include "fmd/reconcile/reconciler.h"
#include "measure.h"

namespace fmd::bench {
namespace {

constexpr int kOpen = 1000, kResolved = 10000, kLooks = 1000;
constexpr int64_t kSecond = 1000000000;

constexpr const char* kSchema = R"(
[class."ereport.t.bad"]
description = "broken"
)";
constexpr const char* kRules = R"(
[[rule]]
name = "bad"
kind = "immediate"
events = ["ereport.t.bad"]
fault = "fault.t.bad"
[[rule]]
name = "hot"
kind = "threshold"
type = "disk"
property = "temperature_celsius"
above = 60
fault = "fault.t.hot"
[[fault]]
class = "fault.t.bad"
dictionary = "T"
number = 1
severity = "Major"
title = "bad"
description = "the disk in {bay}, serial {serial}"
response = "r"
impact = "i"
action = "a"
led = true
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "degraded"
spare = true
then = "out-of-service"
replace = "same-bay"
[[fault]]
class = "fault.t.hot"
dictionary = "T"
number = 2
severity = "Minor"
title = "hot"
description = "d"
response = "r"
impact = "i"
action = "a"
)";

Resource resource(std::string fmri, std::string type,
                  std::vector<std::pair<std::string, std::string>> properties,
                  std::vector<Edge> edges) {
  Resource r;
  r.fmri = std::move(fmri);
  r.type = std::move(type);
  for (auto& [name, value] : properties) r.properties[name] = std::move(value);
  r.edges = std::move(edges);
  return r;
}

class World {
 public:
  World() {
    auto [schema, schema_errors] = EventSchema::load({{"events.toml", kSchema}});
    auto [rules, errors] = RuleSet::load({{"rules.toml", kRules}}, schema);
    if (!errors.empty() || !schema_errors.empty()) throw std::runtime_error("the bench's rules");
    engine = std::make_unique<Engine>(rules, [this] { return fmt::format("case-{}", ++cases_); });
    ActionConfig config;
    config.max_retired = kOpen;
    reconciler = std::make_unique<Reconciler>(*engine, config);
    for (int i = 0; i < kOpen; ++i) describe(i, "in-service", "");
    for (int i = 0; i < kResolved; ++i) {
      fail(i % kOpen);
      if (!engine->judge(Engine::Verdict::acquitted, fmt::format("case-{}", cases_), "", "root",
                         now))
        throw std::runtime_error("no case to resolve");
    }
    for (int i = 0; i < kOpen; ++i) fail(i);
    settle();
  }

  void hear() {
    for (const StateRow& row : engine->take_changes()) {
      if (row.kind == "case") reconciler->case_changed(row.key);
      if (const Case* c = engine->find_case(row.key); c && row.kind == "evidence")
        reconciler->case_goes_on(*c);
    }
    engine->take_news();
  }
  std::vector<Command> step() {
    std::vector<Command> commands = reconciler->step(now, [](std::string_view) { return true; });
    hear();
    return commands;
  }
  // As in the daemon when a temperature changes.
  void temperature(int disk, int celsius) {
    InventoryUpdate update;
    update.source = "smart";
    update.merge = true;
    update.resources.push_back(resource(disk_fmri(disk), "", {}, {}));
    update.resources.back().properties["temperature_celsius"] = int64_t{celsius};
    std::vector<InventoryChange> changes = engine->on_inventory(update, now);
    (void)pick_measured(changes);
    for (const InventoryChange& change : changes) reconciler->resource_changed(change.fmri);
    hear();
  }

  std::unique_ptr<Engine> engine;
  std::unique_ptr<Reconciler> reconciler;
  Moment now{1795229321LL * kSecond};

 private:
  static std::string disk_fmri(int i) { return fmt::format("dev://wwn={:016x}", i); }
  static std::string vdev_fmri(int i) { return fmt::format("zfs://pool=1/vdev={}", i); }
  static std::string bay_fmri(int i) {
    return fmt::format("hc://chassis={}/bay={}", i / 50, i % 50);
  }

  void describe(int i, const std::string& service, const std::string& key) {
    InventoryUpdate update;
    update.source = "t";
    std::vector<std::pair<std::string, std::string>> vdev{
        {"name", fmt::format("disk{}", i)},
        {"service", service},
        {"group", "zfs://pool=1"},
        {"spare", key.empty() ? "none" : "active"},
        {"spares_available", "9"}};
    if (!key.empty()) vdev.emplace_back("retired_by", key);
    update.resources.push_back(resource(vdev_fmri(i), "zfs-vdev", std::move(vdev),
                                        {{Relation::redundancy, disk_fmri(i)}}));
    update.resources.push_back(
        resource(disk_fmri(i), "disk", {{"serial", fmt::format("S{}", i)}}, {}));
    update.resources.push_back(resource(
        bay_fmri(i), "bay",
        {{"label", fmt::format("SLOT {}", i % 50)}, {"led.fault", key.empty() ? "off" : "on"}},
        {{Relation::contains, disk_fmri(i)}}));
    for (const InventoryChange& change : engine->on_inventory(update, now))
      reconciler->resource_changed(change.fmri);
    hear();
  }
  void fail(int i) {
    Event event;
    event.seq = ++seq_;
    event.event_class = "ereport.t.bad";
    event.resource = vdev_fmri(i);
    event.time_ns = event.received_ns = now.wall_ns;
    event.payload_json = "{}";
    engine->on_event(event, now);
    hear();
  }
  // Runs until every intent is met.
  void settle() {
    for (int round = 0; round < 20; ++round) {
      now = {now.wall_ns + 10 * kSecond, now.steady_ns + 10 * kSecond};
      const std::vector<Command> commands = step();
      if (commands.empty() && !reconciler->has_work()) return;
      for (const Command& command : commands) {
        reconciler->done(command, {CommandStatus::done, false, false, ""}, now);
        if (command.name == CommandName::retire) {
          const int i = std::stoi(command.resource.substr(command.resource.rfind('=') + 1));
          describe(
              i, command.args.find("degraded") == std::string::npos ? "out-of-service" : "degraded",
              command.key);
        }
      }
      hear();
    }
  }

  int cases_ = 0;
  uint64_t seq_ = 0;
};

double each_us(int times, const std::function<void(int)>& work) {
  return 1e6 / rate(static_cast<uint64_t>(times), [&] {
           for (int i = 0; i < times; ++i) work(i);
         });
}

}  // namespace

std::vector<Figure> measure_reconcile(const Settings& settings) {
  World world;
  std::vector<double> idle, one, all;
  for (int round = 0; round < settings.rounds; ++round) {
    idle.push_back(each_us(kLooks, [&](int) { world.step(); }));
    one.push_back(each_us(kLooks, [&](int i) {
      world.temperature(i % kOpen, 20 + round * 2 + i % 2);
      world.step();
    }));
    all.push_back(each_us(1, [&](int) {
      world.reconciler->set_config(world.reconciler->config());
      world.step();
    }));
  }
  const std::string where = fmt::format("{} open and {} resolved cases", kOpen, kResolved);
  return {{"reconcile.idle", median(idle), "us/step",
           "Reconciler::step when nothing changed, " + where},
          {"reconcile.one", median(one), "us/change",
           "a temperature into the inventory, and the step it leads to, " + where},
          {"reconcile.all", median(all), "us/step", "a step that looks at all, " + where}};
}

}  // namespace fmd::bench
