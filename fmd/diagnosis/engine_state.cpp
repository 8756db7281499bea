// What must not be forgotten, as rows; and back.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

std::string row_key(const std::pair<std::string, std::string>& key) {
  return key.first + " " + key.second;  // a rule's name has no blank
}

Result<std::pair<std::string, std::string>> split_key(const StateRow& row) {
  const size_t blank = row.key.find(' ');
  if (blank == std::string::npos)
    return fail(fmt::format("stored {} \"{}\" has no resource", row.kind, display(row.key)));
  return std::pair(row.key.substr(0, blank), row.key.substr(blank + 1));
}

Result<nlohmann::json> read(const StateRow& row) {
  nlohmann::json doc = nlohmann::json::parse(row.doc, nullptr, false);
  if (doc.is_discarded() || !doc.is_object())
    return fail(fmt::format("stored {} \"{}\" is not a JSON object", row.kind, display(row.key)));
  return doc;
}

}  // namespace

// Written by hand: in a storm this is what most of a commit consists of.
std::string Engine::Impl::serd_row(const Key& key) {
  Part* part = find_part(key.second);
  if (!part) return {};
  for (Slot& slot : part->slots) {
    if (rules->rules()[slot.rule].name != key.first) continue;
    slot.dirty = false;
    const Serd& serd = slot.serd;
    fmt::memory_buffer out;
    fmt::format_to(std::back_inserter(out), R"({{"n":{},"within":{},"fired":{},"entries":[)",
                   serd.n(), serd.within_ns(), serd.fired());
    std::vector<uint32_t> tags;
    const char* comma = "";
    for (const Serd::Entry& e : serd.entries()) {
      const auto at = std::find(tags.begin(), tags.end(), e.tag);
      const auto tag = at - tags.begin();
      if (at == tags.end()) tags.push_back(e.tag);
      fmt::format_to(std::back_inserter(out), "{}[{},{},{},{}]", comma, e.time_ns, e.seq, tag,
                     e.hash);
      comma = ",";
    }
    fmt::format_to(std::back_inserter(out), R"(],"classes":[)");
    comma = "";
    for (const uint32_t tag : tags) {
      const std::string name = tag < class_names.size() ? class_names[tag] : "";
      fmt::format_to(std::back_inserter(out), "{}{}", comma, dump_json(name));
      comma = ",";
    }
    fmt::format_to(std::back_inserter(out), "]}}");
    return fmt::to_string(out);
  }
  return {};
}

// The baseline is one of that property: a rule that comes to look at another one starts anew.
std::string Engine::Impl::growth_row(const Key& key) const {
  const auto at = growths.find(key);
  const Rule* rule = rules->find(key.first);
  if (at == growths.end() || !rule) return {};
  nlohmann::json doc = at->second.to_json();
  doc["property"] = rule->property;
  return dump_json(doc);
}

std::string Engine::Impl::evidence_row(const Case& c) const {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), R"({{"count":{},"last":{},"list":[)", c.evidence_count,
                 c.last_evidence_ns);
  std::vector<std::string_view> classes;
  const char* comma = "";
  for (const Evidence& e : c.evidence) {
    const auto at = std::find(classes.begin(), classes.end(), e.event_class);
    fmt::format_to(std::back_inserter(out), "{}[{},{},{}]", comma, e.seq, e.time_ns,
                   at - classes.begin());
    if (at == classes.end()) classes.push_back(e.event_class);
    comma = ",";
  }
  fmt::format_to(std::back_inserter(out), R"(],"classes":)");
  return fmt::to_string(out) + dump_json(nlohmann::json(classes)) + "}";
}

std::vector<StateRow> Engine::take_changes() {
  Impl& i = *impl_;
  std::vector<StateRow> rows;
  rows.reserve(i.dirty_cases.size() + i.dirty_serds.size() + i.dirty_holds.size());
  for (const std::string& uuid : i.dirty_cases) {
    const auto at = i.cases.find(uuid);
    rows.push_back({"case", uuid, at == i.cases.end() ? "" : dump_json(to_json(at->second))});
  }
  for (const std::string& uuid : i.dirty_evidence) {
    const auto at = i.cases.find(uuid);
    rows.push_back({"evidence", uuid, at == i.cases.end() ? "" : i.evidence_row(at->second)});
  }
  for (const Impl::Key& key : i.dirty_serds)
    rows.push_back({"serd", row_key(key), i.serd_row(key)});
  for (const Impl::Key& key : i.dirty_holds) {
    const auto at = i.holds.find(key);
    rows.push_back({"hold", row_key(key),
                    at == i.holds.end() ? ""
                                        : dump_json({{"uuid", at->second.uuid},
                                                     {"deadline", at->second.deadline_ns}})});
  }
  for (const Impl::Key& key : i.dirty_conditions) {
    const auto at = i.conditions.find(key);
    rows.push_back({"condition", row_key(key),
                    at == i.conditions.end() ? "" : dump_json({{"uuid", at->second}})});
  }
  for (const Impl::Key& key : i.dirty_growths)
    rows.push_back({"growth", row_key(key), i.growth_row(key)});
  for (Inventory::Row& row : i.inventory.take_changes())
    rows.push_back({"resource", std::move(row.key), std::move(row.doc)});
  i.dirty_cases.clear();
  i.dirty_evidence.clear();
  i.dirty_serds.clear();
  i.dirty_holds.clear();
  i.dirty_conditions.clear();
  i.dirty_growths.clear();
  return rows;
}

