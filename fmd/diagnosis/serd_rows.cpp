// Stores the SERD engines as rows, and restores them.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/diagnosis/rule_key.h"
#include "fmd/diagnosis/serd_bank.h"

namespace fmd {

// Written by hand: there may be a thousand in a storm.
const std::string& SerdBank::write(const Serd& serd, uint64_t upto) {
  written_.clear();
  JsonMembers members(written_);
  members.add("n", serd.n());
  members.add("within", serd.within_ns());
  members.add("fired", serd.fired());
  std::vector<uint32_t>& tags = written_tags_;
  tags.clear();
  members.add_list("entries", serd.entries(), [&](const Serd::Entry& e, std::string& to) {
    const auto at = std::find(tags.begin(), tags.end(), e.tag);
    append_json_numbers(to, e.time_ns, e.seq, at - tags.begin(), e.hash);
    if (at == tags.end()) tags.push_back(e.tag);
  });
  members.add_list("classes", tags, [this](uint32_t tag, std::string& to) {
    append_json_text(class_name(tag).str(), to);
  });
  members.add_list("withdrawn", serd.withdrawn(),
                   [](auto one, std::string& to) { append_json_number(one, to); });
  if (upto > 0) members.add("upto", upto);
  members.end();
  return written_;
}

StateRow SerdBank::row(const Row& key, uint64_t upto) {
  StateRow out{"serd", row_key(key.rule, key.resource), ""};
  const Rule* rule = rules_->find(key.rule);
  Slot* slot = rule ? find_slot(static_cast<uint32_t>(rule - rules_->rules().data()), key.resource)
                    : nullptr;
  if (!slot) return out;
  slot->due = Due::no;
  slot->has_row = true;
  out.doc = write(slot->serd, upto);
  return out;
}

void SerdBank::take_changes(std::vector<StateRow>& rows, uint64_t upto) {
  for (const Row& key : now_) rows.push_back(row(key, upto));
  now_.clear();
}

void SerdBank::take_uncounted(std::vector<StateRow>& rows) {
  for (const Row& key : later_) {
    const Rule* rule = rules_->find(key.rule);
    const Slot* slot =
        rule ? find(static_cast<uint32_t>(rule - rules_->rules().data()), key.resource) : nullptr;
    if (slot && slot->due == Due::later) rows.push_back(row(key, 0));
  }
  later_.clear();
}

void SerdBank::mark_all_changed() {
  for (auto& [resource, slots] : slots_)
    for (Slot& slot : slots) mark(slot, resource);
}

Result<void> SerdBank::restore(const StateRow& row) {
  const auto key = rule_key_of(row);
  if (!key) return tl::unexpected(key.error());
  auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  const Rule* rule = rules_->find(key->rule);
  if (!rule || rule->kind != RuleKind::serd) {
    now_.push_back({key->resource, key->rule});  // the rule no longer exists: delete the row
    return {};
  }
  const nlohmann::json classes = doc->value("classes", nlohmann::json::array());
  const auto entries = doc->find("entries");
  if (entries != doc->end() && entries->is_array())
    for (nlohmann::json& e : *entries) {
      if (!e.is_array() || e.size() != 4 || !e[2].is_number_unsigned()) continue;
      const auto tag = e[2].get<size_t>();
      const bool known = classes.is_array() && tag < classes.size() && classes[tag].is_string();
      e[2] = tag_of(known ? classes[tag].get<std::string>() : "");
    }
  Slot slot;
  slot.rule = static_cast<uint32_t>(rule - rules_->rules().data());
  slot.serd = Serd::from_json(*doc);
  slot.upto = json_uint(*doc, "upto");
  slot.has_row = true;
  const Slot& kept = slots_[key->resource].emplace_back(std::move(slot));
  ++count_;
  for (const Serd::Entry& entry : kept.serd.entries())
    if (entry.hash != 0) knows_now(kept.rule, entry.hash);
  for (const uint32_t hash : kept.serd.withdrawn())
    if (hash != 0) knows_now(kept.rule, hash);
  return {};
}

}  // namespace fmd
