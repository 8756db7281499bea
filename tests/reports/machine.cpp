#include "tests/reports/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fmd/advice/part_index.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/protocol/parse.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::reports {
namespace {

using nlohmann::json;

constexpr int64_t kBegin = 1'795'228'661LL * kSecond;
constexpr int kMostRounds = 8;
constexpr const char* kChassis = "hc://chassis=5000c500fa0e5e50";

json part(const std::string& fmri, const char* type, json properties, json edges) {
  return {{"fmri", fmri},
          {"type", type},
          {"properties", std::move(properties)},
          {"edges", std::move(edges)},
          {"present", true}};
}

json edge(const char* relation, const std::string& to) {
  return {{"relation", relation}, {"to", to}};
}

std::string bay(int n) {
  return fmt::format("{}/bay={}", kChassis, n);
}

CommandResult result_of(const sdk::CommandReply& reply) {
  CommandResult result;
  result.status = reply.status == "done"      ? CommandStatus::done
                  : reply.status == "refused" ? CommandStatus::refused
                                              : CommandStatus::failed;
  result.reason = reply.reason;
  result.already = reply.detail.value("already", false);
  result.busy = reply.detail.contains("busy");
  return result;
}

}  // namespace

std::string Machine::wwn(int n) {
  return fmt::format("5000c500a00000{:02x}", n);
}

std::string Machine::disk(int n) {
  return "dev://wwn=" + wwn(n);
}

Machine::Machine(int disks, int controllers)
    : disks_(disks),
      controllers_(controllers),
      schema_(shipped_schema()),
      engine_(std::make_unique<Engine>(shipped_rules(),
                                       [this] { return fmt::format("case-{}", ++cases_); })),
      reconciler_(std::make_unique<Reconciler>(*engine_, ActionConfig{})),
      now_{kBegin} {
  engine_->set_bay_history(&bays_);
  reconciler_->set_bay_history(&bays_);
  publish_disks();
}

void Machine::publish_disks() {
  std::map<std::string, json> known, shelf;
  std::vector<json> ways(static_cast<size_t>(controllers_), json::array());
  json bays = json::array();
  for (int n = 1; n <= disks_; ++n) {
    json inside = json::array();
    if (!away_.contains(n)) {
      json properties{{"serial", fmt::format("ZA1{:05}", n)},
                      {"model", "EXAMPLE 8TB"},
                      {"path", fmt::format("/dev/sd{}", static_cast<char>('a' + n))}};
      if (contents_.contains(n)) properties["content"] = contents_[n];
      known[disk(n)] = part(disk(n), "disk", std::move(properties), json::array());
      inside.push_back(edge("contains", disk(n)));
    }
    shelf[bay(n)] = part(bay(n), "bay",
                         {{"label", fmt::format("SLOT {:02}", n)},
                          {"occupied", !pulled_.contains(n)},
                          {"tells_empty", true},
                          {"led.fault", lit.contains(bay(n)) ? "on" : "off"},
                          {"led.locate", "off"}},
                         std::move(inside));
    bays.push_back(edge("contains", bay(n)));
    ways[static_cast<size_t>(n % controllers_)].push_back(edge("path", disk(n)));
  }
  for (size_t n = 0; n < ways.size(); ++n) {
    const std::string hba = fmt::format("dev://pci=0000:0{}:00.0", n + 1);
    known[hba] = part(hba, "hba", {{"name", fmt::format("HBA {}", n)}}, ways[n]);
  }
  shelf[kChassis] = part(kChassis, "enclosure", {{"name", "shelf"}}, std::move(bays));
  take("disk", known);
  take("enclosure", shelf);
}

void Machine::fail_io(const std::vector<int>& disks) {
  for (int second = 0; second < 12; ++second) {
    std::vector<sdk::OutEvent> events;
    for (const int n : disks) {
      sdk::OutEvent event;
      event.event_class = "ereport.disk.io.unspecific";
      event.resource = disk(n);
      event.time_ns = now_ns();
      event.payload = {{"operation", "read"}, {"text", "I/O error"}};
      events.push_back(std::move(event));
    }
    take("disk", events);
    pass(1);
  }
}

void Machine::set_away(std::set<int> disks) {
  if (disks == away_) return;
  away_ = std::move(disks);
  publish_disks();
}

void Machine::set_content(int disk, const std::string& content) {
  contents_[disk] = content;
  publish_disks();
}

void Machine::pull(int disk) {
  pulled_.insert(disk);
  away_.insert(disk);
  publish_disks();
}

void Machine::take(const std::string& plugin, const std::map<std::string, json>& resources) {
  json message{{"complete", true}, {"resources", json::array()}};
  for (const auto& [fmri, resource] : resources) message["resources"].push_back(resource);
  auto update = protocol::parse_inventory(dump_json(message));
  ASSERT_TRUE(update) << (update ? "" : update.error().message);
  update->source = plugin;
  const auto changes = engine_->on_inventory(*update, now_);
  bays_.observe(engine_->inventory(), *update, changes, now_.wall_ns);
  for (const InventoryChange& change : changes) reconciler_->resource_changed(change.fmri);
  act();
}

