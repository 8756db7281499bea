#include "fmd/reconcile/overrides.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {

void Overrides::keep(const std::string& part, std::string_view who) {
  kept_[part] = who;
  dirty_kept_.insert(part);
}

void Overrides::refuse(const std::string& part, Refusal refusal) {
  refusals_[part] = std::move(refusal);
  dirty_refusals_.insert(part);
}

bool Overrides::undone(const std::string& part, Moment now) {
  std::deque<int64_t>& times = undone_[part];
  while (!times.empty() && add_times(times.front(), kUndoneWithinNs) < now.steady_ns)
    times.pop_front();
  times.push_back(now.steady_ns);
  return times.size() >= kMostUndone;
}

void Overrides::allow(const std::string& part) {
  if (kept_.erase(part)) dirty_kept_.insert(part);
  if (refusals_.erase(part)) dirty_refusals_.insert(part);
  undone_.erase(part);
}

const std::string* Overrides::kept_by(std::string_view part) const {
  const auto at = kept_.find(part);
  return at == kept_.end() ? nullptr : &at->second;
}

const Refusal* Overrides::refusal(std::string_view part) const {
  const auto at = refusals_.find(part);
  return at == refusals_.end() ? nullptr : &at->second;
}

std::set<std::string> Overrides::parts() const {
  std::set<std::string> all;
  for (const auto& [part, who] : kept_) all.insert(part);
  for (const auto& [part, refusal] : refusals_) all.insert(part);
  return all;
}

std::vector<StateRow> Overrides::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& part : std::exchange(dirty_kept_, {})) {
    const auto at = kept_.find(part);
    rows.push_back({"kept", part, at == kept_.end() ? "" : dump_json({{"who", at->second}})});
  }
  for (const std::string& part : std::exchange(dirty_refusals_, {})) {
    const auto at = refusals_.find(part);
    rows.push_back({"refusal", part,
                    at == refusals_.end()
                        ? ""
                        : dump_json({{"case", at->second.uuid},
                                     {"obstacle", obstacle_name(at->second.obstacle)},
                                     {"text", at->second.text}})});
  }
  return rows;
}

void Overrides::mark_all_changed() {
  for (const auto& [part, who] : kept_) dirty_kept_.insert(part);
  for (const auto& [part, refusal] : refusals_) dirty_refusals_.insert(part);
}

Result<void> Overrides::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if ((row.kind != "kept" && row.kind != "refusal") || row.doc.empty()) continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    if (!doc.is_object()) {
      outcome = fail(fmt::format("stored {} \"{}\" cannot be read", row.kind, display(row.key)));
    } else if (row.kind == "kept") {
      kept_[row.key] = json_text(doc, "who");
    } else {
      refusals_[row.key] = {json_text(doc, "case"),
                            parse_obstacle(json_text(doc, "obstacle")).value_or(Obstacle::error),
                            json_text(doc, "text")};
    }
  }
  return outcome;
}

}  // namespace fmd
