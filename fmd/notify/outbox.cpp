#include "fmd/notify/outbox.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr int64_t kLongestWaitNs = 300 * kSecondNs;
constexpr size_t kLongestReason = 300;
constexpr int64_t kOutdatedNs = 5 * kSecondNs;

// 1 s, doubling to 5 min.
int64_t back_off(int attempts) {
  int64_t wait = kSecondNs;
  for (int i = 1; i < attempts && wait < kLongestWaitNs; ++i) wait *= 2;
  return std::min(wait, kLongestWaitNs);
}

bool by_default(const Recipients& to) {
  return to == Recipients{std::string(kDefaultRecipients)};
}

// Recipients in the arguments that ended() made.
Recipients recipients_in(std::string_view args) {
  const auto doc = nlohmann::json::parse(args, nullptr, false);
  if (!doc.is_object() || !doc.contains("to")) return {std::string(kDefaultRecipients)};
  Recipients out;
  for (const auto& name : doc["to"])
    if (const auto* text = name.get_ptr<const std::string*>()) out.insert(*text);
  return out;
}

std::string json_string(std::string_view text) {
  return dump_json(nlohmann::json(text));
}

// Inserts JSON texts as they are instead of parsing them again.
std::string args_of(const OutboxMessage& message, const std::string& key, const CaseNews& news) {
  std::string out =
      fmt::format(R"({{"body":{},"case":{},"event":{})", json_string(message.body),
                  message.case_json.empty() ? "null" : message.case_json, json_string(news.event));
  if (!message.happening.empty()) out += R"(,"happening":)" + message.happening;
  out += fmt::format(R"(,"host":{},"key":{})", json_string(message.host), json_string(key));
  if (!message.sections.empty()) out += R"(,"sections":)" + message.sections;
  return out +
         fmt::format(R"(,"subject":{},"time":{})", json_string(message.subject), news.time_ns);
}

std::string ended(const std::string& args, const Recipients& to) {
  return args + (by_default(to) ? "}" : R"(,"to":)" + dump_json(to) + "}");
}

}  // namespace

std::vector<std::string> Outbox::add(const Tidings& tidings, const std::vector<Target>& targets,
                                     const Composer& compose, Moment now) {
  const CaseNews& news = tidings.news;
  const std::string key = fmt::format("{}:{}:{}", news.uuid, news.event, next_order_);
  std::optional<DigestItem> item;
  std::string args;
  std::vector<std::string> keys;
  for (const Target& target : targets) {
    const Lane lane{target.channel, target.recipients};
    const bool may_gather = compose.item && limits_.channels.count(target.channel) > 0;
    if (may_gather && !item) item = compose.item();
    auto* digest = may_gather ? open_digest(lane) : nullptr;
    const bool alone = may_gather && (!digest || is_urgent(*item)) &&
                       lanes_.goes_alone(lane, *item, limits_, now.steady_ns);
    if (digest && alone && !holds(digest->second, item->uuid)) digest = nullptr;
    if (digest) join(*digest, *item, now);
    if (digest && alone) hasten(digest->second, now);
    keys.push_back(digest ? digest->second.key : key);
    if (digest) continue;
    if (args.empty()) args = args_of(compose.message(), key, news);
    Entry entry;
    entry.key = key;
    entry.notifier = target.channel;
    entry.uuid = news.uuid;
    entry.event = news.event;
    entry.created_ns = news.time_ns;
    entry.queued_ns = now.steady_ns;
    entry.order = next_order_;
    entry.args = PackedText(ended(args, target.recipients));
    entry.to = target.recipients;
    if (may_gather) entry.whats_new = tidings.whats_new;
    if (may_gather && !alone) begin_digest(entry, lane, *item, now);
    std::string id = fmt::format("{}@{}", key, target.channel);
    dirty_.insert(id);
    insert(std::move(id), std::move(entry));
  }
  ++next_order_;
  return keys;
}

Outbox::Item* Outbox::open_digest(const Lane& lane) {
  for (const Place& place : gathering_) {
    Item& open = *waiting_.at(place);
    if (Lane{open.second.notifier, open.second.to} == lane) return &open;
  }
  return nullptr;
}

void Outbox::join(Item& digest, const DigestItem& item, Moment now) {
  Entry& open = digest.second;
  open.items.push_back(item);
  open.gathers_until_ns =
      std::max(open.gathers_until_ns,
               std::min(open.gathers_most_ns, add_times(now.steady_ns, limits_.quiet_ns)));
  turns_.add_case(place_of(open), item.uuid);
  dirty_.insert(digest.first);
}

bool Outbox::holds(const Entry& digest, std::string_view uuid) {
  return std::any_of(digest.items.begin(), digest.items.end(),
                     [&](const DigestItem& item) { return item.uuid == uuid; });
}

// An urgent message about a case of the digest cannot overtake it: the digest goes out at once.
void Outbox::hasten(Entry& digest, Moment now) {
  digest.gathers_until_ns = digest.gathers_most_ns = now.steady_ns;
}

