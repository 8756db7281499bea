// The reconciler against the real engine: an immediate rule convicts vdev 1 of a small pool, and
// what the reconciler sends is checked for each world it may observe.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

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
    auto [rules, errors] = RuleSet::load({{"test.toml", kRules}}, schema);
    ASSERT_TRUE(errors.empty()) << errors.front().text();
    engine = std::make_unique<Engine>(rules, [this] { return "case-" + std::to_string(++cases); });
    reconciler = std::make_unique<Reconciler>(*engine, ActionConfig{});
    for (int i = 1; i <= 4; ++i) put_vdev(i, {});
    put("hc://chassis=c", "enclosure", {}, {});
    for (int i = 1; i <= 4; ++i) put_bay(i, {disk(i)});
    for (int i = 1; i <= 4; ++i) put_disk(disk(i), "S" + std::to_string(i), "used");
    put("zfs://pool=1", "zfs-pool", {{"name", "tank"}}, {});
  }

  using Properties = std::map<std::string, std::string>;
  static std::string vdev(int i) { return "zfs://pool=1/vdev=" + std::to_string(i); }
  static std::string bay(int i) { return "hc://chassis=c/bay=" + std::to_string(i); }
  static std::string disk(int i) { return "dev://wwn=" + std::to_string(i); }

  void put(const std::string& fmri, const std::string& type, const Properties& properties,
           const std::vector<Edge>& edges) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    for (const auto& [k, v] : properties) r.properties[k] = v;
    r.edges = edges;
    engine->on_inventory({"test", {r}, {}, false}, now);
  }
  void put_vdev(int i, Properties changes) {
    Properties p{{"name", "vdev" + std::to_string(i)},
                 {"service", "in-service"},
                 {"spare", "none"},
                 {"busy", ""},
                 {"group", "zfs://pool=1"},
                 {"spares_available", "1"}};
    for (const auto& [k, v] : changes) p[k] = v;
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
  void gone(const std::string& fmri, const std::string& reason) {
    engine->on_inventory({"test", {}, {{fmri, reason, ""}}, false}, now);
  }
  void convict(int i, const std::string& event_class = "ereport.t.bad") {
    Event e;
    e.seq = ++seq;
    e.event_class = event_class;
    e.resource = vdev(i);
    e.time_ns = e.received_ns = now;
    e.payload_json = "{}";
    engine->on_event(e, now);
  }
  std::vector<Command> step() {
    return reconciler->step(now, [](std::string_view) { return true; });
  }
  void finish(const Command& c, const std::string& status = "done",
              const std::string& reason = "") {
    reconciler->done(c, {status, reason, "{}"}, now);
  }
  // "name resource args" of each, sorted; everything is answered done.
  std::vector<std::string> step_all_done() {
    std::vector<std::string> out;
    for (const Command& c : step()) {
      out.push_back(c.name + " " + c.resource + " " + c.args);
      finish(c);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  const Case& only_case() const { return engine->cases().begin()->second; }
  std::string action_state(const std::string& name) const {
    auto it = only_case().actions.find(name);
    return it == only_case().actions.end() ? "absent" : it->second.state;
  }

  int cases = 0;
  uint64_t seq = 0;
  int64_t now = kStart;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Reconciler> reconciler;
};

using Lines = std::vector<std::string>;
inline const std::string kLedOn = R"({"indication":"fault","on":true})";
inline const std::string kLedOff = R"({"indication":"fault","on":false})";

}  // namespace fmd::test