void Machine::take(const std::string& plugin, const std::vector<sdk::OutEvent>& events) {
  json batch = json::array();
  for (const sdk::OutEvent& one : events)
    batch.push_back({{"class", one.event_class},
                     {"resource", one.resource},
                     {"time", one.time_ns},
                     {"ena", one.ena},
                     {"payload", one.payload}});
  auto message = protocol::parse_events(dump_json({{"events", std::move(batch)}}));
  ASSERT_TRUE(message) << (message ? "" : message.error().message);
  ASSERT_TRUE(message->rejected.empty()) << message->rejected.front().reason;
  for (auto& [index, event] : message->events) {
    event->source = plugin;
    event->received_ns = now_.wall_ns;
    event->seq = ++seq_;
    const auto checked = schema_.check(*event);
    ASSERT_TRUE(checked) << (checked ? "" : checked.error().message);
    engine_->on_event(*event, now_);
  }
  act();
}

void Machine::hear() {
  for (const StateRow& row : engine_->take_changes()) {
    if (row.kind == "case") reconciler_->case_changed(row.key);
    if (const Case* c = engine_->find_case(row.key); c && row.kind == "evidence")
      reconciler_->case_goes_on(*c);
  }
  engine_->take_news();
  reconciler_->take_changes();
}

// Steps the reconciler until nothing more follows.
void Machine::act() {
  hear();
  for (int round = 0; round < kMostRounds; ++round) {
    for (const Command& c : reconciler_->step(now_, [](std::string_view) { return true; })) {
      reconciler_->done(c, result_of(carry_out(c)), now_);
      hear();
    }
    hear();
    if (!reconciler_->has_work()) break;
  }
  if (std::exchange(lights_changed_, false)) publish_disks();
}

sdk::CommandReply Machine::carry_out(const Command& c) {
  const json args = json::parse(c.args);
  if (c.name == CommandName::set_led) {
    if (args["indication"] == "fault") {
      lit.erase(c.resource);
      if (args["on"] == true) lit.insert(c.resource);
      lights_changed_ = true;
    }
    return sdk::done("it is so");
  }
  asked.push_back(fmt::format("{} {}", command_name(c.name), c.resource));
  return answer ? answer({std::string(command_name(c.name)), c.resource, c.key, args})
                : sdk::failed("no plugin");
}

void Machine::pass(int64_t seconds) {
  const int64_t until = now_.steady_ns + seconds * kSecond;
  while (now_.steady_ns < until) {
    int64_t next = until;
    for (const auto deadline : {engine_->next_deadline_ns(), reconciler_->next_deadline_ns()})
      if (deadline) next = std::clamp(*deadline, now_.steady_ns + 1, next);
    const int64_t step = next - now_.steady_ns;
    now_ = {now_.wall_ns + step, next};
    engine_->on_time(now_);
    act();
  }
}

bool Machine::is_told(const Case& c) const {
  return c.state != CaseState::unsolved && c.faulty();
}

std::vector<std::string> Machine::told() const {
  std::vector<std::string> out;
  for (const auto& [uuid, c] : engine_->cases()) {
    if (!is_told(c)) continue;
    std::string who;
    for (const Suspect& s : c.suspects) {
      const Resource* r = engine_->inventory().find(s.resource);
      who += " " + (!s.location.empty()            ? s.location
                    : r && !r->get("name").empty() ? r->get("name")
                                                   : s.resource);
    }
    out.push_back(fmt::format("{} {}{}", c.severity, c.fault_class, who));
  }
  std::sort(out.begin(), out.end());
  return out;
}

const Case& Machine::of(std::string_view fault) const {
  for (const auto& [uuid, c] : engine_->cases())
    if (is_told(c) && c.fault_class == fault) return c;
  ADD_FAILURE() << "nothing is told of " << fault;
  static const Case kNone;
  return kNone;
}

bool Machine::explains_any(std::string_view fault) const {
  const std::string& cause = of(fault).uuid;
  const auto& cases = engine_->cases();
  return std::any_of(cases.begin(), cases.end(),
                     [&](const auto& one) { return one.second.explained_by == cause; });
}

Say Machine::say(std::string_view fault) const {
  const PartIndex index(engine_->inventory());
  return say_of(of(fault), {engine_->inventory(), index});
}

std::string Machine::words_of(const Case& c) const {
  const PartIndex index(engine_->inventory());
  const Say say = say_of(c, {engine_->inventory(), index});
  std::string all =
      say.headline + "\n" + c.description + "\n" + c.impact + "\n" + c.response + "\n" + say.do_now;
  for (const std::string& step : say.steps) all += "\n" + step;
  return all;
}

std::string Machine::words(std::string_view fault) const {
  return words_of(of(fault));
}

std::vector<std::string> Machine::all_words(std::string_view fault) const {
  std::vector<std::string> out;
  for (const auto& [uuid, c] : engine_->cases())
    if (is_told(c) && c.fault_class == fault) out.push_back(words_of(c));
  return out;
}

}  // namespace fmd::reports