// The entry goes out as a message of its own if it stays the only one.
void Outbox::begin_digest(Entry& entry, const Lane& lane, const DigestItem& item, Moment now) {
  entry.items = {item};
  entry.gathers_until_ns = add_times(now.steady_ns, limits_.quiet_ns);
  entry.gathers_most_ns = add_times(now.steady_ns, limits_.gather_ns);
  if (const auto last = lanes_.last_digest_ns(lane)) {
    const int64_t next = add_times(*last, limits_.every_ns);
    entry.gathers_until_ns = std::max(entry.gathers_until_ns, next);
    entry.gathers_most_ns = std::max(entry.gathers_most_ns, next);
  }
  entry.digest_by_ns = add_times(now.wall_ns, entry.gathers_most_ns - now.steady_ns);
}

void Outbox::close_digests(Moment now, const DigestNow& as_now) {
  for (const Place& place : std::set<Place>(gathering_)) {
    auto& [id, entry] = *waiting_.at(place);
    if (entry.gathers_until_ns > now.steady_ns) continue;
    close(entry, as_now);
    gathering_.erase(place);
    turns_.release(place, 0);
    if (entry.items.size() > 1) lanes_.digest_closed({entry.notifier, entry.to}, now.steady_ns);
    dirty_.insert(id);
  }
}

Outbox::Renewal Outbox::close(Entry& entry, const DigestNow& as_now) {
  entry.gathers_until_ns = 0;
  if (entry.items.size() < 2) return renew(entry, as_now);
  const auto single = nlohmann::json::parse(entry.args.text(), nullptr, false);
  const std::string host = json_text(single, "host");
  const DigestText text = compose_digest(entry.items, host, as_now);
  entry.event = "digest";
  std::string args;
  JsonMembers members(args);
  members.add("body", text.body);
  members.named("case") += R"({"severity":)" + json_string(text.severity) + "}";
  members.add_list("cases", entry.items, [](const DigestItem& item, std::string& to) {
    append_json_text(item.uuid, to);
  });
  members.add("event", entry.event);
  members.add("host", host);
  members.add("key", entry.key);
  members.named("sections") += text.sections;
  members.add("subject", text.subject);
  members.add("time", entry.items.back().time_ns);
  if (!by_default(entry.to)) members.add_texts("to", entry.to);
  members.end();
  entry.args = PackedText(args);
  return Renewal::renewed;
}

bool Outbox::is_outdated(const Entry& entry, Moment now) const {
  return limits_.channels.count(entry.notifier) > 0 &&
         (entry.attempts > 1 || now.wall_ns > add_times(entry.created_ns, kOutdatedNs));
}

// The later messages about its case, for the same recipients.
std::vector<const Outbox::Item*> Outbox::later_about(const Entry& entry) const {
  std::vector<const Item*> out;
  for (auto at = waiting_.upper_bound(place_of(entry)); at != waiting_.end(); ++at) {
    const Entry& later = at->second->second;
    if (later.notifier != entry.notifier || later.uuid != entry.uuid || later.to != entry.to ||
        !later.items.empty() || later.in_flight)
      continue;
    const auto event = parse_case_event(later.event);
    if (event == CaseEvent::updated || event == CaseEvent::repaired || event == CaseEvent::resolved)
      out.push_back(at->second);
  }
  return out;
}

// Composes a message that has waited again, because its advice may be outdated.
Outbox::Renewal Outbox::renew(Entry& entry, const DigestNow& as_now) {
  entry.covers.clear();
  if (!as_now.message) return Renewal::none;
  DigestItem item;
  if (entry.items.empty()) {
    item.uuid = entry.uuid, item.event = entry.event, item.time_ns = entry.created_ns;
  } else {
    item = entry.items.front();
  }
  if (!entry.queued_as.empty()) item.event = entry.queued_as;
  std::vector<std::string> whats_new = entry.whats_new;
  const auto later = later_about(entry);
  for (const Item* one : later)
    for (const std::string& sentence : one->second.whats_new)
      if (std::find(whats_new.begin(), whats_new.end(), sentence) == whats_new.end())
        whats_new.push_back(sentence);
  const auto now = as_now.message(item, whats_new);
  if (!now) return Renewal::none;
  for (const Item* one : later) entry.covers.push_back(one->first);
  if (now->nothing) return Renewal::nothing;
  if (entry.queued_as.empty() && now->event != entry.event) entry.queued_as = entry.event;
  entry.event = now->event;
  const CaseNews news{entry.event, entry.uuid, item.time_ns};
  entry.args =
      PackedText(ended(args_of(now->message, entry.key, news), recipients_in(entry.args.text())));
  return Renewal::renewed;
}

