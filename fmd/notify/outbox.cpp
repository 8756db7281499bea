#include "fmd/notify/outbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmd/base/duration.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr int64_t kLongestWaitNs = 300 * kSecondNs;
constexpr size_t kInFlightPerNotifier = 4;

// 1 s, doubling to 5 min.
int64_t back_off(int attempts) {
  int64_t wait = kSecondNs;
  for (int i = 1; i < attempts && wait < kLongestWaitNs; ++i) wait *= 2;
  return std::min(wait, kLongestWaitNs);
}

std::string args_of(const nlohmann::json& args, const Target& target) {
  nlohmann::json out = args;
  if (target.recipients != Recipients{std::string(kDefaultRecipients)})
    out["to"] = target.recipients;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::vector<std::string> Outbox::add(const Tidings& tidings, const std::vector<Target>& targets,
                                     const std::function<OutboxMessage()>& compose, Moment now) {
  const CaseNews& news = tidings.news;
  const OutboxMessage message = compose();
  const std::string key = fmt::format("{}:{}:{}", news.uuid, news.event, next_order_);
  const nlohmann::json args = {{"key", key},
                               {"event", news.event},
                               {"subject", message.subject},
                               {"body", message.body},
                               {"host", message.host},
                               {"time", news.time_ns},
                               {"case", nlohmann::json::parse(message.case_json, nullptr, false)}};
  std::vector<std::string> keys;
  for (const Target& target : targets) {
    Entry entry;
    entry.key = key;
    entry.notifier = target.channel;
    entry.uuid = news.uuid;
    entry.event = news.event;
    entry.created_ns = news.time_ns;
    entry.order = next_order_;
    entry.args = args_of(args, target);
    entry.to = target.recipients;
    if (std::string digest = gather(target, entry, message.item, now); !digest.empty()) {
      keys.push_back(std::move(digest));
      continue;
    }
    std::string id = fmt::format("{}@{}", key, target.channel);
    dirty_.insert(id);
    insert(std::move(id), std::move(entry));
    keys.push_back(key);
  }
  ++next_order_;
  return keys;
}

// The key of the digest that it is in now; "" it goes alone.
std::string Outbox::gather(const Target& target, const Entry& entry, const DigestItem& item,
                           Moment now) {
  if (limits_.channels.count(target.channel) == 0 || item.uuid.empty()) return {};
  const Lane lane{target.channel, target.recipients};
  for (const auto& [order, id] : waiting_) {
    Entry& open = entries_.at(id);
    if (!open.gathers() || Lane{open.notifier, open.to} != lane) continue;
    open.items.push_back(item);
    open.gathers_until_ns =
        std::max(open.gathers_until_ns,
                 std::min(open.gathers_most_ns, add_times(now.steady_ns, limits_.quiet_ns)));
    dirty_.insert(id);
    return open.key;
  }
  std::map<std::string, int64_t>& recent = recent_[lane];
  std::erase_if(recent,
                [&](const auto& told) { return told.second <= now.steady_ns - limits_.within_ns; });
  if (recent.size() < limits_.after || recent.count(item.uuid) != 0) {
    recent[item.uuid] = now.steady_ns;
    return {};
  }
  Entry digest = entry;  // with what goes out if it stays the only one
  digest.items = {item};
  digest.gathers_until_ns = add_times(now.steady_ns, limits_.quiet_ns);
  digest.gathers_most_ns = add_times(now.steady_ns, limits_.gather_ns);
  if (const auto last = last_digest_.find(lane); last != last_digest_.end()) {
    const int64_t next = add_times(last->second, limits_.every_ns);
    digest.gathers_until_ns = std::max(digest.gathers_until_ns, next);
    digest.gathers_most_ns = std::max(digest.gathers_most_ns, next);
  }
  std::string id = fmt::format("{}@{}", digest.key, digest.notifier);
  dirty_.insert(id);
  insert(std::move(id), std::move(digest));
  return entry.key;
}

void Outbox::close_digests(Moment now) {
  for (const auto& [order, id] : waiting_) {
    Entry& entry = entries_.at(id);
    if (!entry.gathers() || entry.gathers_until_ns > now.steady_ns) continue;
    close(entry);
    if (entry.items.size() > 1) last_digest_[{entry.notifier, entry.to}] = now.steady_ns;
    dirty_.insert(id);
  }
}

void Outbox::close(Entry& entry) {
  entry.gathers_until_ns = 0;
  if (entry.items.size() < 2) return;
  const auto single = nlohmann::json::parse(entry.args, nullptr, false);
  const std::string host = json_text(single, "host");
  const DigestText text = compose_digest(entry.items, host);
  entry.event = "digest";
  nlohmann::json uuids = nlohmann::json::array();
  for (const DigestItem& item : entry.items) uuids.push_back(item.uuid);
  const nlohmann::json args = {{"key", entry.key},
                               {"event", entry.event},
                               {"subject", text.subject},
                               {"body", text.body},
                               {"host", host},
                               {"time", entry.items.back().time_ns},
                               {"cases", std::move(uuids)},
                               {"case", {{"severity", text.severity}}}};
  entry.args = args_of(args, {entry.notifier, entry.to, {}});
}

std::optional<int64_t> Outbox::next_digest_ns() const {
  std::optional<int64_t> next;
  for (const auto& [order, id] : waiting_)
    if (const Entry& entry = entries_.at(id); entry.gathers())
      next = std::min(next.value_or(entry.gathers_until_ns), entry.gathers_until_ns);
  return next;
}

// An earlier message about one of its cases is not delivered yet.
bool Outbox::behind_another(const Entry& entry,
                            std::set<std::pair<std::string, std::string>>& seen) {
  bool behind = !seen.emplace(entry.notifier, entry.uuid).second;
  std::set<std::string_view> own{entry.uuid};
  for (const DigestItem& item : entry.items)
    if (own.insert(item.uuid).second && !seen.emplace(entry.notifier, item.uuid).second)
      behind = true;
  return behind;
}

std::vector<Delivery> Outbox::due(Moment now, const std::function<bool(std::string_view)>& ready) {
  last_due_ns_ = now.steady_ns;
  std::vector<Delivery> out;
  std::map<std::string, size_t, std::less<>> flying;
  std::map<std::string, bool, std::less<>> is_ready;
  std::set<std::pair<std::string, std::string>>
      blocked;  // (notifier, case): an earlier one is not delivered yet
  for (const auto& [order, id] : waiting_)
    if (entries_.at(id).in_flight) ++flying[entries_.at(id).notifier];
  for (const auto& [order, id] : waiting_) {
    Entry& entry = entries_.at(id);
    if (behind_another(entry, blocked) || entry.gathers()) continue;
    if (entry.in_flight || entry.not_before_ns > now.steady_ns) continue;
    auto known = is_ready.find(entry.notifier);
    if (known == is_ready.end())
      known = is_ready.emplace(entry.notifier, ready(entry.notifier)).first;
    if (!known->second || flying[entry.notifier] >= kInFlightPerNotifier) continue;
    ++flying[entry.notifier];
    entry.in_flight = true;
    ++entry.attempts;
    Delivery delivery;
    delivery.entry = id;
    delivery.notifier = entry.notifier;
    delivery.uuid = entry.uuid;
    delivery.event = entry.event;
    delivery.key = entry.key;
    delivery.args = entry.args;
    delivery.members = entry.items;
    out.push_back(std::move(delivery));
  }
  return out;
}

bool Outbox::answered(const Delivery& delivery, std::string_view status, std::string_view reason,
                      Moment now) {
  auto found = entries_.find(delivery.entry);
  if (found == entries_.end() || found->second.delivered) return false;
  Entry& entry = found->second;
  entry.in_flight = false;
  entry.last_reason = reason;
  if (status != "done") {
    const int64_t wait = back_off(entry.attempts);
    entry.not_before_ns = add_times(now.steady_ns, wait);
    entry.next_try_ns = add_times(now.wall_ns, wait);
    return false;
  }
  waiting_.erase({entry.order, found->first});
  entry.delivered = true;
  entry.delivered_ns = now.wall_ns;
  entry.args.clear();
  entry.items.clear();
  delivered_.insert({entry.order, found->first});
  dirty_.insert(found->first);
  while (delivered_.size() > kKeptDelivered) erase(std::string(delivered_.begin()->second));
  return true;
}

std::optional<int64_t> Outbox::next_deadline_ns() const {
  std::optional<int64_t> next;
  for (const auto& [order, id] : waiting_) {
    const Entry& entry = entries_.at(id);
    if (entry.in_flight || entry.gathers() || entry.not_before_ns <= last_due_ns_) continue;
    if (!next || entry.not_before_ns < *next) next = entry.not_before_ns;
  }
  return next;
}

std::vector<std::string> Outbox::forget_case(std::string_view uuid) {
  std::vector<std::string> dropped;
  for (const auto& [order, id] : waiting_)
    if (entries_.at(id).uuid == uuid) dropped.push_back(id);
  for (const std::string& id : dropped) erase(id);
  return dropped;
}

std::string_view Outbox::state_of(const Entry& entry) {
  if (entry.delivered) return "delivered";
  if (entry.gathers()) return "gathering";
  return entry.in_flight ? "sent" : "pending";
}

size_t Outbox::waiting() const {
  return waiting_.size();
}

nlohmann::json Outbox::list() const {
  std::vector<const Entry*> sorted;
  for (const auto& [id, entry] : entries_) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry* a, const Entry* b) { return a->order < b->order; });
  nlohmann::json out = nlohmann::json::array();
  for (const Entry* entry : sorted)
    out.push_back({{"key", entry->key},
                   {"notifier", entry->notifier},
                   {"event", entry->event},
                   {"uuid", entry->uuid},
                   {"state", state_of(*entry)},
                   {"attempts", entry->attempts},
                   {"created", entry->created_ns},
                   {"delivered", entry->delivered_ns},
                   {"next_try", entry->delivered || entry->in_flight ? 0 : entry->next_try_ns},
                   {"reason", entry->last_reason}});
  return out;
}

