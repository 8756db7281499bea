// A case as JSON: the form in the store, and the one that D-Bus, fmadm and the notifiers show.
#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/case.h"

namespace fmd {
namespace {

using nlohmann::json;

// The member if it exists with that type; otherwise an empty one.
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

void write_repair_on(const RepairOn& on, std::string& out) {
  JsonMembers members(out);
  members.add_texts("events", on.classes);
  members.named("where") += '{';
  for (const auto& [member, values] : on.where) {
    if (values.empty()) continue;
    if (out.back() != '{') out += ',';
    append_json_text(member, out);
    out += ":[";
    for (const Value& value : values) {
      if (out.back() != '[') out += ',';
      append_json_value(value, out);
    }
    out += ']';
  }
  out += '}';
  members.end();
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

// The members that a summary and a whole case share.
void write_head(const Suspect& s, JsonMembers& members) {
  members.add("class", s.fault_class);
  members.add("certainty", s.certainty);
  members.add("status", status_name(s.status));
  members.add("resource", s.resource);
  members.add("asru", s.asru);
  members.add("fru", s.fru);
  members.add("bay", s.bay);
  members.add("location", s.location);
  members.add("serial", s.serial);
}

void write_suspect(const Suspect& s, std::string& out) {
  JsonMembers members(out);
  write_head(s, members);
  members.add("fru_path", s.fru_path);
  members.add("model", s.model);
  members.add("part_number", s.part_number);
  members.add("device_path", s.device_path);
  write_repair_on(s.repair_on, members.named("repair_on"));
  members.add_facts("facts", s.facts);
  members.add_unless_empty("undecided", s.undecided);
  members.end();
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

void write_policy(const RetirePolicy& p, std::string& out) {
  JsonMembers members(out);
  members.add("first", p.first);
  members.add("spare", p.spare);
  members.add("wait_while", p.wait_while);
  members.add("wait_unless", p.wait_unless);
  members.add("then", p.then);
  members.add("replace_same_bay", p.replace_same_bay);
  members.add("returns", p.returns);
  members.add("then_after_ns", p.then_after_ns);
  members.add("then_grace_ns", p.then_grace_ns);
  members.end();
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

void write_observation(const Observation& o, std::string& out) {
  JsonMembers members(out);
  members.add("time", o.time_ns);
  members.add("since", o.since_ns);
  members.add("rule", o.rule);
  members.add("resource", o.resource);
  members.add("property", o.property);
  members.add("value", o.value);
  members.add_unless_empty("limit", o.limit);
  members.add_unless_empty("baseline", o.baseline);
  members.end();
}

Observation observation_from_json(const json& doc) {
  return {json_int(doc, "time"),      json_int(doc, "since"),     json_text(doc, "rule"),
          json_text(doc, "resource"), json_text(doc, "property"), json_text(doc, "value"),
          json_text(doc, "limit"),    json_text(doc, "baseline")};
}

void write_action(const Action& a, std::string& out) {
  JsonMembers members(out);
  members.add("kind", action_name(a.kind));
  members.add("part", a.part);
  members.add("state", action_state_name(a.state));
  members.add("detail", a.detail);
  members.add("time", a.time_ns);
  members.add("attempts", a.attempts);
  members.add("evidence", a.evidence);
  if (a.obstacle != Obstacle::none) members.add("obstacle", obstacle_name(a.obstacle));
  if (a.unfit != Unfit::none) members.add("unfit", unfit_name(a.unfit));
  members.add_unless_empty("unfit_why", a.unfit_why);
  members.end();
}

void write_timeline_entry(const TimelineEntry& t, std::string& out) {
  JsonMembers members(out);
  members.add("time", t.time_ns);
  members.add("kind", t.kind);
  members.add("text", t.text);
  members.end();
}

void write_superseded(const Superseded& s, std::string& out) {
  JsonMembers members(out);
  members.add("uuid", s.uuid);
  members.add("part", s.part);
  members.end();
}

void write_evidence(const Evidence& e, std::string& out) {
  JsonMembers members(out);
  members.add("seq", e.seq);
  members.add("time", e.time_ns);
  members.add("class", e.event_class.str());
  members.end();
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
  a.unfit = parse_unfit(json_text(doc, "unfit")).value_or(Unfit::none);
  a.unfit_why = json_text(doc, "unfit_why");
  return a;
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

void write_head(const Case& c, JsonMembers& members) {
  members.add("uuid", c.uuid);
  members.add("code", c.code);
  members.add("severity", c.severity);
  members.add("state", state_name(c.state));
  members.add("opened", c.opened_ns);
  members.add("solved", c.solved_ns);
  members.add("updated", c.updated_ns);
  members.add("resolved", c.resolved_ns);
}

std::string summary_text(const Case& c) {
  std::string out;
  JsonMembers members(out);
  write_head(c, members);
  if (c.information) members.add("information", true);
  members.add("class", c.fault_class);
  members.add("title", c.title.empty() ? c.description : c.title);
  members.add("acknowledged", c.acknowledged);
  members.add_list("suspects", c.suspects, [](const Suspect& s, std::string& to) {
    JsonMembers suspect(to);
    write_head(s, suspect);
    suspect.end();
  });
  members.end();
  return out;
}

}  // namespace

json to_json(const Case& c, CaseDetail detail) {
  return json::parse(to_json_text(c, detail));
}

std::string to_json_text(const Case& c, CaseDetail detail) {
  if (detail == CaseDetail::summary) return summary_text(c);
  std::string out;
  JsonMembers members(out);
  write_head(c, members);
  members.add_texts("rules", c.rules);
  members.add("evidence_count", c.evidence_count);
  write_policy(c.retire, members.named("retire"));
  members.add("led", c.led);
  if (c.information) members.add("information", true);
  members.add("replaces", c.replaces);
  members.add("urgency", c.urgency);
  members.add("repair_after", c.repair_after_ns);
  if (c.acts_at_ns > 0) members.add("acts_at", c.acts_at_ns);
  members.add("last_evidence", c.last_evidence_ns);
  members.add("solved_steady", c.solved_steady_ns);
  members.add("owed", c.owed);
  members.add("merged_into", c.merged_into);
  members.add_texts("armed", c.armed);
  members.add("class", c.fault_class);
  members.add("title", c.title);
  members.add("description", c.description);
  members.add("response", c.response);
  members.add("impact", c.impact);
  members.add("action", c.action);
  members.add_facts("facts", c.facts);
  members.add("acknowledged", c.acknowledged);
  members.add("acknowledged_by", c.acknowledged_by);
  members.add("acknowledged_count", c.acknowledged_count);
  members.add_unless_empty("explained_by", c.explained_by);
  members.add_unless_empty("superseded_by", c.superseded_by);
  if (!c.supersedes.empty()) members.add_list("supersedes", c.supersedes, write_superseded);
  if (c.consequence) {
    JsonMembers of(members.named("consequence"));
    of.add("severity", c.consequence->severity);
    of.add("text", c.consequence->text);
    of.end();
  }
  members.add_list("suspects", c.suspects, write_suspect);
  members.add_list("observations", c.observations, write_observation);
  members.add_list("timeline", c.timeline, write_timeline_entry);
  members.add_list("actions", c.actions, write_action);
  const EvidenceList none;
  members.add_list("evidence", detail == CaseDetail::whole ? c.evidence : none, write_evidence);
  members.end();
  return out;
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
  c.information = json_bool(doc, "information");
  c.replaces = json_bool(doc, "replaces");
  c.urgency = json_text(doc, "urgency");
  c.repair_after_ns = json_int(doc, "repair_after");
  c.acts_at_ns = json_int(doc, "acts_at");
  c.last_evidence_ns = json_int(doc, "last_evidence");
  c.solved_steady_ns = json_int(doc, "solved_steady");
  c.owed = static_cast<uint32_t>(json_uint(doc, "owed"));
  c.merged_into = json_text(doc, "merged_into");
  c.explained_by = json_text(doc, "explained_by");
  c.superseded_by = json_text(doc, "superseded_by");
  for (const json& one : doc.value("supersedes", json::array()))
    c.supersedes.push_back({json_text(one, "uuid"), json_text(one, "part")});
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
