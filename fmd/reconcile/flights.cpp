#include "fmd/reconcile/flights.h"

#include <algorithm>

#include "fmd/base/moment.h"

namespace fmd {
bool Flights::end(const std::string& part, const std::string& key) {
  const auto at = flying_.find(part);
  if (at == flying_.end() || at->second != key) return false;
  flying_.erase(at);
  return true;
}

bool Flights::due(const Slot& slot, const Facts& facts, int64_t now_ns) const {
  const auto at = waits_.find(slot);
  return at == waits_.end() || at->second.not_before_ns <= now_ns || at->second.facts != facts;
}

bool Flights::waits(const Slot& slot, int64_t now_ns) const {
  const auto at = waits_.find(slot);
  return at != waits_.end() && at->second.not_before_ns > now_ns;
}

void Flights::wait(const Slot& slot, const Facts& facts, int64_t now_ns, int64_t first_ns,
                   int64_t most_ns) {
  Wait& wait = waits_[slot];
  if (wait.facts != facts) wait.in_a_row = 0;
  int64_t length = first_ns;
  for (int i = 0; i < wait.in_a_row && length < most_ns; ++i) length *= 2;
  ++wait.in_a_row;
  wait.facts = facts;
  wait.not_before_ns = add_times(now_ns, std::min(length, most_ns));
  look_at(slot.part, wait.not_before_ns);
}

void Flights::confirm(const Slot& slot, const Facts& facts, int64_t now_ns) {
  wait(slot, facts, now_ns, kConfirmNs, kRareNs);
}

void Flights::until_changed(const Slot& slot, const Facts& facts) {
  waits_[slot] = {INT64_MAX, 0, facts};
  for_change_[slot.part].insert(slot);
}

void Flights::seen(const std::string& part, std::string_view world) {
  const auto waiting = for_change_.find(part);
  if (waiting == for_change_.end()) return;
  std::erase_if(waiting->second, [&](const Slot& slot) {
    const auto at = waits_.find(slot);
    const bool waits = at != waits_.end() && at->second.not_before_ns == INT64_MAX;
    if (waits && at->second.facts.world == world) return false;
    if (waits) waits_.erase(at);
    return true;
  });
  if (waiting->second.empty()) for_change_.erase(waiting);
}

void Flights::back_off(const Slot& slot, const Facts& facts, bool refused, int64_t now_ns,
                       int64_t first_ns, int64_t most_ns) {
  const auto at = waits_.find(slot);
  const bool long_ago = at != waits_.end() && at->second.in_a_row >= kFailuresOfAnHour;
  wait(slot, facts, now_ns, first_ns, refused || long_ago ? kRareNs : most_ns);
}

void Flights::reset(const Slot& slot) {
  waits_.erase(slot);
}

void Flights::forget(std::string_view part) {
  std::erase_if(waits_, [&](const auto& entry) { return entry.first.part == part; });
  if (const auto at = for_change_.find(part); at != for_change_.end()) for_change_.erase(at);
}

void Flights::look_at(const std::string& part, int64_t at_ns) {
  looks_.insert({at_ns, part});
}

std::optional<int64_t> Flights::next_ns() const {
  if (looks_.empty()) return {};
  return looks_.begin()->first;
}

std::set<std::string> Flights::take_due(int64_t now_ns) {
  std::set<std::string> parts;
  while (!looks_.empty() && looks_.begin()->first <= now_ns) {
    parts.insert(looks_.begin()->second);
    looks_.erase(looks_.begin());
  }
  return parts;
}

}  // namespace fmd
