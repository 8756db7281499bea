#include "fmd/diagnosis/blame/items.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "fmd/base/moment.h"

namespace fmd::blame {
namespace {

bool is_new_trouble(const Item& item, int64_t now_ns) {
  const auto expires = item.expires_ns(Items::kDay);
  return item.end_ns.has_value() || (expires && now_ns > *expires);
}

// Hard items are kept longer, because they are evidence for their bay.
int64_t removed_ns(const Item& item) {
  return item.expires_ns(item.hard ? Items::kKeptForBay : Items::kDay).value_or(INT64_MAX);
}

}  // namespace

bool Item::counts() const {
  if (hard) return true;
  const uint8_t least = way == Way::data || link ? 2 : Items::kMany;
  return signs >= least;
}

bool Item::is_before(const Item& other) const {
  const auto rank = [](const Item& i) {
    return std::tuple(i.onset_ns, !i.hard, i.left, i.link, i.scan, std::string_view(i.part));
  };
  return rank(*this) < rank(other);
}

std::optional<int64_t> Item::expires_ns(int64_t kept_ns) const {
  if (end_ns) return add_times(*end_ns, kept_ns);
  if (hard) return {};
  return add_times(last_ns, kept_ns);
}

const Item* Items::find(std::string_view part, Way way) const {
  const auto at = items_.find(View(part, way));
  return at == items_.end() ? nullptr : &at->second;
}

Items::Change Items::sign(const std::string& part, Way way, const Sign& sign, int64_t now_ns) {
  const Key key{part, way};
  auto at = items_.find(key);
  if (at != items_.end() && is_new_trouble(at->second, now_ns)) {
    erase(at);
    at = items_.end();
  }
  const bool is_new = at == items_.end();
  if (is_new) {
    if (is_full()) {
      ++refused_;
      return Change::none;
    }
    at = items_.emplace(key, Item()).first;
    at->second.part = part;
    at->second.way = way;
    at->second.onset_ns = at->second.last_ns = now_ns;
    at->second.undated = sign.undated;
  }
  Item& item = at->second;
  const Item before = item;
  if (sign.hard && (!item.hard || (item.undated && !sign.undated)) && !is_new)
    item.onset_ns = now_ns;
  if (sign.hard) item.undated &= sign.undated;
  item.hard |= sign.hard;
  item.left |= sign.left;
  item.own |= sign.own;
  item.link |= sign.link;
  item.scan &= sign.scan;
  if (!item.hard) item.signs = static_cast<uint8_t>(std::min<int>(item.signs + 1, kMany));
  if (!item.hard && now_ns - item.last_ns >= kRefresh) item.last_ns = now_ns;
  next_expiry_ns_ = std::min(next_expiry_ns_, removed_ns(item));
  const bool evidence = is_new || item.hard != before.hard || item.left != before.left ||
                        item.undated != before.undated || item.own != before.own ||
                        item.link != before.link || item.scan != before.scan ||
                        item.signs != before.signs;
  if (!evidence && item.last_ns == before.last_ns) return Change::none;
  changed_.insert(key);
  return evidence ? Change::evidence : Change::expiry;
}

bool Items::withdraw(const std::string& part, Way way) {
  const auto at = items_.find({part, way});
  if (at == items_.end() || at->second.hard || at->second.end_ns) return false;
  changed_.insert(at->first);
  if (at->second.signs <= 1)
    items_.erase(at);
  else
    --at->second.signs;
  return true;
}

bool Items::over(const std::string& part, Way way, int64_t now_ns) {
  const auto at = items_.find({part, way});
  if (at == items_.end() || at->second.end_ns) return false;
  at->second.end_ns = now_ns;
  next_expiry_ns_ = std::min(next_expiry_ns_, removed_ns(at->second));
  changed_.insert(at->first);
  return true;
}

bool Items::forget(const std::string& part, Way way) {
  const auto at = items_.find({part, way});
  if (at == items_.end()) return false;
  erase(at);
  return true;
}

void Items::restore(Item item) {
  if (is_full()) {
    ++refused_;
    return;
  }
  next_expiry_ns_ = std::min(next_expiry_ns_, removed_ns(item));
  const Key key{item.part, item.way};
  items_.insert_or_assign(key, std::move(item));
}

bool Items::expire(int64_t now_ns) {
  if (now_ns <= next_expiry_ns_) return false;
  bool any = false;
  next_expiry_ns_ = INT64_MAX;
  for (auto at = items_.begin(); at != items_.end();) {
    const auto next = std::next(at);
    if (removed_ns(at->second) < now_ns) {
      erase(at);
      any = true;
    } else {
      next_expiry_ns_ = std::min(next_expiry_ns_, removed_ns(at->second));
    }
    at = next;
  }
  return any;
}

std::optional<Items::Key> Items::make_room() {
  auto first = items_.end();
  for (auto at = items_.begin(); at != items_.end(); ++at)
    if (at->second.end_ns && (first == items_.end() || *at->second.end_ns < *first->second.end_ns))
      first = at;
  if (first == items_.end()) return {};
  Key removed = first->first;
  erase(first);
  return removed;
}

void Items::mark_all_changed() {
  for (const auto& [key, item] : items_) changed_.insert(key);
}

void Items::erase(All::iterator at) {
  changed_.insert(at->first);
  items_.erase(at);
}

}  // namespace fmd::blame
