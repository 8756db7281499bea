#include "fmd/diagnosis/hold_bank.h"

#include <nlohmann/json.hpp>

#include "fmd/base/json_value.h"

namespace fmd {

void HoldBank::begin(const RuleKey& key, std::string_view uuid, int64_t deadline_ns) {
  end(key);
  cases_[key] = uuid;
  keys_[std::string(uuid)] = key;
  deadlines_.set(key, deadline_ns);
  dirty_.insert(key);
}

std::optional<std::string> HoldBank::end(const RuleKey& key) {
  const auto at = cases_.find(key);
  if (at == cases_.end()) return {};
  std::string uuid = std::move(at->second);
  cases_.erase(at);
  keys_.erase(uuid);
  deadlines_.erase(key);
  dirty_.insert(key);
  return uuid;
}

std::optional<HoldBank::Over> HoldBank::take_due(int64_t steady_ns) {
  const std::optional<RuleKey> key = deadlines_.take_due(steady_ns);
  if (!key) return {};
  return Over{*key, *end(*key)};
}

std::optional<RuleKey> HoldBank::of_case(std::string_view uuid) const {
  const auto at = keys_.find(uuid);
  return at == keys_.end() ? std::nullopt : std::optional(at->second);
}

void HoldBank::take_changes(std::vector<StateRow>& rows) {
  for (const RuleKey& key : dirty_) {
    const auto at = cases_.find(key);
    rows.push_back({"hold", key.row_key(),
                    at == cases_.end()
                        ? ""
                        : dump_json({{"uuid", at->second}, {"deadline", *deadlines_.at(key)}})});
  }
  dirty_.clear();
}

void HoldBank::mark_all_changed() {
  for (const auto& [key, uuid] : cases_) dirty_.insert(key);
}

Result<void> HoldBank::restore(const StateRow& row) {
  const auto key = rule_key_of(row);
  if (!key) return tl::unexpected(key.error());
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  const std::string uuid = json_text(*doc, "uuid");
  cases_[*key] = uuid;
  keys_[uuid] = *key;
  deadlines_.set(*key, json_int(*doc, "deadline"));
  return {};
}

}  // namespace fmd
