#include "fmd/diagnosis/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/protocol/parse.h"

namespace fmd {
namespace {

using nlohmann::json;

const std::vector<std::string> kMethods{"inventory",   "events", "readings", "time",      "judge",
                                        "acknowledge", "action", "hello",    "heartbeat", "status"};

constexpr const char* kWho = "replay";

// A line of `fmdump -e --json` as what its plugin has said; anything else as it is.
json recorded_event(const json& doc) {
  if (!doc.contains("class") || !doc.contains("received")) return doc;
  json event;
  for (const char* member : {"class", "resource", "time", "ena", "payload"})
    if (const auto at = doc.find(member); at != doc.end()) event[member] = *at;
  return {{"at", doc["received"]},
          {"plugin", json_text(doc, "source")},
          {"method", "events"},
          {"params", {{"events", json::array({std::move(event)})}}}};
}

}  // namespace

struct Replay::Impl {
  std::shared_ptr<const RuleSet> rules;
  const EventSchema& schema;
  std::string file;
  int64_t run_out_ns;
  uint64_t next_uuid = 0, next_seq = 0;
  BayHistory bays;
  Engine engine;
  int line_number = 0;
  int64_t now_ns = 0;
  bool started = false;
  ReplayResult result;

  Impl(std::shared_ptr<const RuleSet> r, const EventSchema& s, std::string f, int64_t run_out)
      : rules(std::move(r)),
        schema(s),
        file(std::move(f)),
        run_out_ns(run_out),
        engine(rules,
               [this] { return fmt::format("00000000-0000-4000-8000-{:012}", ++next_uuid); }) {
    engine.set_bay_history(&bays);
  }

  tl::unexpected<Error> refuse(std::string what) const {
    return fail(std::move(what), file, line_number);
  }

  void collect() {
    for (CaseNews& news : engine.take_news()) result.news.push_back(std::move(news));
    engine.take_changes();
  }

  // Deadlines in their own time, as a timer would have called.
  void pass_time(int64_t until_ns) {
    for (auto next = engine.next_deadline_ns(); next && *next <= until_ns;
         next = engine.next_deadline_ns()) {
      engine.on_time(std::max(*next, now_ns));
      collect();
    }
  }

  Result<void> take(const json& doc) {
    const std::string method = json_text(doc, "method");
    if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end()) {
      const auto near = nearest(method, kMethods);
      return refuse(fmt::format("unknown method \"{}\"{}", display(method),
                                near ? fmt::format("; is \"{}\" meant?", *near) : ""));
    }
    const auto at = doc.find("at");
    if (at == doc.end() || !at->is_number_integer())
      return refuse("\"at\", the arrival time in nanoseconds since the epoch, is missing");
    const int64_t at_ns = at->get<int64_t>();
    if (started) pass_time(at_ns);
    started = true;
    now_ns = at_ns;
    const std::string params = doc.contains("params") ? dump_json(doc["params"]) : "{}";
    const Result<void> taken = dispatch(method, json_text(doc, "plugin"), params, doc);
    collect();
    return taken;
  }

  Result<void> dispatch(const std::string& method, const std::string& plugin,
                        const std::string& params, const json& doc) {
    if (method == "events") return take_events(plugin, params);
    if (method == "inventory" || method == "readings") {
      auto update = method == "inventory"
                        ? protocol::parse_inventory(params)
                        : protocol::parse_readings(params).map(
                              [](protocol::ReadingsMessage&& m) { return std::move(m.update); });
      if (!update) return refuse(update.error().message);
      update->source = plugin;
      bays.observe(engine.inventory(), *update, engine.on_inventory(*update, now_ns), now_ns);
    }
    if (method == "time") engine.on_time(now_ns);
    if (method == "judge" || method == "acknowledge" || method == "action")
      return take_order(method, doc.value("params", json::object()));
    return {};
  }

