#include "fmd/notify/reminders.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {

void Reminders::set_escalations(std::vector<Escalation> escalations) {
  escalations_ = std::move(escalations);
  next_ns_ = 0;
}

void Reminders::look(const Case& c, const Inventory& inventory, Moment now, std::vector<Due>& out) {
  const auto known = told_.find(c.uuid);
  for (const Escalation& escalation : escalations_) {
    std::optional<int64_t> last;
    if (known != told_.end())
      if (const auto at = known->second.find(escalation.name); at != known->second.end())
        last = at->second;
    if (last && escalation.every_ns == 0) continue;
    const int64_t due = last ? add_times(*last, escalation.every_ns)
                             : add_times(c.solved_steady_ns, escalation.after_ns);
    if (due > now.steady_ns) {
      next_ns_ = std::min(next_ns_.value_or(due), due);
      continue;
    }
    if (!escalation.when.matches(facts_of(c, "reminder", inventory))) continue;
    if (!escalation.when.matches_time(now.wall_ns)) {
      const int64_t soon = add_times(now.steady_ns, 600LL * 1000000000);
      next_ns_ = std::min(next_ns_.value_or(soon), soon);
      continue;
    }
    for (const std::string& channel : escalation.channels)
      out.push_back(
          {c.uuid,
           {channel, escalation.recipients, fmt::format("escalation \"{}\"", escalation.name)}});
    told_[c.uuid][escalation.name] = now.steady_ns;
    if (escalation.every_ns > 0) {
      const int64_t again = add_times(now.steady_ns, escalation.every_ns);
      next_ns_ = std::min(next_ns_.value_or(again), again);
    }
    put_row(c.uuid);
  }
}

std::vector<Reminders::Due> Reminders::due(const Cases& cases, const Inventory& inventory,
                                           const std::function<bool(const Case&)>& held,
                                           Moment now) {
  std::vector<Due> out;
  const auto changed = std::exchange(changed_, {});
  const bool all = next_ns_ && *next_ns_ <= now.steady_ns;
  if (all) next_ns_.reset();
  if (escalations_.empty()) return out;
  const auto look_at = [&](const Case& c) {
    if (c.open() && c.faulty() && !c.acknowledged && c.state != CaseState::unsolved && !held(c))
      look(c, inventory, now, out);
  };
  if (!all) {
    for (const std::string& uuid : changed)
      if (const auto at = cases.find(uuid); at != cases.end()) look_at(at->second);
    return out;
  }
  for (const auto& [uuid, c] : cases) {
    if (out.size() >= kMostAtOnce) {
      next_ns_ = now.steady_ns;
      break;
    }
    look_at(c);
  }
  return out;
}

void Reminders::forget_case(std::string_view uuid) {
  const auto at = told_.find(uuid);
  if (at == told_.end()) return;
  changes_.push_back({"reminder", at->first, ""});
  told_.erase(at);
}

void Reminders::put_row(const std::string& uuid) {
  changes_.push_back({"reminder", uuid, dump_json(nlohmann::json(told_.at(uuid)))});
}

std::vector<StateRow> Reminders::take_changes() {
  return std::exchange(changes_, {});
}

void Reminders::mark_all_changed() {
  for (const auto& [uuid, told] : told_) put_row(uuid);
}

Result<void> Reminders::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind != "reminder") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    if (!doc.is_object()) {
      outcome = fail(fmt::format("when case {} was told again cannot be read", display(row.key)));
      continue;
    }
    for (const auto& [name, at] : doc.items())
      if (at.is_number_integer()) told_[row.key][name] = at.get<int64_t>();
  }
  next_ns_ = 0;
  return outcome;
}

}  // namespace fmd
