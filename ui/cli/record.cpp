#include "ui/cli/record.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/json.h"
#include "ui/cli/arguments.h"
#include "ui/cli/commands.h"
#include "ui/cli/event_log.h"
#include "ui/cli/layout.h"
#include "ui/cli/mask.h"
#include "ui/cli/past.h"
#include "ui/cli/program.h"
#include "ui/cli/recorded_readings.h"
#include "ui/cli/time_arg.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

struct RecordOptions {
  DumpOptions log;
  bool mask = false;
};

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

json message(int64_t at_ns, const std::string& plugin, const char* method, json params) {
  return {{"at", at_ns}, {"plugin", plugin}, {"method", method}, {"params", std::move(params)}};
}

json inventory_message(int64_t at_ns, const std::vector<Resource>& parts, bool complete,
                       json gone) {
  json resources = json::array();
  for (const Resource& resource : parts) {
    json doc = Inventory::to_json(resource);
    doc.erase("sources");
    resources.push_back(std::move(doc));
  }
  return message(
      at_ns, "recorded", "inventory",
      {{"complete", complete}, {"resources", std::move(resources)}, {"gone", std::move(gone)}});
}

json change_message(const PastChange& change) {
  json gone = json::array();
  for (const std::string& fmri : change.gone)
    gone.push_back(
        {{"fmri", fmri}, {"reason", fmri.find("/vdev=") != fmri.npos ? "replaced" : "removed"}});
  return inventory_message(change.at_ns, change.parts, false, std::move(gone));
}

json event_message(const json& event) {
  json told;
  for (const char* member : {"class", "resource", "time", "ena", "payload"})
    if (const auto at = event.find(member); at != event.end()) told[member] = *at;
  return message(event.value("received", int64_t{0}), event.value("source", std::string()),
                 "events", {{"events", json::array({std::move(told)})}});
}

int64_t received(const json& event) {
  return event.value("received", int64_t{0});
}

struct Span {
  int64_t from_ns = 0, to_ns = 0;
};

// fmd's own cases of that time, for comparison with a replay.
json head(const json& config, const std::vector<Case>& cases, Span span, bool masked) {
  json list = json::array();
  for (const Case& c : cases) {
    if (c.opened_ns > span.to_ns || (c.resolved_ns != 0 && c.resolved_ns < span.from_ns)) continue;
    json suspects = json::array();
    for (const Suspect& s : c.suspects)
      suspects.push_back({{"class", s.fault_class},
                          {"certainty", s.certainty},
                          {"resource", s.resource},
                          {"fru", s.fru},
                          {"status", status_name(s.status)}});
    list.push_back({{"uuid", c.uuid},
                    {"code", c.code},
                    {"state", state_name(c.state)},
                    {"opened", c.opened_ns},
                    {"suspects", std::move(suspects)}});
  }
  return {{"scenario",
           {{"name", "recorded"},
            {"version", config.value("version", std::string())},
            {"from", span.from_ns},
            {"to", span.to_ns},
            {"masked", masked},
            {"cases", std::move(list)}}}};
}

// The requested span; else from the first event until now, or for a case until its last change.
Span span_of(const RecordOptions& options, const std::vector<json>& events,
             const std::vector<Case>& cases) {
  Span span{now_ns(), now_ns()};
  for (const Case& c : cases)
    if (c.uuid == options.log.uuid) span = {c.opened_ns, c.updated_ns};
  if (options.log.from_ns) span.from_ns = *options.log.from_ns;
  if (options.log.to_ns) span.to_ns = std::min(now_ns(), *options.log.to_ns);
  if (events.empty()) return span;
  span.from_ns = std::min(received(events.front()), options.log.from_ns ? span.from_ns : INT64_MAX);
  span.to_ns = std::max(span.to_ns, received(events.back()));
  return span;
}

Mask mask_of(const std::vector<json>& messages, const std::vector<Resource>& parts,
             const std::vector<Case>& cases) {
  Mask mask;
  for (const Resource& part : parts) mask.learn(part);
  for (const json& message : messages) {
    const json& params = message.at("params");
    for (const json& event : params.value("events", json::array())) mask.learn_event(event);
    for (const json& doc : params.value("resources", json::array()))
      if (const auto resource = Inventory::resource_from_json(doc)) mask.learn(*resource);
  }
  for (const Case& c : cases)
    for (const Suspect& s : c.suspects) {
      mask.learn_serial(s.serial);
      for (const std::string& fmri : {s.resource, s.asru, s.fru, s.bay}) mask.learn_fmri(fmri);
    }
  return mask;
}

Result<void> record(Client& client, RecordOptions options) {
  if (!options.log.uuid.empty()) {
    auto id = case_id(client, options.log.uuid);
    if (!id) return tl::unexpected(id.error());
    options.log.uuid = std::move(*id);
  }
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  auto stays = ui::fetch_stays(client, "");
  if (!stays) return tl::unexpected(stays.error());
  const auto cases = ui::fetch_cases(client, {{"all", true}});
  if (!cases) return tl::unexpected(cases.error());
  std::vector<json> events;
  auto kept = collect_events(client, options.log, events);
  if (!kept) return kept;
  std::stable_sort(events.begin(), events.end(),
                   [](const json& a, const json& b) { return received(a) < received(b); });
  const Span span = span_of(options, events, *cases);
  const Past past(std::move(*inventory), std::move(*stays), *cases);
  std::vector<Resource> then = past.at(span.from_ns);
  const auto measured = fetch_measured(client, then, span.from_ns, span.to_ns);
  if (!measured) return tl::unexpected(measured.error());
  take_back(then, *measured, span.from_ns);
  std::vector<json> messages{inventory_message(span.from_ns, then, true, json::array())};
  for (const PastChange& change : past.changes(span.from_ns, span.to_ns))
    messages.push_back(change_message(change));
  for (const json& event : events) messages.push_back(event_message(event));
  for (json& readings : readings_messages(*measured, span.from_ns))
    messages.push_back(std::move(readings));
  std::stable_sort(messages.begin(), messages.end(),
                   [](const json& a, const json& b) { return a["at"] < b["at"]; });
  messages.push_back(message(span.to_ns, "recorded", "time", json::object()));
  Mask mask;
  if (options.mask) {
    mask = mask_of(messages, then, *cases);
    mask.learn_config(*config);
    mask.settle();
  }
  if (auto said = print(json_line(mask.hide(head(*config, *cases, span, options.mask)))); !said)
    return said;
  for (json& message : messages)
    if (auto said = print(json_line(mask.hide(std::move(message)))); !said) return said;
  return {};
}

}  // namespace

void add_record(Program& program) {
  static RecordOptions options;
  auto* sub = program.app.add_subcommand("record", "Print events and inventory for fmadm replay");
  for (auto [names, text, time] :
       {std::tuple{"-t,--since", "Start: 2026-11-21, 14:30, 30d", &options.log.from_ns},
        {"-T,--until", "End, in the same form", &options.log.to_ns}})
    sub->add_option_function<std::string>(
           names,
           [time = time](const std::string& given) {
             const auto parsed = parse_time(given, now_ns());
             if (!parsed) throw CLI::ValidationError(parsed.error().text());
             *time = *parsed;
           },
           text)
        ->type_name("TIME");
  sub->add_option("-u,--uuid", options.log.uuid, "Only the evidence of this case")
      ->type_name("UUID");
  sub->add_flag("--mask", options.mask, "Replace serial numbers, WWNs, ids and host name");
  sub->callback([&program] {
    program.then(program.with_client([](Client& client) { return record(client, options); }));
  });
}

}  // namespace fmd::cli