std::optional<int64_t> Outbox::next_digest_ns() const {
  std::optional<int64_t> next;
  for (const Place& place : gathering_) {
    const int64_t until = waiting_.at(place)->second.gathers_until_ns;
    next = std::min(next.value_or(until), until);
  }
  return next;
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

std::vector<Delivery> Outbox::due(Moment now, const std::function<bool(std::string_view)>& ready,
                                  const std::function<DigestNow()>& as_now) {
  turns_.advance(now.steady_ns);
  std::vector<Delivery> out;
  for (const std::string& channel : turns_.channels()) {
    if (!ready(channel)) continue;
    while (const auto place = turns_.take(channel)) {
      auto& [id, entry] = *waiting_.at(*place);
      entry.in_flight = true;
      ++entry.attempts;
      const Renewal how =
          as_now && is_outdated(entry, now) ? close(entry, as_now()) : Renewal::none;
      if (how == Renewal::renewed) dirty_.insert(id);
      out.push_back(delivery_of(id, entry));
      out.back().renewed = how == Renewal::renewed;
      out.back().nothing = how == Renewal::nothing;
      for (const std::string& covered : entry.covers)
        out.back().covers.push_back(entries_.find(covered)->second.key);
      out.back().args = entry.args.text();
    }
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
    turns_.release(place_of(entry), entry.not_before_ns);
    refused_[entry.notifier].insert(entry.order);
    channels_.refused(entry.notifier, display(entry.last_reason, kLongestReason), now);
    return false;
  }
  entry.delivered = true;
  entry.delivered_ns = now.wall_ns;
  deliver_covered(entry, now);
  finish(found->first, entry);
  channels_.delivered(delivery.notifier, refused_waits(delivery.notifier), now);
  return true;
}

void Outbox::deliver_covered(const Entry& entry, Moment now) {
  for (const std::string& id : std::vector<std::string>(entry.covers)) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.over()) continue;
    found->second.delivered = true;
    found->second.delivered_ns = now.wall_ns;
    finish(found->first, found->second);
  }
}

// Kept for a while for ListOutbox.
void Outbox::finish(const std::string& id, Entry& entry) {
  no_longer_waits(entry);
  entry.args.clear();
  entry.items.clear();
  over_.emplace(place_of(entry), &*entries_.find(id));
  dirty_.insert(id);
  while (over_.size() > kKeptDelivered) erase(std::string(over_.begin()->second->first));
}

void Outbox::no_longer_waits(const Entry& entry) {
  const Place place = place_of(entry);
  waiting_.erase(place);
  gathering_.erase(place);
  turns_.remove(place);
  by_age_.erase({entry.queued_ns, place});
  const auto refused = refused_.find(entry.notifier);
  if (refused == refused_.end()) return;
  refused->second.erase(entry.order);
  if (refused->second.empty()) refused_.erase(refused);
}

bool Outbox::refused_waits(std::string_view channel) const {
  return refused_.contains(channel);
}

bool Outbox::anything_waits(std::string_view channel) const {
  return turns_.any(channel);
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
  // Rows of an older fmd have no time: their age starts now.
  while (!by_age_.empty() && by_age_.begin()->first == 0) {
    Place place = by_age_.extract(by_age_.begin()).value().second;
    waiting_.at(place)->second.queued_ns = now.steady_ns;
    by_age_.emplace(now.steady_ns, std::move(place));
  }
  std::vector<Item*> old;
  for (const auto& [queued_ns, place] : by_age_) {
    if (add_times(queued_ns, expire_ns_) > now.steady_ns) break;
    Item* item = waiting_.at(place);
    if (!item->second.in_flight && !item->second.gathers()) old.push_back(item);
  }
  std::vector<GivenUp> out;
  for (Item* item : old) {
    auto& [id, entry] = *item;
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
  for (const auto& [queued_ns, place] : by_age_) {
    const Entry& entry = waiting_.at(place)->second;
    if (!entry.in_flight && !entry.gathers() && queued_ns != 0)
      return add_times(queued_ns, expire_ns_);
  }
  return {};
}

void Outbox::proved(std::string_view channel, Moment now) {
  channels_.delivered(channel, refused_waits(channel), now);
}

std::optional<int64_t> Outbox::next_deadline_ns() const {
  return turns_.next_ns();
}

std::vector<std::string> Outbox::forget_case(std::string_view uuid) {
  std::vector<std::string> dropped;
  for (const auto& [place, item] : waiting_)
    if (item->second.uuid == uuid) dropped.push_back(item->first);
  for (const std::string& id : dropped) erase(id);
  return dropped;
}

void Outbox::insert(std::string id, Entry entry) {
  erase(id);
  while (find(place_of(entry))) ++entry.order;  // only damaged rows share a place
  const auto at = entries_.emplace(std::move(id), std::move(entry)).first;
  Entry& added = at->second;
  const Place place = place_of(added);
  (added.over() ? over_ : waiting_).emplace(place, &*at);
  if (added.over()) return;
  std::set<std::string> cases{added.uuid};
  for (const DigestItem& item : added.items) cases.insert(item.uuid);
  turns_.add(place, added.notifier, std::move(cases));
  by_age_.emplace(added.queued_ns, place);
  if (added.gathers())
    gathering_.insert(place);
  else
    turns_.release(place, 0);
}

void Outbox::erase(const std::string& id) {
  auto found = entries_.find(id);
  if (found == entries_.end()) return;
  no_longer_waits(found->second);
  over_.erase(place_of(found->second));
  dirty_.insert(id);
  entries_.erase(found);
}

}  // namespace fmd
