// The reconciler with the real engine: an immediate rule convicts vdev 1 of a small pool, and the
// test checks the commands for each observed state.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "fmd/base/json.h"
#include "fmd/model/event_schema.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/rules/rules.h"

namespace fmd::test {

inline constexpr int64_t kSecond = 1000000000;
inline constexpr int64_t kStart = 1795228661LL * kSecond;

inline constexpr const char* kSchema = R"(
[class."ereport.t.bad"]
description = "broken"
[class."ereport.t.worse"]
description = "broken in daily use"
[class."ereport.t.away"]
description = "gone"
[class."ereport.t.pulled"]
description = "pulled as asked"
)";

inline constexpr const char* kRules = R"(
[[rule]]
name = "bad"
kind = "immediate"
events = ["ereport.t.bad"]
fault = "fault.t.bad"

[[rule]]
name = "worse"
kind = "immediate"
events = ["ereport.t.worse"]
fault = "fault.t.bad"

[[rule]]
name = "smart"
kind = "state"
type = "disk"
property = "smart.status"
values = ["failed"]
fault = "fault.t.smart"

[[rule]]
name = "away"
kind = "immediate"
events = ["ereport.t.away"]
fault = "fault.t.away"

[[rule]]
name = "pulled"
kind = "immediate"
events = ["ereport.t.pulled"]
fault = "fault.t.pulled"

[[fault]]
class = "fault.t.away"
dictionary = "TEST"
number = 3
severity = "Minor"
title = "away"
description = "away"
response = "away"
impact = "away"
action = "away"
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "out-of-service"
spare = true
replace = "same-bay"
returns = true
[fault.repair]
when = { state = ["ONLINE"] }

[[fault]]
class = "fault.t.pulled"
dictionary = "TEST"
number = 4
severity = "Minor"
title = "pulled"
description = "pulled"
response = "pulled"
impact = "pulled"
action = "pulled"
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
replace = "same-bay"

[[fault]]
class = "fault.t.smart"
dictionary = "TEST"
number = 2
severity = "Minor"
title = "smart"
description = "smart"
response = "smart"
impact = "smart"
action = "smart"
led = true

[[fault]]
class = "fault.t.bad"
dictionary = "TEST"
number = 1
severity = "Major"
title = "bad"
description = "bad"
response = "bad"
impact = "bad"
action = "bad"
led = true
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "degraded"
spare = true
wait_while = "scrub"
wait_unless = "worse"
then = "out-of-service"
replace = "same-bay"
)";

class ReconcilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto [schema, schema_errors] = EventSchema::load({{"test-events.toml", kSchema}});
    ASSERT_TRUE(schema_errors.empty()) << schema_errors.front().text();
    auto [rules, errors] = RuleSet::load({{"test.toml", rule_text}}, schema);
    ASSERT_TRUE(errors.empty()) << errors.front().text();
    engine = std::make_unique<Engine>(rules, [this] { return "case-" + std::to_string(++cases); });
    reconciler = std::make_unique<Reconciler>(*engine, ActionConfig{});
    put("hc://chassis=c", "enclosure", {}, {});
    for (int i = 1; i <= 4; ++i) put_bay(i, {disk(i)});
    for (int i = 1; i <= 4; ++i) put_disk(disk(i), "S" + std::to_string(i), "used");
    for (int i = 1; i <= 4; ++i) put_vdev(i, {});
    put("zfs://pool=1", "zfs-pool", {{"name", "tank"}}, {});
  }

  using Properties = std::map<std::string, std::string>;
  static std::string vdev(int i) { return "zfs://pool=1/vdev=" + std::to_string(i); }
  static std::string bay(int i) { return "hc://chassis=c/bay=" + std::to_string(i); }
  static std::string disk(int i) { return "dev://wwn=" + std::to_string(i); }

  // As the pipeline does: the reconciler hears of each change.
  void take(const InventoryUpdate& update) {
    for (const InventoryChange& change : engine->on_inventory(update, now))
      reconciler->resource_changed(change.fmri);
    hear();
  }
  void hear() {
    for (StateRow& row : engine->take_changes()) {
      if (row.kind == "case") reconciler->case_changed(row.key);
      if (const Case* c = engine->find_case(row.key); c && row.kind == "evidence")
        reconciler->case_goes_on(*c);
      rows[{row.kind, row.key}] = row.doc;
    }
    for (const CaseNews& n : engine->take_news()) news.push_back(n.event + " " + n.uuid);
  }
  void put(const std::string& fmri, const std::string& type, const Properties& properties,
           const std::vector<Edge>& edges) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    for (const auto& [k, v] : properties) r.properties[k] = v;
    r.edges = edges;
    take({"test", {r}, {}, false});
  }
  // What changes is kept from one call to the next, an empty value takes it away.
  void put_vdev(int i, const Properties& changes) {
    Properties& p = vdevs[i];
    if (p.empty())
      p = {{"name", "vdev" + std::to_string(i)},
           {"service", "in-service"},
           {"state", "ONLINE"},
           {"spare", "none"},
           {"group", "zfs://pool=1"},
           {"spares_available", "1"}};
    for (const auto& [k, v] : changes)
      if (v.empty())
        p.erase(k);
      else
        p[k] = v;
    put(vdev(i), "zfs-vdev", p, {{Relation::redundancy, disk(i)}});
  }
  void put_bay(int i, const std::vector<std::string>& disks, const std::string& led = "off",
               const std::string& locate = "off") {
    std::vector<Edge> edges;
    for (const auto& d : disks) edges.push_back({Relation::contains, d});
    put(bay(i), "bay",
        {{"label", "SLOT 0" + std::to_string(i)}, {"led.fault", led}, {"led.locate", locate}},
        edges);
  }
  void put_disk(const std::string& fmri, const std::string& serial, const std::string& content) {
    put(fmri, "disk", {{"serial", serial}, {"path", "/dev/sd" + serial}, {"content", content}}, {});
  }
  void gone(const std::string& fmri, const std::string& reason, const std::string& by = "") {
    take({"test", {}, {{fmri, reason, by}}, false});
  }
  void convict(int i, const std::string& event_class = "ereport.t.bad") {
    Event e;
    e.seq = ++seq;
    e.event_class = event_class;
    e.resource = vdev(i);
    e.time_ns = e.received_ns = now.wall_ns;
    e.payload_json = "{}";
    engine->on_event(e, now);
    hear();
  }
  void judge(Engine::Verdict verdict, const std::string& uuid) {
    ASSERT_TRUE(engine->judge(verdict, uuid, "", "root", now).has_value());
    hear();
  }
  // Until nothing changes by itself any more, as the pipeline's rounds.
  std::vector<Command> step() {
    std::vector<Command> out;
    for (int round = 0; round < 4; ++round) {
      for (Command& c : reconciler->step(now, [this](std::string_view) { return plugins; }))
        out.push_back(std::move(c));
      hear();
      if (!reconciler->has_work()) break;
    }
    return out;
  }
  void finish(const Command& c, CommandStatus status = CommandStatus::done,
              const std::string& reason = "", bool unanswered = false, bool already = false) {
    reconciler->done(c, {status, unanswered, already, reason}, now);
    hear();
  }
  static std::string line(const Command& c) {
    const bool keyed = c.args.starts_with("{\"key\":");
    return fmt::format("{} {} {}", command_name(c.name), c.resource, keyed ? "KEY" : c.args);
  }
  // What the command does shows in the inventory, with its key, as fmd-zfs publishes it.
  void take_effect(const Command& c) {
    const int i = c.resource.back() - '0';
    const auto args = nlohmann::json::parse(c.args);
    if (c.name == CommandName::retire) {
      const bool degraded = args["to"] == "degraded";
      put_vdev(i, {{"service", args["to"]},
                   {"state", degraded ? "DEGRADED" : "FAULTED"},
                   {"retired_by", c.key}});
    } else if (c.name == CommandName::restore) {
      put_vdev(i, {{"service", "in-service"}, {"state", "ONLINE"}, {"retired_by", ""}});
    } else if (c.name == CommandName::spare_in) {
      put_vdev(i, {{"spare", "resilvering"}, {"spare_key", c.key}, {"busy", "resilver"}});
    } else if (c.name == CommandName::spare_out) {
      put_vdev(i, {{"spare", "none"}, {"spare_key", ""}});
    } else if (c.name == CommandName::set_led) {
      const bool fault = args["indication"] == "fault", on = args["on"];
      put_bay(i, {disk(i)}, fault && on ? "on" : "off", !fault && on ? "on" : "off");
    }
  }
  // Everything is answered done and takes effect. What was sent, sorted.
  std::vector<std::string> act() {
    std::vector<std::string> out;
    for (const Command& c : step()) {
      out.push_back(line(c));
      finish(c);
      take_effect(c);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  void resilvered(int i) { put_vdev(i, {{"spare", "active"}, {"busy", ""}}); }
  // Convicted, degraded, LED on, spare in and full, out of service.
  void retire_fully(int i) {
    convict(i);
    act();
    act();
    resilvered(i);
    wait(10);
    act();
    ASSERT_EQ(vdevs[i]["state"], "FAULTED");
    step();
  }
  void wait(int64_t seconds) {
    now = {now.wall_ns + seconds * kSecond, now.steady_ns + seconds * kSecond};
  }
  // As kill -9 and a start: only what was in the rows is known.
  void restart() {
    hear();
    for (StateRow& row : reconciler->take_changes()) rows[{row.kind, row.key}] = row.doc;
    std::vector<StateRow> all;
    for (const auto& [id, doc] : rows)
      if (!doc.empty()) all.push_back({id.first, id.second, doc});
    auto old = std::move(engine);
    auto [schema, schema_errors] = EventSchema::load({{"test-events.toml", kSchema}});
    auto [rules, errors] = RuleSet::load({{"test.toml", rule_text}}, schema);
    engine = std::make_unique<Engine>(rules, [this] { return "case-" + std::to_string(++cases); });
    ASSERT_TRUE(engine->restore(all).has_value());
    reconciler = std::make_unique<Reconciler>(*engine, ActionConfig{});
    ASSERT_TRUE(reconciler->restore(all).has_value());
  }
  const Case& the_case(int n = 1) const { return *engine->find_case("case-" + std::to_string(n)); }
  // "done", "refused no-spare", "absent"
  std::string action(ActionKind kind, const std::string& part, int n = 1) const {
    const Action* a = the_case(n).find_action(kind, part);
    if (!a) return "absent";
    std::string out(action_state_name(a->state));
    if (a->obstacle != Obstacle::none) out += " " + std::string(obstacle_name(a->obstacle));
    return out;
  }
  // "out-of-service done": what the case says is done, waits or is under way; "" nothing any more.
  std::string standing(int n = 1) const {
    std::string out;
    for (const Action& a : the_case(n).actions)
      if (a.state != ActionState::returned)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", action_name(a.kind),
                           action_state_name(a.state));
    return out;
  }
  std::string state(int n = 1) const { return std::string(state_name(the_case(n).state)); }
  std::string table() const {  // "retire 1 case-1 in-force, …"
    std::string out;
    for (const auto& [id, i] : reconciler->interventions().all())
      out += fmt::format("{}{} {} {} {}", out.empty() ? "" : ", ", intervention_name(i.kind),
                         i.part.back(), i.owner.name, intervention_state_name(i.state));
    return out;
  }

  std::string rule_text = kRules;
  int cases = 0;
  uint64_t seq = 0;
  Moment now{kStart};
  bool plugins = true;
  std::map<int, Properties> vdevs;
  std::map<std::pair<std::string, std::string>, std::string> rows;
  std::vector<std::string> news;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Reconciler> reconciler;
};

using Lines = std::vector<std::string>;
inline const std::string kLedOn = R"({"indication":"fault","on":true})";
inline const std::string kLedOff = R"({"indication":"fault","on":false})";

}  // namespace fmd::test