  Result<void> take_events(const std::string& plugin, const std::string& params) {
    auto message = protocol::parse_events(params);
    if (!message) return refuse(message.error().message);
    for (auto& one : message->rejected) reject(one.index, one.reason);
    for (auto& [index, taken] : message->events) {
      Event& event = *taken;
      event.source = plugin;
      event.received_ns = now_ns;
      if (const auto checked = schema.check(event); !checked) {
        reject(index, checked.error().message);
        continue;
      }
      event.seq = ++next_seq;
      ++result.events;
      engine.on_event(event, now_ns);
      collect();
    }
    return {};
  }

  void reject(size_t index, const std::string& reason) {
    result.rejected.push_back({fmt::format("event {}: {}", index, reason), file, line_number});
  }

  Result<void> take_order(const std::string& method, const json& params) {
    if (!params.is_object()) return refuse("\"params\" must be an object");
    const std::string uuid = json_text(params, "uuid");
    if (method == "action") {
      const auto kind = parse_action_kind(json_text(params, "kind"));
      const auto state = parse_action_state(json_text(params, "state"));
      if (!kind || !state) return refuse("\"kind\" or \"state\" is not one of an action's");
      Action action;
      action.kind = *kind;
      action.state = *state;
      action.part = json_text(params, "part");
      action.time_ns = now_ns;
      engine.record_action(uuid, std::move(action), json_text(params, "text"), now_ns);
      return {};
    }
    if (method == "acknowledge") {
      const auto done = engine.acknowledge(uuid, kWho, json_text(params, "comment"), now_ns);
      return done ? Result<void>() : refuse(done.error().message);
    }
    const std::string word = json_text(params, "verdict");
    const auto status = parse_status(word);
    if (!status || *status == SuspectStatus::faulty)
      return refuse("\"verdict\" must be repaired, replaced or acquitted");
    const Engine::Verdict verdict = *status == SuspectStatus::repaired ? Engine::Verdict::repaired
                                    : *status == SuspectStatus::replaced
                                        ? Engine::Verdict::replaced
                                        : Engine::Verdict::acquitted;
    const auto judged = engine.judge(verdict, uuid, json_text(params, "part"), kWho, now_ns);
    return judged ? Result<void>() : refuse(judged.error().message);
  }
};

Replay::Replay(std::shared_ptr<const RuleSet> rules, const EventSchema& schema, std::string file,
               int64_t run_out_ns)
    : impl_(std::make_unique<Impl>(std::move(rules), schema, std::move(file), run_out_ns)) {}

Replay::~Replay() = default;

Result<void> Replay::line(std::string_view text) {
  ++impl_->line_number;
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  const auto too_deep = [](int depth, json::parse_event_t, json&) { return depth <= 64; };
  const json doc = json::parse(text, too_deep, false);
  if (doc.is_discarded() || !doc.is_object()) return impl_->refuse("not a JSON object");
  if (doc.contains("scenario")) {
    if (impl_->started || !impl_->result.scenario.empty())
      return impl_->refuse("\"scenario\" stands in the first line only");
    impl_->result.scenario = dump_json(doc["scenario"]);
    return {};
  }
  return impl_->take(doc.contains("method") ? doc : recorded_event(doc));
}

ReplayResult Replay::finish() {
  Impl& i = *impl_;
  if (i.started) {
    const int64_t end = i.now_ns > INT64_MAX - i.run_out_ns ? INT64_MAX : i.now_ns + i.run_out_ns;
    i.pass_time(end);
  }
  for (const auto& [uuid, c] : i.engine.cases()) i.result.cases.push_back(c);
  return std::exchange(i.result, {});
}

const Engine& Replay::engine() const {
  return impl_->engine;
}

Result<ReplayResult> Replay::run(std::shared_ptr<const RuleSet> rules, const EventSchema& schema,
                                 std::string file, std::string_view text, int64_t run_out_ns) {
  Replay replay(std::move(rules), schema, std::move(file), run_out_ns);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (const auto taken = replay.line(text.substr(0, end)); !taken)
      return tl::unexpected(taken.error());
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return replay.finish();
}

}  // namespace fmd