void Engine::mark_all_changed() {
  Impl& i = *impl_;
  for (const auto& [uuid, c] : i.cases) {
    i.dirty_cases.insert(uuid);
    i.dirty_evidence.insert(uuid);
  }
  for (auto& [resource, part] : i.parts)
    for (Impl::Slot& slot : part.slots) i.mark(slot, resource);
  for (const auto& [key, hold] : i.holds) i.dirty_holds.insert(key);
  for (const auto& [key, uuid] : i.conditions) i.dirty_conditions.insert(key);
  for (const auto& [key, growth] : i.growths) i.dirty_growths.insert(key);
  i.inventory.mark_all_changed();
}

Result<void> Engine::Impl::restore_case(const StateRow& row) {
  const auto doc = read(row);
  if (!doc) return tl::unexpected(doc.error());
  Result<Case> c = case_from_json(*doc);
  if (!c) return tl::unexpected(c.error());
  std::string uuid = c->uuid;
  cases[std::move(uuid)] = std::move(*c);
  return {};
}

// After all cases. What the case's own row says of its evidence was true when that row was written.
Result<void> Engine::Impl::restore_evidence(const StateRow& row) {
  const auto doc = read(row);
  if (!doc) return tl::unexpected(doc.error());
  const auto at = cases.find(row.key);
  if (at == cases.end()) {
    dirty_evidence.insert(row.key);
    return {};
  }
  Case& c = at->second;
  c.evidence_count = json_uint(*doc, "count");
  c.last_evidence_ns = json_int(*doc, "last");
  c.evidence.clear();
  const nlohmann::json classes = doc->value("classes", nlohmann::json::array());
  for (const nlohmann::json& e : doc->value("list", nlohmann::json::array())) {
    const bool numbers = e.is_array() && e.size() == 3 && e[0].is_number_unsigned() &&
                         e[1].is_number_integer() && e[2].is_number_unsigned();
    if (!numbers || e[2].get<size_t>() >= classes.size()) continue;
    const nlohmann::json& name = classes[e[2].get<size_t>()];
    c.evidence.push_back({e[0].get<uint64_t>(), e[1].get<int64_t>(),
                          name.is_string() ? name.get<std::string>() : ""});
  }
  return {};
}

Result<void> Engine::Impl::restore_serd(const StateRow& row) {
  const auto key = split_key(row);
  if (!key) return tl::unexpected(key.error());
  auto doc = read(row);
  if (!doc) return tl::unexpected(doc.error());
  const Rule* rule = rules->find(key->first);
  if (!rule || rule->kind != RuleKind::serd) {
    dirty_serds.push_back(*key);  // that rule is no more: the row goes
    return {};
  }
  const nlohmann::json classes = doc->value("classes", nlohmann::json::array());
  const auto entries = doc->find("entries");
  if (entries != doc->end() && entries->is_array())
    for (nlohmann::json& e : *entries) {
      if (!e.is_array() || e.size() != 4 || !e[2].is_number_unsigned()) continue;
      const auto tag = e[2].get<size_t>();
      const bool known = classes.is_array() && tag < classes.size() && classes[tag].is_string();
      e[2] = intern(known ? classes[tag].get<std::string>() : "");
    }
  Slot slot;
  slot.rule = static_cast<uint32_t>(rule - rules->rules().data());
  slot.serd = Serd::from_json(*doc);
  parts[key->second].slots.push_back(std::move(slot));
  ++slot_count;
  return {};
}

Result<void> Engine::Impl::restore_hold(const StateRow& row) {
  const auto key = split_key(row);
  if (!key) return tl::unexpected(key.error());
  const auto doc = read(row);
  if (!doc) return tl::unexpected(doc.error());
  Hold& hold = holds[*key];
  hold.uuid = json_text(*doc, "uuid");
  hold.deadline_ns = json_int(*doc, "deadline");
  deadlines.insert({hold.deadline_ns, *key});
  return {};
}

Result<void> Engine::Impl::restore_condition(const StateRow& row) {
  const auto key = split_key(row);
  if (!key) return tl::unexpected(key.error());
  const auto doc = read(row);
  if (!doc) return tl::unexpected(doc.error());
  conditions[*key] = json_text(*doc, "uuid");
  return {};
}

