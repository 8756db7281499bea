#include "fmd/diagnosis/hold_bank.h"

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr std::string_view kStages[] = {"rule", "siblings", "explained"};  // as HoldStage

HoldStage stage_of(std::string_view name) {
  return name == kStages[1]   ? HoldStage::siblings
         : name == kStages[2] ? HoldStage::explained
                              : HoldStage::rule;
}

}  // namespace

const std::set<RuleKey>& HoldBank::keys_in(const Index& index, std::string_view name) {
  static const std::set<RuleKey> kNone;
  const auto at = index.find(name);
  return at == index.end() ? kNone : at->second;
}

void HoldBank::file(const RuleKey& key, const Hold& hold) {
  keys_[hold.uuid] = key;
  if (!hold.part.empty()) parts_[hold.part].insert(key);
  if (hold.cause.empty()) return;
  explained_[hold.cause].insert(key);
  changed_causes_.insert(hold.cause);
}

void HoldBank::take_out(const RuleKey& key, const Hold& hold) {
  const auto from = [&](Index& index, const std::string& name) {
    const auto at = index.find(name);
    if (at == index.end()) return;
    at->second.erase(key);
    if (at->second.empty()) index.erase(at);
  };
  keys_.erase(hold.uuid);
  from(parts_, hold.part);
  if (hold.cause.empty()) return;
  from(explained_, hold.cause);
  changed_causes_.insert(hold.cause);
}

void HoldBank::begin(const RuleKey& key, std::string_view uuid, int64_t deadline_ns) {
  Hold hold;
  hold.uuid = uuid;
  begin(key, std::move(hold), deadline_ns);
}

void HoldBank::begin(const RuleKey& key, Hold hold, int64_t deadline_ns) {
  end(key);
  file(key, hold);
  cases_[key] = std::move(hold);
  deadlines_.set(key, deadline_ns);
  dirty_.insert(key);
}

void HoldBank::explain(const RuleKey& key, std::string_view cause) {
  const auto at = cases_.find(key);
  if (at == cases_.end()) return;
  take_out(key, at->second);
  at->second.stage = HoldStage::explained;
  at->second.cause = cause;
  file(key, at->second);
  deadlines_.erase(key);
  dirty_.insert(key);
}

std::optional<std::string> HoldBank::end(const RuleKey& key) {
  const auto at = cases_.find(key);
  if (at == cases_.end()) return {};
  take_out(key, at->second);
  std::string uuid = std::move(at->second.uuid);
  cases_.erase(at);
  deadlines_.erase(key);
  dirty_.insert(key);
  return uuid;
}

std::optional<HoldBank::Over> HoldBank::take_due(int64_t steady_ns) {
  const std::optional<RuleKey> key = deadlines_.take_due(steady_ns);
  if (!key) return {};
  const Hold hold = cases_.at(*key);
  end(*key);
  return Over{*key, hold};
}

const Hold* HoldBank::find(const RuleKey& key) const {
  const auto at = cases_.find(key);
  return at == cases_.end() ? nullptr : &at->second;
}

const std::set<RuleKey>& HoldBank::about_part(std::string_view part) const {
  return keys_in(parts_, part);
}

const std::set<RuleKey>& HoldBank::explained_by(std::string_view cause) const {
  return keys_in(explained_, cause);
}

std::vector<std::string> HoldBank::causes() const {
  std::vector<std::string> out;
  for (const auto& [cause, keys] : explained_) out.push_back(cause);
  return out;
}

void HoldBank::look_at_all_causes() {
  for (const auto& [cause, keys] : explained_) changed_causes_.insert(cause);
}

std::optional<RuleKey> HoldBank::of_case(std::string_view uuid) const {
  const auto at = keys_.find(uuid);
  return at == keys_.end() ? std::nullopt : std::optional(at->second);
}

void HoldBank::take_changes(std::vector<StateRow>& rows) {
  for (const RuleKey& key : dirty_) {
    const auto at = cases_.find(key);
    if (at == cases_.end()) {
      rows.push_back({"hold", key.row_key(), ""});
      continue;
    }
    const Hold& hold = at->second;
    nlohmann::json doc{{"uuid", hold.uuid}};
    if (const auto deadline = deadlines_.at(key)) doc["deadline"] = *deadline;
    if (!hold.part.empty()) {
      doc["part"] = hold.part;
      doc["since"] = hold.since_ns;
      doc["stage"] = kStages[static_cast<size_t>(hold.stage)];
    }
    if (!hold.cause.empty()) doc["cause"] = hold.cause;
    if (!hold.ways.empty()) doc["ways"] = hold.ways;
    if (hold.gone) doc["gone"] = true;
    if (hold.waited) doc["waited"] = true;
    rows.push_back({"hold", key.row_key(), dump_json(doc)});
  }
  dirty_.clear();
}

void HoldBank::mark_all_changed() {
  for (const auto& [key, hold] : cases_) dirty_.insert(key);
}

Result<void> HoldBank::restore(const StateRow& row) {
  const auto key = rule_key_of(row);
  if (!key) return tl::unexpected(key.error());
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  Hold hold;
  hold.uuid = json_text(*doc, "uuid");
  hold.part = json_text(*doc, "part");
  hold.since_ns = json_int(*doc, "since");
  hold.cause = json_text(*doc, "cause");
  hold.gone = json_bool(*doc, "gone");
  hold.waited = json_bool(*doc, "waited");
  hold.stage = stage_of(json_text(*doc, "stage"));
  if (const auto ways = doc->find("ways"); ways != doc->end() && ways->is_array())
    for (const auto& way : *ways)
      if (way.is_string()) hold.ways.insert(way.get<std::string>());
  if (hold.cause.empty() && hold.stage == HoldStage::explained) hold.stage = HoldStage::siblings;
  file(*key, hold);
  if (hold.stage != HoldStage::explained) deadlines_.set(*key, json_int(*doc, "deadline"));
  cases_[*key] = std::move(hold);
  return {};
}

}  // namespace fmd
