#include "fmd/notify/outbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmd/base/duration.h"
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

bool wants(const NotifierConfig& config, const CaseNews& news, const Case& c) {
  return config.events.count(news.event) != 0 &&
         severity_rank(c.severity) >= severity_rank(config.severity);
}

}  // namespace

void Outbox::set_notifiers(std::map<std::string, NotifierConfig, std::less<>> notifiers) {
  notifiers_ = std::move(notifiers);
}

bool Outbox::wanted(const CaseNews& news, const Case& c) const {
  return std::any_of(notifiers_.begin(), notifiers_.end(),
                     [&](const auto& notifier) { return wants(notifier.second, news, c); });
}

void Outbox::add(const Tidings& tidings, const Case& c,
                 const std::function<OutboxMessage()>& compose) {
  const CaseNews& news = tidings.news;
  if (!wanted(news, c)) return;
  const OutboxMessage message = compose();
  const std::string key = fmt::format("{}:{}:{}", news.uuid, news.event, next_order_);
  const nlohmann::json args = {{"key", key},
                               {"event", news.event},
                               {"subject", message.subject},
                               {"body", message.body},
                               {"host", message.host},
                               {"time", news.time_ns},
                               {"case", nlohmann::json::parse(message.case_json, nullptr, false)}};
  const std::string text = args.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const auto& [name, config] : notifiers_) {
    if (!wants(config, news, c)) continue;
    Entry entry;
    entry.key = key;
    entry.notifier = name;
    entry.uuid = news.uuid;
    entry.event = news.event;
    entry.created_ns = news.time_ns;
    entry.order = next_order_;
    entry.args = text;
    std::string id = fmt::format("{}@{}", key, name);
    dirty_.insert(id);
    insert(std::move(id), std::move(entry));
  }
  ++next_order_;
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
    if (!blocked.emplace(entry.notifier, entry.uuid).second) continue;
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
  delivered_.insert({entry.order, found->first});
  dirty_.insert(found->first);
  while (delivered_.size() > kKeptDelivered) erase(std::string(delivered_.begin()->second));
  return true;
}

std::optional<int64_t> Outbox::next_deadline_ns() const {
  std::optional<int64_t> next;
  for (const auto& [order, id] : waiting_) {
    const Entry& entry = entries_.at(id);
    if (entry.in_flight || entry.not_before_ns <= last_due_ns_) continue;
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
                   {"state", entry->delivered   ? "delivered"
                             : entry->in_flight ? "sent"
                                                : "pending"},
                   {"attempts", entry->attempts},
                   {"created", entry->created_ns},
                   {"delivered", entry->delivered_ns},
                   {"next_try", entry->delivered || entry->in_flight ? 0 : entry->next_try_ns},
                   {"reason", entry->last_reason}});
  return out;
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
