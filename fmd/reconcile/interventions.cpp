#include "fmd/reconcile/interventions.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

std::string row_key(const Intervention::Key& id) {
  return fmt::format("{} {}", intervention_name(id.first), id.second);
}

void drop(std::map<std::string, std::set<Intervention::Key>, std::less<>>& index,
          const std::string& name, const Intervention::Key& id) {
  const auto at = index.find(name);
  if (at == index.end()) return;
  at->second.erase(id);
  if (at->second.empty()) index.erase(at);
}

}  // namespace

const Intervention* Interventions::find(InterventionKind kind, std::string_view part) const {
  const auto at = table_.find(Intervention::Key{kind, std::string(part)});
  return at == table_.end() ? nullptr : &at->second;
}

std::vector<const Intervention*> Interventions::retired_in(std::string_view group) const {
  std::vector<const Intervention*> out;
  const auto at = by_group_.find(group);
  if (group.empty() || at == by_group_.end()) return out;
  for (const Intervention::Key& id : at->second)
    if (id.first == InterventionKind::retire) out.push_back(&table_.at(id));
  return out;
}

std::vector<const Intervention*> Interventions::owned_by(std::string_view uuid) const {
  std::vector<const Intervention*> out;
  const auto at = by_owner_.find(uuid);
  if (at == by_owner_.end()) return out;
  for (const Intervention::Key& id : at->second)
    if (const Intervention& i = table_.at(id); i.owner.is_case(uuid)) out.push_back(&i);
  return out;
}

void Interventions::put(Intervention i) {
  const Intervention::Key id = i.id();
  if (const auto old = table_.find(id); old != table_.end()) {
    drop(by_group_, old->second.group, id);
    drop(by_owner_, old->second.owner.name, id);
    owners_changed_.insert(old->second.owner.name);
  }
  by_group_[i.group].insert(id);
  by_owner_[i.owner.name].insert(id);
  owners_changed_.insert(i.owner.name);
  dirty_.insert(id);
  table_.insert_or_assign(id, std::move(i));
}

void Interventions::erase(const Intervention::Key& id) {
  const auto at = table_.find(id);
  if (at == table_.end()) return;
  drop(by_group_, at->second.group, id);
  drop(by_owner_, at->second.owner.name, id);
  owners_changed_.insert(at->second.owner.name);
  dirty_.insert(id);
  table_.erase(at);
}

void Interventions::taken_over(const Intervention& retirement) {
  const TakenOver entry{retirement.group, retirement.since.steady_ns};
  const std::string part = retirement.part;
  erase(retirement.id());
  if (entry.group.empty()) return;
  taken_over_[part] = entry;
  dirty_taken_over_.insert(part);
}

void Interventions::back_in_service(std::string_view part) {
  const auto at = taken_over_.find(part);
  if (at == taken_over_.end()) return;
  dirty_taken_over_.insert(at->first);
  taken_over_.erase(at);
}

std::set<std::string> Interventions::take_owners_changed() {
  return std::exchange(owners_changed_, {});
}

uint32_t Interventions::owed_by(std::string_view uuid) const {
  uint32_t count = 0;
  for (const Intervention* i : owned_by(uuid))
    if (i->kind != InterventionKind::replace) ++count;
  return count;
}

StateRow Interventions::row_of(const Intervention& i) {
  return {"intervention", row_key(i.id()), dump_json(to_json(i))};
}

std::vector<StateRow> Interventions::take_changes() {
  std::vector<StateRow> rows;
  for (const Intervention::Key& id : std::exchange(dirty_, {})) {
    const auto at = table_.find(id);
    rows.push_back(at == table_.end() ? StateRow{"intervention", row_key(id), ""}
                                      : row_of(at->second));
  }
  for (const std::string& part : std::exchange(dirty_taken_over_, {})) {
    const auto at = taken_over_.find(part);
    rows.push_back({"taken-over", part,
                    at == taken_over_.end() ? ""
                                            : dump_json({{"group", at->second.group},
                                                         {"since", at->second.since_ns}})});
  }
  return rows;
}

void Interventions::mark_all_changed() {
  for (const auto& [part, entry] : taken_over_) dirty_taken_over_.insert(part);
  for (const auto& [id, i] : table_) dirty_.insert(id);
}

Result<void> Interventions::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind == "taken-over" && !row.doc.empty())
      if (const auto doc = nlohmann::json::parse(row.doc, nullptr, false); doc.is_object())
        taken_over_[row.key] = {json_text(doc, "group"), json_int(doc, "since")};
    if (row.kind != "intervention" || row.doc.empty()) continue;
    auto i = intervention_from_json(nlohmann::json::parse(row.doc, nullptr, false));
    if (!i) {
      outcome = fail(fmt::format("stored intervention \"{}\" cannot be read", display(row.key)));
      continue;
    }
    put(std::move(*i));
  }
  dirty_.clear();
  return outcome;
}

}  // namespace fmd
