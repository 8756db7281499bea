// Stores the case book as rows, and restores it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/rule_key.h"

namespace fmd {
namespace {

// By hand: in a storm much of a commit consists of it.
std::string evidence_row(const Case& c, uint64_t upto) {
  std::string out;
  JsonMembers members(out);
  members.add("count", c.evidence_count);
  members.add("last", c.last_evidence_ns);
  std::vector<std::string_view> classes;
  members.add_list("list", c.evidence, [&](const Evidence& e, std::string& to) {
    const auto at = std::find(classes.begin(), classes.end(), e.event_class);
    append_json_numbers(to, e.seq, e.time_ns, at - classes.begin());
    if (at == classes.end()) classes.push_back(e.event_class);
  });
  members.add_texts("classes", classes);
  if (upto > 0) members.add("upto", upto);
  members.end();
  return out;
}

std::string case_row(const Case& c, uint64_t upto) {
  std::string doc = to_json_text(c);
  if (upto == 0) return doc;
  doc.pop_back();
  return doc + fmt::format(R"(,"upto":{}}})", upto);
}

}  // namespace

void CaseBook::take_changes(std::vector<StateRow>& rows, uint64_t upto) {
  for (const std::string& uuid : dirty_cases_) {
    const Case* c = find(uuid);
    rows.push_back({"case", uuid, c ? case_row(*c, upto) : ""});
  }
  for (const std::string& uuid : dirty_evidence_) {
    Case* c = find(uuid);
    rows.push_back({"evidence", uuid, c ? evidence_row(*c, upto) : ""});
    if (c) c->uncounted = false;
  }
  dirty_cases_.clear();
  dirty_evidence_.clear();
}

void CaseBook::take_uncounted(std::vector<StateRow>& rows) {
  for (const Case* c : take_marked(uncounted_, &Case::uncounted))
    rows.push_back({"evidence", c->uuid, evidence_row(*c, 0)});
}

void CaseBook::mark_all_changed() {
  for (const auto& [uuid, c] : cases_) {
    dirty_cases_.insert(uuid);
    due_.insert(uuid);
    dirty_evidence_.insert(uuid);
  }
}

Result<void> CaseBook::restore(const StateRow& row) {
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  Result<Case> c = case_from_json(*doc);
  if (!c) return tl::unexpected(c.error());
  std::string uuid = c->uuid;
  restored_up_to_[uuid] = json_uint(*doc, "upto");
  const auto known = cases_.find(uuid);
  if (known != cases_.end()) {
    by_age_.erase(&known->second);
    open_by_age_.erase(&known->second);
  }
  Case& restored = cases_[std::move(uuid)] = std::move(*c);
  by_age_.insert(&restored);
  if (!doc->contains("replaces")) without_order_.push_back(restored.uuid);
  return {};
}

// What the case's own row says of its evidence was true when that row was written; this one is true up
// to the last checkpoint at least.
Result<void> CaseBook::restore_evidence(const StateRow& row, uint64_t counted_to) {
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  Case* c = find(row.key);
  if (!c) {
    dirty_evidence_.insert(row.key);
    return {};
  }
  const uint64_t upto = std::max(json_uint(*doc, "upto"), counted_to);
  uint64_t& restored = restored_up_to_[row.key];
  if (upto < restored) {
    if (!std::exchange(c->uncounted, true))
      uncounted_.push_back(c);  // with the next checkpoint it would be the truer one
    return {};
  }
  restored = upto;
  c->evidence_count = json_uint(*doc, "count");
  c->last_evidence_ns = json_int(*doc, "last");
  c->evidence.clear();
  c->newest_evidence = 0;
  const nlohmann::json classes = doc->value("classes", nlohmann::json::array());
  for (const nlohmann::json& e : doc->value("list", nlohmann::json::array())) {
    const bool numbers = e.is_array() && e.size() == 3 && e[0].is_number_unsigned() &&
                         e[1].is_number_integer() && e[2].is_number_unsigned();
    if (!numbers || !classes.is_array() || e[2].get<size_t>() >= classes.size()) continue;
    const nlohmann::json& name = classes[e[2].get<size_t>()];
    c->evidence.push_back({e[0].get<uint64_t>(), e[1].get<int64_t>(),
                           name.is_string() ? name.get<std::string>() : ""});
  }
  return {};
}

}  // namespace fmd
