// A case as JSON: the form in the store, and the one that D-Bus, fmadm and the notifiers show.
#include <fmt/format.h>

#include <iterator>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/case.h"

namespace fmd {
namespace {

using nlohmann::json;

// The member when it is there and of that type, else an empty one.
const json& member(const json& doc, const char* key, json::value_t type) {
  static const json kArray = json::array(), kObject = json::object();
  const auto at = doc.find(key);
  if (at != doc.end() && at->type() == type) return *at;
  return type == json::value_t::array ? kArray : kObject;
}

std::vector<std::string> texts(const json& doc, const char* key) {
  std::vector<std::string> out;
  for (const json& text : member(doc, key, json::value_t::array))
    if (text.is_string()) out.push_back(text.get<std::string>());
  return out;
}

json repair_on_to_json(const RepairOn& on) {
  json where = json::object();
  for (const auto& [member, values] : on.where)
    for (const Value& value : values) where[member].push_back(value_to_json(value));
  return {{"events", on.classes}, {"where", where}};
}

// A plain list of classes is what earlier versions wrote.
RepairOn repair_on_from_json(const json& suspect) {
  RepairOn on;
  const json& doc = member(suspect, "repair_on", json::value_t::object);
  on.classes = texts(doc.empty() ? suspect : doc, doc.empty() ? "repair_on" : "events");
  for (const auto& [name, values] : member(doc, "where", json::value_t::object).items()) {
    auto& condition = on.where.emplace_back(name, std::vector<Value>{});
    for (const json& value : values) condition.second.push_back(value_from_json(value));
  }
  return on;
}

json suspect_to_json(const Suspect& s) {
  json doc{{"class", s.fault_class},
           {"certainty", s.certainty},
           {"status", status_name(s.status)},
           {"resource", s.resource},
           {"asru", s.asru},
           {"fru", s.fru},
           {"fru_path", s.fru_path},
           {"bay", s.bay},
           {"location", s.location},
           {"serial", s.serial},
           {"model", s.model},
           {"part_number", s.part_number},
           {"device_path", s.device_path},
           {"repair_on", repair_on_to_json(s.repair_on)},
           {"facts", s.facts}};
  if (!s.undecided.empty()) doc["undecided"] = s.undecided;
  return doc;
}

std::map<std::string, std::string, std::less<>> facts_from_json(const json& doc) {
  std::map<std::string, std::string, std::less<>> facts;
  for (const auto& [name, value] : member(doc, "facts", json::value_t::object).items())
    if (value.is_string()) facts[name] = value.get<std::string>();
  return facts;
}

Result<Suspect> suspect_from_json(const json& doc) {
  if (!doc.is_object()) return fail("a suspect is not an object");
  const auto status = parse_status(json_text(doc, "status"));
  if (!status) return tl::unexpected(status.error());
  Suspect s;
  s.fault_class = json_text(doc, "class");
  s.certainty = static_cast<int>(json_int(doc, "certainty", 100));
  s.status = *status;
  s.resource = json_text(doc, "resource");
  s.asru = json_text(doc, "asru");
  s.fru = json_text(doc, "fru");
  s.fru_path = json_text(doc, "fru_path");
  s.bay = json_text(doc, "bay");
  s.location = json_text(doc, "location");
  s.serial = json_text(doc, "serial");
  s.model = json_text(doc, "model");
  s.part_number = json_text(doc, "part_number");
  s.device_path = json_text(doc, "device_path");
  s.undecided = json_text(doc, "undecided");
  s.repair_on = repair_on_from_json(doc);
  s.facts = facts_from_json(doc);
  return s;
}

json policy_to_json(const RetirePolicy& p) {
  return {{"first", p.first},
          {"spare", p.spare},
          {"wait_while", p.wait_while},
          {"wait_unless", p.wait_unless},
          {"then", p.then},
          {"replace_same_bay", p.replace_same_bay},
          {"returns", p.returns},
          {"then_after_ns", p.then_after_ns},
          {"then_grace_ns", p.then_grace_ns}};
}

RetirePolicy policy_from_json(const json& doc) {
  RetirePolicy p;
  p.first = json_text(doc, "first");
  p.spare = json_bool(doc, "spare");
  p.wait_while = json_text(doc, "wait_while");
  p.wait_unless = json_text(doc, "wait_unless");
  p.then = json_text(doc, "then");
  p.replace_same_bay = json_bool(doc, "replace_same_bay");
  p.returns = json_bool(doc, "returns");
  p.then_after_ns = json_int(doc, "then_after_ns");
  p.then_grace_ns = json_int(doc, "then_grace_ns");
  return p;
}

json observation_to_json(const Observation& o) {
  json doc{{"time", o.time_ns},      {"since", o.since_ns},    {"rule", o.rule},
           {"resource", o.resource}, {"property", o.property}, {"value", o.value}};
  if (!o.limit.empty()) doc["limit"] = o.limit;
  if (!o.baseline.empty()) doc["baseline"] = o.baseline;
  return doc;
}

Observation observation_from_json(const json& doc) {
  return {json_int(doc, "time"),      json_int(doc, "since"),     json_text(doc, "rule"),
          json_text(doc, "resource"), json_text(doc, "property"), json_text(doc, "value"),
          json_text(doc, "limit"),    json_text(doc, "baseline")};
}

json action_to_json(const Action& a) {
  json doc{
      {"kind", action_name(a.kind)}, {"part", a.part},    {"state", action_state_name(a.state)},
      {"detail", a.detail},          {"time", a.time_ns}, {"attempts", a.attempts}};
  doc["evidence"] = a.evidence;
  if (a.obstacle != Obstacle::none) doc["obstacle"] = obstacle_name(a.obstacle);
  return doc;
}

std::optional<Action> action_from_json(const json& doc) {
  const auto kind = parse_action_kind(json_text(doc, "kind"));
  const auto state = parse_action_state(json_text(doc, "state"));
  if (!kind || !state) return {};
  Action a;
  a.kind = *kind;
  a.state = *state;
  a.part = json_text(doc, "part");
  a.evidence = json_uint(doc, "evidence");
  a.obstacle = parse_obstacle(json_text(doc, "obstacle")).value_or(Obstacle::none);
  a.detail = json_text(doc, "detail");
  a.time_ns = json_int(doc, "time");
  a.attempts = static_cast<int>(json_int(doc, "attempts"));
  return a;
}

void lists_to_json(const Case& c, json& doc) {
  json& suspects = doc["suspects"] = json::array();
  for (const Suspect& s : c.suspects) suspects.push_back(suspect_to_json(s));
  json& observations = doc["observations"] = json::array();
  for (const Observation& o : c.observations) observations.push_back(observation_to_json(o));
  json& timeline = doc["timeline"] = json::array();
  for (const TimelineEntry& t : c.timeline)
    timeline.push_back({{"time", t.time_ns}, {"kind", t.kind}, {"text", t.text}});
  json& actions = doc["actions"] = json::array();
  for (const Action& action : c.actions) actions.push_back(action_to_json(action));
}

Result<void> lists_from_json(const json& doc, Case& c) {
  for (const json& s : member(doc, "suspects", json::value_t::array)) {
    Result<Suspect> suspect = suspect_from_json(s);
    if (!suspect) return tl::unexpected(suspect.error());
    c.suspects.push_back(std::move(*suspect));
  }
  for (const json& e : member(doc, "evidence", json::value_t::array))
    if (e.is_object())
      c.evidence.push_back({json_uint(e, "seq"), json_int(e, "time"), json_text(e, "class")});
  for (const json& o : member(doc, "observations", json::value_t::array))
    if (o.is_object()) c.observations.push_back(observation_from_json(o));
  for (const json& t : member(doc, "timeline", json::value_t::array))
    if (t.is_object())
      c.timeline.push_back({json_int(t, "time"), json_text(t, "kind"), json_text(t, "text")});
  for (const json& a : member(doc, "actions", json::value_t::array))
    if (auto action = a.is_object() ? action_from_json(a) : std::nullopt)
      c.set_action(std::move(*action));
  c.facts = facts_from_json(doc);
  return {};
}

// All but the evidence.
json beside_evidence(const Case& c) {
  json doc{{"uuid", c.uuid},
           {"code", c.code},
           {"severity", c.severity},
           {"state", state_name(c.state)},
           {"opened", c.opened_ns},
           {"solved", c.solved_ns},
           {"updated", c.updated_ns},
           {"resolved", c.resolved_ns},
           {"rules", c.rules},
           {"evidence_count", c.evidence_count},
           {"retire", policy_to_json(c.retire)},
           {"led", c.led},
           {"repair_after", c.repair_after_ns},
           {"last_evidence", c.last_evidence_ns},
           {"solved_steady", c.solved_steady_ns},
           {"owed", c.owed},
           {"merged_into", c.merged_into},
           {"armed", c.armed},
           {"class", c.fault_class},
           {"title", c.title},
           {"description", c.description},
           {"response", c.response},
           {"impact", c.impact},
           {"action", c.action},
           {"facts", c.facts},
           {"acknowledged", c.acknowledged},
           {"acknowledged_by", c.acknowledged_by},
           {"acknowledged_count", c.acknowledged_count}};
  if (!c.explained_by.empty()) doc["explained_by"] = c.explained_by;
  if (c.consequence)
    doc["consequence"] = {{"severity", c.consequence->severity}, {"text", c.consequence->text}};
  lists_to_json(c, doc);
  return doc;
}

}  // namespace

json to_json(const Case& c) {
  json doc = beside_evidence(c);
  json& evidence = doc["evidence"] = json::array();
  for (const Evidence& e : c.evidence)
    evidence.push_back({{"seq", e.seq}, {"time", e.time_ns}, {"class", e.event_class}});
  return doc;
}

std::string to_json_text(const Case& c) {
  std::string out = dump_json(beside_evidence(c));
  out.back() = ',';
  out += R"("evidence":[)";
  for (const Evidence& e : c.evidence) {
    fmt::format_to(std::back_inserter(out), R"({{"seq":{},"time":{},"class":)", e.seq, e.time_ns);
    append_json_text(e.event_class, out);
    out += "},";
  }
  if (!c.evidence.empty()) out.pop_back();
  return out + "]}";
}

Result<Case> case_from_json(const json& doc) {
  if (!doc.is_object() || json_text(doc, "uuid").empty())
    return fail("a stored case is not an object with a uuid");
  const auto refuse = [&doc](const Error& why) {
    return fail(
        fmt::format("the stored case {}: {}", display(json_text(doc, "uuid")), why.message));
  };
  const auto state = parse_state(json_text(doc, "state"));
  if (!state) return refuse(state.error());
  Case c;
  c.uuid = json_text(doc, "uuid");
  c.code = json_text(doc, "code");
  c.severity = json_text(doc, "severity");
  c.state = *state;
  c.opened_ns = json_int(doc, "opened");
  c.solved_ns = json_int(doc, "solved");
  c.updated_ns = json_int(doc, "updated");
  c.resolved_ns = json_int(doc, "resolved");
  c.rules = texts(doc, "rules");
  c.evidence_count = json_uint(doc, "evidence_count");
  c.retire = policy_from_json(member(doc, "retire", json::value_t::object));
  c.led = json_bool(doc, "led");
  c.repair_after_ns = json_int(doc, "repair_after");
  c.last_evidence_ns = json_int(doc, "last_evidence");
  c.solved_steady_ns = json_int(doc, "solved_steady");
  c.owed = static_cast<uint32_t>(json_uint(doc, "owed"));
  c.merged_into = json_text(doc, "merged_into");
  c.explained_by = json_text(doc, "explained_by");
  if (doc.contains("consequence")) {
    const json& of = member(doc, "consequence", json::value_t::object);
    c.consequence = Consequence{json_text(of, "severity"), json_text(of, "text")};
  }
  for (std::string& rule : texts(doc, "armed")) c.armed.insert(std::move(rule));
  c.fault_class = json_text(doc, "class");
  c.title = json_text(doc, "title");
  c.description = json_text(doc, "description");
  c.response = json_text(doc, "response");
  c.impact = json_text(doc, "impact");
  c.action = json_text(doc, "action");
  c.acknowledged = json_bool(doc, "acknowledged");
  c.acknowledged_by = json_text(doc, "acknowledged_by");
  c.acknowledged_count = json_uint(doc, "acknowledged_count");
  if (const Result<void> lists = lists_from_json(doc, c); !lists) return refuse(lists.error());
  return c;
}

}  // namespace fmd