nlohmann::json Outbox::standing(std::string_view key, std::string_view notifier) const {
  const auto at = entries_.find(fmt::format("{}@{}", key, notifier));
  if (at == entries_.end()) return {{"state", "dropped"}};
  const Entry& entry = at->second;
  return {{"state", state_of(entry)}, {"attempts", entry.attempts}, {"reason", entry.last_reason}};
}

StateRow Outbox::row_of(const std::string& id, const Entry& entry) {
  nlohmann::json doc = {{"key", entry.key},
                        {"notifier", entry.notifier},
                        {"uuid", entry.uuid},
                        {"event", entry.event},
                        {"created", entry.created_ns},
                        {"order", entry.order},
                        {"delivered", entry.delivered_ns}};
  if (!entry.delivered) doc["args"] = entry.args;
  if (entry.delivered || entry.items.empty()) return {"outbox", id, doc.dump()};
  doc["gathers_until"] = entry.gathers_until_ns;
  doc["gathers_most"] = entry.gathers_most_ns;
  doc["to"] = entry.to;
  for (const DigestItem& item : entry.items) doc["items"].push_back(to_json(item));
  return {"outbox", id, doc.dump()};
}

std::vector<StateRow> Outbox::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& id : dirty_) {
    auto entry = entries_.find(id);
    rows.push_back(entry == entries_.end() ? StateRow{"outbox", id, ""}
                                           : row_of(id, entry->second));
  }
  dirty_.clear();
  return rows;
}

std::vector<StateRow> Outbox::all_rows() const {
  std::vector<StateRow> rows;
  for (const auto& [id, entry] : entries_) rows.push_back(row_of(id, entry));
  return rows;
}

Result<void> Outbox::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;  // one unreadable row must not keep the others from being delivered
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
      entry.delivered = !doc.contains("args");
      if (!entry.delivered) entry.args = doc.at("args").get<std::string>();
      entry.gathers_until_ns = json_int(doc, "gathers_until");
      entry.gathers_most_ns = json_int(doc, "gathers_most");
      if (doc.contains("to")) entry.to = doc.at("to").get<Recipients>();
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

void Outbox::insert(std::string id, Entry entry) {
  (entry.delivered ? delivered_ : waiting_).insert({entry.order, id});
  entries_.insert_or_assign(std::move(id), std::move(entry));
}

void Outbox::erase(const std::string& id) {
  auto found = entries_.find(id);
  if (found == entries_.end()) return;
  waiting_.erase({found->second.order, id});
  delivered_.erase({found->second.order, id});
  dirty_.insert(id);
  entries_.erase(found);
}

}  // namespace fmd
