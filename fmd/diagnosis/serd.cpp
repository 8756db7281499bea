#include "fmd/diagnosis/serd.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr int64_t kFuture = 60LL * 1000000000;       // how far ahead a source's clock may be
constexpr int64_t kLate = 24LL * 3600 * 1000000000;  // how late telemetry may still come in

constexpr size_t kWithdrawn = 64;  // one error's events come within seconds

int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t span(int64_t newest, int64_t oldest) {
  int64_t difference = 0;
  return __builtin_sub_overflow(newest, oldest, &difference) ? INT64_MAX : difference;
}

}  // namespace

bool Serd::add(Entry entry, int64_t now_ns) {
  if (fired_) return false;
  if (entry.time_ns > plus(now_ns, kFuture)) entry.time_ns = now_ns;
  const int64_t horizon = plus(plus(now_ns, kFuture), within_ns_);
  while (!entries_.empty() && entries_.back().time_ns > horizon) entries_.pop_back();
  const auto at = std::upper_bound(entries_.begin(), entries_.end(), entry.time_ns,
                                   [](int64_t t, const Entry& e) { return t < e.time_ns; });
  for (auto same = at; same != entries_.begin() && std::prev(same)->time_ns == entry.time_ns;
       --same)
    if (entry.hash != 0 && std::prev(same)->hash == entry.hash) return false;
  entries_.insert(at, entry);
  // Up to n + 1 entries now: two windows of n to look at, since the new one may be a late one.
  for (size_t first = 0; first + n_ <= entries_.size(); ++first) {
    if (span(entries_[first + n_ - 1].time_ns, entries_[first].time_ns) > within_ns_) continue;
    fired_ = true;
    entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(first + n_), entries_.end());
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(first));
    return true;
  }
  if (entries_.size() > n_) entries_.erase(entries_.begin());
  return false;
}

bool Serd::withdraw(uint32_t hash) {
  const bool counted =
      !fired_ && std::erase_if(entries_, [&](const Entry& e) { return e.hash == hash; }) > 0;
  if (std::find(withdrawn_.begin(), withdrawn_.end(), hash) != withdrawn_.end()) return counted;
  withdrawn_.push_back(hash);
  if (withdrawn_.size() > kWithdrawn) withdrawn_.erase(withdrawn_.begin());
  return counted;
}

bool Serd::supersede(uint32_t hash, int64_t time_ns) {
  std::erase_if(entries_, [&](const Entry& e) { return e.hash == hash && e.time_ns <= time_ns; });
  return std::none_of(entries_.begin(), entries_.end(),
                      [&](const Entry& e) { return e.hash == hash; });
}

bool Serd::knows(uint32_t hash) const {
  return std::find(withdrawn_.begin(), withdrawn_.end(), hash) != withdrawn_.end() ||
         std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& e) { return e.hash == hash; });
}

void Serd::disown(const std::vector<int64_t>& times_ns) {
  fired_ = false;
  std::erase_if(entries_, [&](const Entry& e) {
    return std::find(times_ns.begin(), times_ns.end(), e.time_ns) != times_ns.end();
  });
}

void Serd::reset() {
  fired_ = false;
  entries_.clear();
}

void Serd::configure(uint64_t n, int64_t within_ns) {
  n_ = std::clamp<uint64_t>(n, 1, kMaxCount);
  within_ns_ = std::max<int64_t>(within_ns, 0);
  if (entries_.size() > n_)
    entries_.erase(entries_.begin(), entries_.end() - static_cast<ptrdiff_t>(n_));
}

bool Serd::reconsider(int64_t now_ns) {
  if (fired_ || entries_.size() < n_ || plus(newest_ns(), within_ns_) < now_ns) return false;
  return fired_ = span(newest_ns(), oldest_ns()) <= within_ns_;
}

bool Serd::expired(int64_t now_ns) const {
  if (fired_) return false;
  return entries_.empty() || plus(newest_ns(), std::max(within_ns_, kLate)) < now_ns;
}

nlohmann::json Serd::to_json() const {
  nlohmann::json entries = nlohmann::json::array();
  for (const Entry& e : entries_) entries.push_back({e.time_ns, e.seq, e.tag, e.hash});
  nlohmann::json doc = {
      {"n", n_}, {"within", within_ns_}, {"fired", fired_}, {"entries", std::move(entries)}};
  if (!withdrawn_.empty()) doc["withdrawn"] = withdrawn_;
  return doc;
}

Serd Serd::from_json(const nlohmann::json& doc) {
  if (!doc.is_object()) return Serd(1, 0);
  Serd serd(json_uint(doc, "n", 1), json_int(doc, "within"));
  serd.fired_ = json_bool(doc, "fired");
  if (const auto at = doc.find("withdrawn"); at != doc.end() && at->is_array())
    for (const nlohmann::json& hash : *at)
      if (hash.is_number_unsigned()) serd.withdraw(hash.get<uint32_t>());
  const auto entries = doc.find("entries");
  if (entries == doc.end() || !entries->is_array()) return serd;
  for (const nlohmann::json& e : *entries) {
    const bool numbers =
        e.is_array() && e.size() == 4 &&
        std::all_of(e.begin(), e.end(), [](const auto& n) { return n.is_number_integer(); });
    if (!numbers) continue;
    serd.entries_.push_back(
        {e[0].get<int64_t>(), e[1].get<uint64_t>(), e[2].get<uint32_t>(), e[3].get<uint32_t>()});
  }
  std::stable_sort(serd.entries_.begin(), serd.entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
  serd.configure(serd.n_, serd.within_ns_);
  return serd;
}

}  // namespace fmd
