#include "targets.h"

#include <fmt/format.h>

#include <memory>

#include "corpus.h"
#include "fmd/chassis/parse.h"
#include "fmd/diagnosis/replay.h"
#include "fmd/hub/rpc.h"
#include "fmd/model/event_schema.h"
#include "fmd/protocol/events_request.h"
#include "fmd/protocol/parse.h"
#include "fmd/rules/rules.h"
#include "fmd/store/columns.h"
#include "fmd/store/store.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::fuzz {
namespace {

void read_params(std::string_view params) {
  if (const auto events = protocol::parse_events(params)) {
    must(events->events.size() + events->rejected.size() <= protocol::kMaxEvents,
         "more events than a batch may have");
    for (const auto& [index, taken] : events->events) {
      const Event& event = *taken;
      // Accepted events must be readable from the journal line they are written as.
      Event kept = event;
      kept.seq = 1;
      const auto again = event_from_line(event_to_line(kept));
      must(again.has_value(), "an event that was taken cannot be read back");
      must(again->payload_json == event.payload_json && again->resource == event.resource,
           "an event comes back otherwise");
      must(protocol::parse_events("{\"events\":[" + protocol::raw_event(event) + "]}").has_value(),
           "an event as it came is refused");
    }
  }
  (void)protocol::parse_inventory(params);
  (void)protocol::parse_readings(params);
  (void)parse_hello(params);
  (void)parse_plugin_status(params);
}

// Learns the shapes of payloads from the inputs so far.
const EventSchema& learning_schema() {
  static const EventSchema schema = EventSchema::load({{"fuzz.toml", R"(
[class."ereport.fs.zfs.checksum"]
description = "a checksum that is wrong"
members = { pool = "string", vdev_guid = "u64", x = "array?", f = "f64?" }
[class."ereport.*"]
description = "any"
members = { a = "any?" }
)"}}).first;
  return schema;
}

// Reads a request in one pass, as usual, and by its parts: the result must be the same, whatever
// shapes are expected.
void read_request(std::string_view line) {
  const EventSchema& schema = learning_schema();
  const auto request = protocol::parse_events_request(line, {&schema, nullptr});
  if (!request) return;
  const auto message = parse_rpc(line);
  must(message && message->method == "events" && message->id == request->id,
       "a request is taken that is none");
  const auto plain = protocol::parse_events(message->params);
  must(plain && plain->cursor == request->message.cursor &&
           plain->events.size() == request->message.events.size() &&
           plain->rejected.size() == request->message.rejected.size(),
       "a request is read otherwise than its params");
  auto unfit = request->message.unfit.begin();
  for (size_t i = 0; i < plain->events.size(); ++i) {
    const auto& [index, taken] = request->message.events[i];
    const Event &one = *taken, &other = *plain->events[i].second;
    must(index == plain->events[i].first && one.event_class == other.event_class &&
             one.resource == other.resource && one.time_ns == other.time_ns &&
             one.ena == other.ena && one.payload_json == other.payload_json &&
             one.payload == other.payload,
         "an event is read otherwise where a shape is expected");
    const bool is_unfit = unfit != request->message.unfit.end() && unfit->first == index;
    must(is_unfit != schema.check(other).has_value(), "an event fits by what was expected only");
    if (is_unfit) ++unfit;
  }
}

void read_line(std::string_view line) {
  read_request(line);
  const auto message = parse_rpc(line);
  if (!message) return;
  const std::string params(message->params);
  if (message->method.empty()) (void)parse_answer(*message);
  read_params(params);
}

const std::vector<std::string> kLines = {
    R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"zfs","version":"1","protocol":1,"observes":["ereport.*"],"commands":["retire"],"handles":["zfs://"],"heartbeat_ms":10000,"transient":false}})",
    R"({"jsonrpc":"2.0","id":2,"method":"events","params":{"cursor":"7","events":[{"class":"ereport.fs.zfs.checksum","resource":"zfs://pool=1/vdev=2","time":1795229321000000000,"ena":7,"payload":{"pool":"tank","vdev_guid":9,"x":[1,{"y":null}],"f":1.5}}]}})",
    R"({"jsonrpc":"2.0","id":4,"method":"events","params":{"events":[{"class":"ereport.fs.zfs.checksum","resource":"zfs://pool=1","time":1,"payload":{"pool":"tank","vdev_guid":18446744073709551615,"x":[1,"a",{}]}},{"class":"ereport.fs.zfs.checksum","resource":"zfs://pool=1","time":2,"payload":{"pool":"t","vdev_guid":9,"x":[]}},{"class":"ereport.b","payload":{"a":0,"b":"","c":{"d":[7]}},"resource":"fmd://x","time":3},{"class":"ereport.b","resource":"fmd://x","time":3,"payload":{"a":12,"b":"x\u0041","c":{"d":[]}}}]}})",
    R"({"jsonrpc":"2.0","id":3,"method":"inventory","params":{"complete":true,"resources":[{"fmri":"hc://chassis=1/bay=4","type":"bay","properties":{"label":"SLOT 04","led.fault":"off","slot":4},"edges":[{"relation":"contains","to":"dev://wwn=5000c500a1"}],"present":true}],"gone":[{"fmri":"dev://wwn=1","reason":"replaced","replaced_by":"dev://wwn=2"}]}})",
    R"({"jsonrpc":"2.0","method":"readings","params":{"readings":[{"resource":"dev://wwn=1","name":"temperature_celsius","value":31.5,"unit":"celsius","time":1795229321000000000}]}})",
    R"({"jsonrpc":"2.0","method":"status","params":{"state":"degraded","reason":"no /dev/ipmi0"}})",
    R"({"jsonrpc":"2.0","id":9,"result":{"status":"done","reason":"","detail":{"spare":"dev://wwn=3"}}})",
    R"({"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"busy"}})",
    R"({"jsonrpc":"2.0","method":"heartbeat","params":{}})"};

