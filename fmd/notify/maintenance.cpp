#include "fmd/notify/maintenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/notify/preferences.h"

namespace fmd {
namespace {

bool within(std::string_view part, std::string_view scope) {
  return part.starts_with(scope) && (part.size() == scope.size() || part[scope.size()] == '/');
}

// Whether any of a part's FMRIs is in the scope.
bool part_within(const std::vector<std::string>& fmris, const std::string& scope,
                 const Inventory& inventory) {
  for (const std::string& part : fmris) {
    if (part.empty()) continue;
    if (within(part, scope)) return true;
    for (const std::string& group : groups_above(inventory, part))
      if (within(group, scope)) return true;
    for (const char* scheme : {"hc", "dev"})
      for (const Resource* holder = inventory.ascend(part, Relation::contains, scheme); holder;
           holder = inventory.ascend(holder->fmri, Relation::contains, scheme))
        if (within(holder->fmri, scope)) return true;
  }
  return false;
}

nlohmann::json document(const MaintenanceWindow& w) {
  return {{"id", w.id},          {"scope", w.scope},   {"name", w.name}, {"from", w.from_ns},
          {"until", w.until_ns}, {"reason", w.reason}, {"who", w.who}};
}

StateRow row_of(const MaintenanceWindow& w) {
  return {"maintenance", w.id, dump_json(document(w))};
}

std::optional<uint64_t> number_of(std::string_view id) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size()) return {};
  return number;
}

}  // namespace

std::string MaintenanceWindow::words() const {
  return fmt::format("maintenance of {} ({}) until {}", name.empty() ? "the host" : display(name),
                     display(reason), format_time_fma(until_ns));
}

Result<std::string> Maintenance::add(MaintenanceWindow window, int64_t wall_ns) {
  if (window.until_ns <= wall_ns || window.until_ns <= window.from_ns)
    return fail("the window would be over before it begins");
  if (window.until_ns - std::max(window.from_ns, wall_ns) > kLongestNs)
    return fail("a window may last 31 days at most: what is forgotten would hide faults");
  if (window.reason.empty()) return fail("say why: a window needs a reason");
  if (windows_.size() >= kMost) return fail("there are 1000 windows already");
  const uint64_t number = next_id_++;
  window.id = std::to_string(number);
  changes_.push_back(row_of(window));
  const std::string id = window.id;
  windows_.emplace(number, std::move(window));
  return id;
}

Result<MaintenanceWindow> Maintenance::end(std::string_view id) {
  const auto number = number_of(id);
  const auto at = number ? windows_.find(*number) : windows_.end();
  if (at == windows_.end()) return fail(fmt::format("there is no window {}", display(id)));
  MaintenanceWindow ended = std::move(at->second);
  windows_.erase(at);
  changes_.push_back({"maintenance", ended.id, ""});
  return ended;
}

std::vector<MaintenanceWindow> Maintenance::on_time(int64_t wall_ns) {
  std::vector<MaintenanceWindow> over;
  for (auto at = windows_.begin(); at != windows_.end();) {
    if (at->second.until_ns > wall_ns) {
      ++at;
      continue;
    }
    changes_.push_back({"maintenance", at->second.id, ""});
    over.push_back(std::move(at->second));
    at = windows_.erase(at);
  }
  return over;
}

const MaintenanceWindow* Maintenance::covering(const Case& c, const Inventory& inventory,
                                               int64_t wall_ns) const {
  const bool faulty = c.faulty();
  for (const auto& [number, window] : windows_) {
    if (!window.runs(wall_ns)) continue;
    if (window.scope.empty()) return &window;
    const bool all = std::all_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
      return (faulty && s.status != SuspectStatus::faulty) ||
             part_within({s.resource, s.asru, s.fru, s.bay, s.fru_path}, window.scope, inventory);
    });
    if (all && !c.suspects.empty()) return &window;
  }
  return nullptr;
}

const MaintenanceWindow* Maintenance::covering(const std::vector<std::string>& part,
                                               const Inventory& inventory, int64_t wall_ns) const {
  for (const auto& [number, window] : windows_)
    if (window.runs(wall_ns) &&
        (window.scope.empty() || part_within(part, window.scope, inventory)))
      return &window;
  return nullptr;
}

std::optional<int64_t> Maintenance::next_change_ns(Moment now) const {
  std::optional<int64_t> next;
  for (const auto& [number, window] : windows_) {
    const int64_t at =
        add_times(now.steady_ns, std::max<int64_t>(0, window.until_ns - now.wall_ns));
    if (!next || at < *next) next = at;
  }
  return next;
}

nlohmann::json Maintenance::list(int64_t wall_ns) const {
  nlohmann::json out = nlohmann::json::array();
  for (const auto& [number, window] : windows_) {
    nlohmann::json doc = document(window);
    doc["running"] = window.runs(wall_ns);
    out.push_back(std::move(doc));
  }
  return out;
}

std::vector<StateRow> Maintenance::take_changes() {
  return std::exchange(changes_, {});
}

void Maintenance::mark_all_changed() {
  for (const auto& [number, window] : windows_) changes_.push_back(row_of(window));
}

Result<void> Maintenance::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind != "maintenance") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    const auto number = number_of(row.key);
    if (!doc.is_object() || !number) {
      outcome = fail(fmt::format("maintenance window {} cannot be read", display(row.key)));
      continue;
    }
    MaintenanceWindow w{row.key,
                        json_text(doc, "scope"),
                        json_text(doc, "name"),
                        json_int(doc, "from"),
                        json_int(doc, "until"),
                        json_text(doc, "reason"),
                        json_text(doc, "who")};
    next_id_ = std::max(next_id_, *number + 1);
    windows_.emplace(*number, std::move(w));
  }
  return outcome;
}

}  // namespace fmd
