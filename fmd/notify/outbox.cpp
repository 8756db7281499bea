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
constexpr size_t kLongestReason = 300;

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
  nlohmann::json args = {{"key", key},
                         {"event", news.event},
                         {"subject", message.subject},
                         {"body", message.body},
                         {"host", message.host},
                         {"time", news.time_ns},
                         {"case", nlohmann::json::parse(message.case_json, nullptr, false)}};
  const auto sections = nlohmann::json::parse(message.sections, nullptr, false);
  if (sections.is_array()) args["sections"] = sections;
  if (!message.happening.empty())
    args["happening"] = nlohmann::json::parse(message.happening, nullptr, false);
  std::vector<std::string> keys;
  for (const Target& target : targets) {
    Entry entry;
    entry.key = key;
    entry.notifier = target.channel;
    entry.uuid = news.uuid;
    entry.event = news.event;
    entry.created_ns = news.time_ns;
    entry.queued_ns = now.steady_ns;
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
  if (lanes_.goes_alone(lane, item.uuid, limits_, now.steady_ns)) return {};
  Entry digest = entry;  // with what goes out if it stays the only one
  digest.items = {item};
  digest.gathers_until_ns = add_times(now.steady_ns, limits_.quiet_ns);
  digest.gathers_most_ns = add_times(now.steady_ns, limits_.gather_ns);
  if (const auto last = lanes_.last_digest_ns(lane)) {
    const int64_t next = add_times(*last, limits_.every_ns);
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
    if (entry.items.size() > 1) lanes_.digest_closed({entry.notifier, entry.to}, now.steady_ns);
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
                               {"sections", text.sections},
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

Delivery Outbox::delivery_of(const std::string& id, const Entry& entry) {
  Delivery delivery;
  delivery.entry = id;
  delivery.notifier = entry.notifier;
  delivery.uuid = entry.uuid;
  delivery.event = entry.event;
  delivery.key = entry.key;
  delivery.members = entry.items;
  return delivery;
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
    out.push_back(delivery_of(id, entry));
    out.back().args = entry.args;
  }
  return out;
}

bool Outbox::answered(const Delivery& delivery, std::string_view status, std::string_view reason,
                      Moment now) {
  auto found = entries_.find(delivery.entry);
  if (found == entries_.end() || found->second.over()) return false;
  Entry& entry = found->second;
  entry.in_flight = false;
  entry.last_reason = reason;
  if (status != "done") {
    if (reason.empty()) entry.last_reason = "no reason was given";
    const int64_t wait = back_off(entry.attempts);
    entry.not_before_ns = add_times(now.steady_ns, wait);
    entry.next_try_ns = add_times(now.wall_ns, wait);
    channels_.refused(entry.notifier, display(entry.last_reason, kLongestReason), now);
    return false;
  }
  entry.delivered = true;
  entry.delivered_ns = now.wall_ns;
  finish(found->first, entry);
  channels_.delivered(delivery.notifier, refused_waits(delivery.notifier), now);
  return true;
}

// It is kept for a while, to be shown.
void Outbox::finish(const std::string& id, Entry& entry) {
  waiting_.erase({entry.order, id});
  entry.args.clear();
  entry.items.clear();
  over_.insert({entry.order, id});
  dirty_.insert(id);
  while (over_.size() > kKeptDelivered) erase(std::string(over_.begin()->second));
}

bool Outbox::refused_waits(std::string_view channel) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& waits) {
    const Entry& entry = entries_.at(waits.second);
    return entry.notifier == channel && entry.refused();
  });
}

bool Outbox::anything_waits(std::string_view channel) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& waits) {
    return entries_.at(waits.second).notifier == channel;
  });
}

// --- giving up ---

void Outbox::set_expiry(int64_t expire_ns, std::set<std::string, std::less<>> in_use) {
  expire_ns_ = expire_ns;
  in_use_ = std::move(in_use);
}

GivenUp Outbox::give_up(const std::string& id, Entry& entry, std::string why, Moment now) {
  GivenUp out{delivery_of(id, entry), why};
  entry.last_reason = std::move(why);
  entry.expired_ns = now.wall_ns;
  finish(id, entry);
  return out;
}

GivenUp Outbox::refused_for_good(const Delivery& delivery, std::string_view reason, Moment now) {
  const auto found = entries_.find(delivery.entry);
  if (found == entries_.end() || found->second.over()) return {};
  found->second.in_flight = false;
  return give_up(found->first, found->second, display(reason, kLongestReason), now);
}

std::vector<GivenUp> Outbox::expire(Moment now) {
  std::vector<std::string> old;
  for (const auto& [order, id] : waiting_) {
    Entry& entry = entries_.at(id);
    if (entry.queued_ns == 0)
      entry.queued_ns = now.steady_ns;  // of a row from before this was kept
    if (!entry.in_flight && !entry.gathers() &&
        add_times(entry.queued_ns, expire_ns_) <= now.steady_ns)
      old.push_back(id);
  }
  std::vector<GivenUp> out;
  for (const std::string& id : old) {
    Entry& entry = entries_.at(id);
    const std::string reason = display(entry.last_reason, kLongestReason);
    std::string why =
        fmt::format("{} tr{} in {}{}{}", entry.attempts, entry.attempts == 1 ? "y" : "ies",
                    format_duration(expire_ns_), reason.empty() ? "" : ", the last: ", reason);
    out.push_back(give_up(id, entry, std::move(why), now));
  }
  for (const std::string& channel : channels_.failing())
    if (in_use_.count(channel) == 0 && !anything_waits(channel)) channels_.unused(channel);
  return out;
}

std::optional<int64_t> Outbox::next_expiry_ns() const {
  std::optional<int64_t> next;
  for (const auto& [order, id] : waiting_) {
    const Entry& entry = entries_.at(id);
    if (entry.in_flight || entry.gathers() || entry.queued_ns == 0) continue;
    const int64_t at = add_times(entry.queued_ns, expire_ns_);
    next = std::min(next.value_or(at), at);
  }
  return next;
}

void Outbox::proved(std::string_view channel, Moment now) {
  channels_.delivered(channel, refused_waits(channel), now);
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

void Outbox::insert(std::string id, Entry entry) {
  (entry.over() ? over_ : waiting_).insert({entry.order, id});
  entries_.insert_or_assign(std::move(id), std::move(entry));
}

void Outbox::erase(const std::string& id) {
  auto found = entries_.find(id);
  if (found == entries_.end()) return;
  waiting_.erase({found->second.order, id});
  over_.erase({found->second.order, id});
  dirty_.insert(id);
  entries_.erase(found);
}

}  // namespace fmd