Target protocol_target() {
  return {"protocol", "a plugin's lines", kLines, read_line};
}

struct Policy {
  EventSchema schema;
  std::shared_ptr<const RuleSet> rules;
};

// Lines of two shapes, with values that increase, repeat, or do neither.
std::string some_columns() {
  std::string lines, columns;
  for (int i = 0; i < 40; ++i)
    lines += i % 3 == 0 ? fmt::format("{{\"seq\":{},\"disk\":\"wwn-0x{:04x}\",\"at\":{}}}\n", i,
                                      i % 5, i * i * 7919)
                        : fmt::format("{{\"seq\":{},\"class\":\"x\"}}\n", i);
  must(store::to_columns(lines, columns), "lines that are alike are no columns");
  return columns;
}

void read_columns(std::string_view columns) {
  std::string lines, again, back;
  if (!store::from_columns(columns, lines) || !store::to_columns(lines, again)) return;
  must(store::from_columns(again, back) && back == lines, "lines came back otherwise");
}

}  // namespace

std::vector<Target> all_targets(const std::string& tree) {
  const auto policy = std::make_shared<Policy>(Policy{shipped_schema(), shipped_rules()});
  std::vector<Target> all{protocol_target(), hub_target()};
  all.push_back({"rules", "the rules that come with fmd", files(shipped_rule_folders(), ".toml"),
                 [policy](std::string_view text) {
                   (void)RuleSet::load({{"a.toml", std::string(text)}}, policy->schema);
                 }});
  all.push_back({"schema", "their event classes", files(shipped_event_folders(), ".toml"),
                 [](std::string_view text) {
                   (void)EventSchema::load({{"a.toml", std::string(text)}});
                 }});
  all.push_back(
      {"chassis", "chassis/*.toml", files({tree + "/chassis"}, ".toml"), [](std::string_view text) {
         (void)chassis::parse({"a.toml", std::string(text)});
       }});
  all.push_back({"replay", "recorded telemetry", files(shipped_rule_folders(), ".jsonl"),
                 [policy](std::string_view text) {
                   (void)Replay::run(policy->rules, policy->schema, "a.jsonl", text, 0);
                 }});
  all.push_back(
      {"journal",
       "lines of the journal",
       {R"({"seq":1,"class":"ereport.x","resource":"dev://wwn=1","time":5,"received":6,"ena":0,"source":"zfs","payload":{"a":1,"b":[{}]}})"},
       [](std::string_view text) {
         if (const auto event = event_from_line(text))
           must(event_from_line(event_to_line(*event)).has_value(),
                "what was read cannot be read again");
       }});
  all.push_back({"columns", "a block of the journal at rest", {some_columns()}, read_columns});
  for (auto& more : {pool_targets(tree), device_targets(tree), kernel_targets(tree),
                     network_targets(), daemon_targets(), settings_targets(tree)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace fmd::fuzz
