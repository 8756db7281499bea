#include "plugins/zfs/eid_tracker.h"

#include <algorithm>
#include <charconv>

namespace fmd::zfs {
namespace {

constexpr int64_t kPatienceNs = 1000000000;

template <class Number>
bool to_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Whether the ring belongs to the cursor's epoch, as far as can be determined.
bool same_epoch(const EventCursor& cursor, std::string_view boot_id,
                const std::vector<std::pair<uint64_t, int64_t>>& ring) {
  if (cursor.boot != boot_id) return false;
  uint64_t highest = 0;
  for (const auto& [eid, time_ns] : ring) {
    highest = std::max(highest, eid);
    if (eid == cursor.eid && cursor.time_ns && time_ns != cursor.time_ns) return false;
  }
  return ring.empty() || highest >= cursor.eid;  // empty after `zpool events -c`
}

}  // namespace

std::string EventCursor::str() const {
  if (boot.empty()) return "";
  return boot + ":" + std::to_string(eid) + ":" + std::to_string(time_ns);
}

EventCursor EventCursor::parse(std::string_view text) {
  EventCursor cursor;
  const size_t first = text.find(':');
  if (first == std::string_view::npos) return cursor;
  const size_t second = std::min(text.find(':', first + 1), text.size());
  uint64_t eid = 0;
  int64_t time_ns = 0;
  if (!to_number(text.substr(first + 1, second - first - 1), eid)) return cursor;
  if (second < text.size() && !to_number(text.substr(second + 1), time_ns)) return cursor;
  cursor.boot = text.substr(0, first);
  cursor.eid = eid;
  cursor.time_ns = time_ns;
  return cursor;
}

void EidTracker::begin(const EventCursor& cursor, std::string_view boot_id,
                       const std::vector<std::pair<uint64_t, int64_t>>& ring) {
  boot_ = boot_id;
  gaps_.clear();
  if (same_epoch(cursor, boot_id, ring)) {
    skip_to_ = last_ = cursor.eid;
    last_time_ns_ = cursor.time_ns;
    count_from_start_ = true;
  } else {
    skip_to_ = last_ = 0;
    last_time_ns_ = 0;
    count_from_start_ = !cursor.boot.empty();  // at the first start, nothing was missed
  }
}

bool EidTracker::fill(uint64_t eid) {
  for (size_t i = 0; i < gaps_.size(); ++i) {
    const Gap gap = gaps_[i];
    if (eid < gap.from || eid > gap.to) continue;
    gaps_.erase(gaps_.begin() + static_cast<ptrdiff_t>(i));
    if (eid < gap.to)
      gaps_.insert(gaps_.begin() + static_cast<ptrdiff_t>(i), {eid + 1, gap.to, gap.seen_ns});
    if (eid > gap.from)
      gaps_.insert(gaps_.begin() + static_cast<ptrdiff_t>(i), {gap.from, eid - 1, gap.seen_ns});
    return true;
  }
  return false;
}

EidTracker::Verdict EidTracker::take(uint64_t eid, int64_t time_ns, int64_t now_ns) {
  if (eid <= skip_to_) return Verdict::old;
  if (eid <= last_) return fill(eid) ? Verdict::fresh : Verdict::foreign;
  if (eid > last_ + 1 && count_from_start_) gaps_.push_back({last_ + 1, eid - 1, now_ns});
  count_from_start_ = true;
  last_ = eid;
  last_time_ns_ = time_ns;
  return Verdict::fresh;
}

void EidTracker::rewind(uint64_t eid) {
  last_ = std::min(last_, eid);
  std::erase_if(gaps_, [&](const Gap& gap) { return gap.from > eid; });
}

std::vector<EidTracker::Gap> EidTracker::lost(int64_t now_ns) {
  std::vector<Gap> result;
  std::erase_if(gaps_, [&](const Gap& gap) {
    if (now_ns - gap.seen_ns < kPatienceNs) return false;
    result.push_back(gap);
    return true;
  });
  return result;
}

}  // namespace fmd::zfs
