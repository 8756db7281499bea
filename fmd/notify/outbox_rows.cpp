// Outbox: its rows, and the form in which entries are shown.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/notify/outbox.h"

namespace fmd {

std::string_view Outbox::state_of(const Entry& entry) {
  if (entry.delivered) return "delivered";
  if (entry.expired_ns != 0) return "expired";
  if (entry.gathers()) return "gathering";
  return entry.in_flight ? "sent" : "pending";
}

size_t Outbox::waiting() const {
  return waiting_.size();
}

std::optional<Outbox::Place> Outbox::next_after(const Place& place) const {
  const auto waiting = waiting_.upper_bound(place), over = over_.upper_bound(place);
  if (waiting == waiting_.end() && over == over_.end()) return {};
  if (over == over_.end()) return waiting->first;
  return waiting == waiting_.end() ? over->first : std::min(waiting->first, over->first);
}

const Outbox::Item* Outbox::find(const Place& place) const {
  for (const auto* index : {&waiting_, &over_})
    if (const auto at = index->find(place); at != index->end()) return at->second;
  return nullptr;
}

nlohmann::json Outbox::document(const Place& place) const {
  const Item* item = find(place);
  if (!item) return nullptr;
  const Entry& entry = item->second;
  return {{"key", entry.key},
          {"notifier", entry.notifier},
          {"event", entry.event},
          {"uuid", entry.uuid},
          {"state", state_of(entry)},
          {"attempts", entry.attempts},
          {"created", entry.created_ns},
          {"delivered", entry.delivered_ns},
          {"expired", entry.expired_ns},
          {"next_try", entry.over() || entry.in_flight ? 0 : entry.next_try_ns},
          {"digest_by", entry.gathers() ? entry.digest_by_ns : 0},
          {"reason", entry.last_reason}};
}

nlohmann::json Outbox::list() const {
  nlohmann::json out = nlohmann::json::array();
  for (auto at = next_after({}); at; at = next_after(*at)) out.push_back(document(*at));
  return out;
}

nlohmann::json Outbox::standing(std::string_view key, std::string_view notifier) const {
  const auto at = entries_.find(fmt::format("{}@{}", key, notifier));
  if (at == entries_.end()) return {{"state", "dropped"}};
  const Entry& entry = at->second;
  nlohmann::json out = {
      {"state", state_of(entry)}, {"attempts", entry.attempts}, {"reason", entry.last_reason}};
  if (entry.gathers()) out["digest_by"] = entry.digest_by_ns;
  return out;
}

// Text, not a JSON tree, which needs more memory for a large digest than all waiting messages.
StateRow Outbox::row_of(const std::string& id, const Entry& entry) {
  StateRow row{"outbox", id, ""};
  JsonMembers members(row.doc);
  members.add("key", entry.key);
  members.add("notifier", entry.notifier);
  members.add("uuid", entry.uuid);
  members.add("event", entry.event);
  members.add("created", entry.created_ns);
  members.add("order", entry.order);
  members.add("delivered", entry.delivered_ns);
  if (entry.expired_ns != 0) {
    members.add("expired", entry.expired_ns);
    members.add("reason", entry.last_reason);
    members.add("attempts", entry.attempts);
  }
  if (!entry.over()) {
    members.add("args", entry.args.text());
    members.add("queued", entry.queued_ns);
    if (!entry.whats_new.empty()) members.add_texts("whats_new", entry.whats_new);
    if (!entry.queued_as.empty()) members.add("queued_as", entry.queued_as);
  }
  if (!entry.over() && !entry.items.empty()) {
    members.add("gathers_until", entry.gathers_until_ns);
    members.add("gathers_most", entry.gathers_most_ns);
    members.add("digest_by", entry.digest_by_ns);
    members.add_texts("to", entry.to);
    members.add_list("items", entry.items,
                     [](const DigestItem& item, std::string& to) { append_json(item, to); });
  }
  members.end();
  return row;
}

std::vector<StateRow> Outbox::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& id : dirty_) {
    auto entry = entries_.find(id);
    rows.push_back(entry == entries_.end() ? StateRow{"outbox", id, ""}
                                           : row_of(id, entry->second));
  }
  dirty_.clear();
  for (StateRow& row : lanes_.take_changes()) rows.push_back(std::move(row));
  for (StateRow& row : channels_.take_changes()) rows.push_back(std::move(row));
  return rows;
}

std::vector<StateRow> Outbox::all_rows() const {
  std::vector<StateRow> rows;
  for (const auto& [id, entry] : entries_) rows.push_back(row_of(id, entry));
  for (StateRow& row : lanes_.all_rows()) rows.push_back(std::move(row));
  for (StateRow& row : channels_.all_rows()) rows.push_back(std::move(row));
  return rows;
}

void Outbox::database_begins(int64_t begins_ns) {
  next_order_ = std::max(next_order_, static_cast<uint64_t>(std::max<int64_t>(begins_ns, 0)) /
                                          static_cast<uint64_t>(kSecondNs));
}

Result<void> Outbox::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome = lanes_.restore(rows);  // one unreadable row must not block the others
  if (auto restored = channels_.restore(rows); !restored) outcome = restored;
  for (const StateRow& row : rows) {
    if (row.kind != "outbox") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    Entry entry;
    try {
      entry.key = doc.at("key").get<std::string>();
      entry.notifier = doc.at("notifier").get<std::string>();
      entry.uuid = doc.at("uuid").get<std::string>();
      entry.event = doc.at("event").get<std::string>();
      entry.created_ns = doc.at("created").get<int64_t>();
      entry.order = doc.at("order").get<uint64_t>();
      entry.delivered_ns = doc.at("delivered").get<int64_t>();
      entry.expired_ns = json_int(doc, "expired");
      entry.delivered = entry.expired_ns == 0 && !doc.contains("args");
      if (!entry.over()) entry.args = PackedText(doc.at("args").get<std::string>());
      entry.queued_ns = json_int(doc, "queued");
      entry.queued_as = json_text(doc, "queued_as");
      entry.attempts = static_cast<int>(json_int(doc, "attempts"));
      entry.last_reason = json_text(doc, "reason");
      entry.gathers_until_ns = json_int(doc, "gathers_until");
      entry.gathers_most_ns = json_int(doc, "gathers_most");
      entry.digest_by_ns = json_int(doc, "digest_by");
      if (doc.contains("to")) entry.to = doc.at("to").get<Recipients>();
      for (const auto& sentence : doc.value("whats_new", nlohmann::json::array()))
        entry.whats_new.push_back(sentence.get<std::string>());
      if (doc.contains("items"))
        for (const auto& item : doc.at("items")) entry.items.push_back(digest_item_from_json(item));
    } catch (const nlohmann::json::exception& error) {
      outcome = fail(fmt::format("stored message {} cannot be read and is left out: {}",
                                 display(row.key), error.what()));
      continue;
    }
    next_order_ = std::max(next_order_, entry.order + 1);
    insert(row.key, std::move(entry));
  }
  return outcome;
}

}  // namespace fmd
