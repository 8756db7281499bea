// GetStatus: the machine as it is now, beside the cases.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fmd/advice/part_names.h"
#include "fmd/advice/pools_now.h"
#include "fmd/advice/rule_text.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/control/queries.h"

namespace fmd {
namespace {

using nlohmann::json;

// Steady to wall; 0: there is none.
int64_t wall_of(int64_t steady_ns, Moment now) {
  return steady_ns == 0 ? 0 : now.wall_ns + (steady_ns - now.steady_ns);
}

// "8 pending sectors", else what the fault is called.
std::string held_words(const Rule& rule, const Resource* resource) {
  if (resource && !rule.counter.empty())
    if (const std::string value = resource->get(rule.property); !value.empty())
      return fmt::format("{} {}", display(value, 40), display(rule.counter, 60));
  const std::string& title = rule.fault->title;
  return as_clause(display(title.find('{') == title.npos ? title : rule.fault->name));
}

// What a case is open about already is not only suspected.
std::set<std::pair<std::string_view, std::string_view>> accused(const Engine& engine) {
  std::set<std::pair<std::string_view, std::string_view>> out;  // resource, fault class
  for (const auto& [uuid, c] : engine.cases())
    for (const Suspect& s : c.suspects)
      if (c.open() && c.state != CaseState::unsolved && s.status == SuspectStatus::faulty)
        out.emplace(s.resource, s.fault_class);
  return out;
}

json held_document(const Engine& engine, const RuleSet& rules, Moment now) {
  json out = json::array();
  const Inventory& inventory = engine.inventory();
  const auto known = accused(engine);
  std::map<std::pair<std::string, std::string>, json> by_words;
  for (const HoldView& hold : engine.holds()) {
    const Rule* rule = rules.find(hold.rule);
    if (!rule || known.contains({hold.resource, rule->fault->name})) continue;
    const std::string text = held_words(*rule, inventory.find(hold.resource));
    // Two rules may look at the same counter: the first to decide is what people wait for.
    json& one = by_words.try_emplace({hold.resource, text}, json()).first->second;
    const int64_t decided_by = wall_of(hold.deadline_ns, now);
    if (!one.is_null() && one["decided_by_ns"].get<int64_t>() <= decided_by) continue;
    one = {{"resource", hold.resource},
           {"name", resource_words(inventory, hold.resource)},
           {"text", text},
           {"decided_by_ns", decided_by}};
  }
  for (auto& [words, one] : by_words) out.push_back(std::move(one));
  return out;
}

json maintenance_document(const Engine& engine, const Maintenance& maintenance, Moment now) {
  json windows = json::array();
  for (json& window : maintenance.list(now.wall_ns))
    if (window.value("running", false)) windows.push_back(std::move(window));
  if (windows.empty()) return {};
  const auto held_back =
      std::count_if(engine.cases().begin(), engine.cases().end(), [&](const auto& entry) {
        return entry.second.faulty() && entry.second.state != CaseState::unsolved &&
               maintenance.covering(entry.second, engine.inventory(), now.wall_ns);
      });
  const json& first = windows.front();
  const std::string name = first.value("name", "");
  std::string text = fmt::format("maintenance of {} until {}: messages wait",
                                 name.empty() ? "this host" : display(name, 60),
                                 format_time_fma(first.value("until", int64_t{0})));
  if (held_back > 0)
    text += fmt::format(" ({} problem{} held back)", held_back, held_back == 1 ? "" : "s");
  return {{"end", "fmadm maintenance end " + first.value("id", "")},
          {"held_back", held_back},
          {"text", std::move(text)},
          {"windows", std::move(windows)}};
}

}  // namespace

std::string query_status(const Engine& engine, const RuleSet& rules, const Maintenance& maintenance,
                         Moment now) {
  const std::vector<HoldView> holds = engine.holds();
  const DecidedBy decided_by = [&](std::string_view fmri) -> std::string {
    for (const HoldView& hold : holds)
      if (hold.resource == fmri && hold.deadline_ns > 0)
        return format_time_fma(wall_of(hold.deadline_ns, now));
    return {};
  };
  json doc = {{"pools", json::array()},
              {"held", held_document(engine, rules, now)},
              {"unanswering", json::array()}};
  for (const PoolNow& pool : pools_now(engine.inventory(), decided_by)) {
    doc["pools"].push_back(to_json(pool));
    if (!pool.responds)
      doc["unanswering"].push_back(
          {{"resource", pool.fmri},
           {"name", pool.name},
           {"text",
            fmt::format("pool {} does not respond; what fmd shows of it is what it saw last",
                        pool.name)}});
  }
  if (json window = maintenance_document(engine, maintenance, now); !window.is_null())
    doc["maintenance"] = std::move(window);
  return doc.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fmd