Result<void> Engine::Impl::restore_growth(const StateRow& row) {
  const auto key = split_key(row);
  if (!key) return tl::unexpected(key.error());
  const auto doc = read(row);
  if (!doc) return tl::unexpected(doc.error());
  const Rule* rule = rules->find(key->first);
  if (rule && rule->kind == RuleKind::growth && rule->property == json_text(*doc, "property"))
    growths[*key] = Growth::from_json(*doc);
  else
    dirty_growths.insert(*key);
  return {};
}

// Ties the rows together again; what does not fit (rows lost, rules changed) is cleaned up.
void Engine::Impl::connect_restored() {
  std::vector<Key> stray_holds;
  for (const auto& [key, hold] : holds) {
    const auto c = cases.find(hold.uuid);
    if (c == cases.end() || c->second.state != CaseState::unsolved || !rules->find(key.first))
      stray_holds.push_back(key);
    else
      attach(c->second, key.second);
  }
  for (const Key& key : stray_holds) cancel_hold(key);
  std::vector<Case*> stray_cases;
  for (auto& [uuid, c] : cases) {
    if (c.state == CaseState::unsolved && !about.count(uuid)) stray_cases.push_back(&c);
    if (c.state == CaseState::unsolved || !c.open()) continue;
    for (const Suspect& s : c.suspects) attach(c, s.resource);
    if (c.repair_after_ns > 0 && c.faulty()) timed.insert(uuid);
  }
  for (Case* c : stray_cases) discard(*c);
  // A fired engine whose case is lost would be silent for good.
  for (auto& [resource, part] : parts)
    if (part.cases.empty())
      for (size_t i = part.slots.size(); i-- > 0;)
        if (part.slots[i].serd.fired())
          reset_slot(rules->rules()[part.slots[i].rule].name, resource);
  for (auto at = conditions.begin(); at != conditions.end();) {
    const bool known = rules->find(at->first.first) && cases.count(at->second);
    if (!known) dirty_conditions.insert(at->first);
    at = known ? std::next(at) : conditions.erase(at);
  }
}

Result<void> Engine::restore(const std::vector<StateRow>& rows) {
  std::optional<Error> first_error;
  for (const StateRow& row : rows) {
    if (row.doc.empty()) continue;
    Result<void> taken;
    if (row.kind == "case") taken = impl_->restore_case(row);
    if (row.kind == "serd") taken = impl_->restore_serd(row);
    if (row.kind == "hold") taken = impl_->restore_hold(row);
    if (row.kind == "condition") taken = impl_->restore_condition(row);
    if (row.kind == "growth") taken = impl_->restore_growth(row);
    if (row.kind == "resource") taken = impl_->inventory.restore_row(row.key, row.doc);
    if (!taken && !first_error) first_error = taken.error();
  }
  for (const StateRow& row : rows) {
    if (row.kind != "evidence" || row.doc.empty()) continue;
    const Result<void> taken = impl_->restore_evidence(row);
    if (!taken && !first_error) first_error = taken.error();
  }
  impl_->connect_restored();
  impl_->recheck_all = true;
  if (first_error) return tl::unexpected(*first_error);
  return {};
}

// Engines and holds go with their rule; new counts and times are taken on with the next event.
void Engine::set_rules(std::shared_ptr<const RuleSet> rules) {
  Impl& i = *impl_;
  const std::shared_ptr<const RuleSet> old = std::exchange(i.rules, std::move(rules));
  for (auto& [resource, part] : i.parts) {
    std::vector<Impl::Slot> kept;
    for (Impl::Slot& slot : part.slots) {
      const std::string& name = old->rules()[slot.rule].name;
      const Rule* rule = i.rules->find(name);
      if (rule && rule->kind == RuleKind::serd) {
        slot.rule = static_cast<uint32_t>(rule - i.rules->rules().data());
        slot.generation = UINT64_MAX;
        kept.push_back(std::move(slot));
      } else if (!slot.dirty) {
        i.dirty_serds.emplace_back(name, resource);
      }
    }
    i.slot_count -= part.slots.size() - kept.size();
    part.slots = std::move(kept);
  }
  std::vector<Impl::Key> stray;
  for (const auto& [key, hold] : i.holds)
    if (!i.rules->find(key.first)) stray.push_back(key);
  for (const Impl::Key& key : stray) i.cancel_hold(key);
  for (auto at = i.conditions.begin(); at != i.conditions.end();) {
    const bool known = i.rules->find(at->first.first) != nullptr;
    if (!known) i.dirty_conditions.insert(at->first);
    at = known ? std::next(at) : i.conditions.erase(at);
  }
  for (auto at = i.growths.begin(); at != i.growths.end();) {
    const Rule *before = old->find(at->first.first), *rule = i.rules->find(at->first.first);
    const bool same =
        before && rule && rule->kind == RuleKind::growth && rule->property == before->property;
    if (!same) i.dirty_growths.insert(at->first);
    at = same ? std::next(at) : i.growths.erase(at);
  }
  i.recheck_all = true;
}

}  // namespace fmd
