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

bool Flights::due(const Slot& slot, int64_t now_ns) const {
  const auto at = waits_.find(slot);
  return at == waits_.end() || at->second.not_before_ns <= now_ns;
}

void Flights::confirm(const Slot& slot, int64_t now_ns) {
  waits_[slot] = {add_times(now_ns, kConfirmNs), 0};
  look_at(slot.part, add_times(now_ns, kConfirmNs));
}

void Flights::back_off(const Slot& slot, int64_t now_ns, int64_t first_ns, int64_t most_ns) {
  Wait& wait = waits_[slot];
  int64_t length = first_ns;
  for (int i = 0; i < wait.failures && length < most_ns; ++i) length *= 2;
  ++wait.failures;
  wait.not_before_ns = add_times(now_ns, std::min(length, most_ns));
  look_at(slot.part, wait.not_before_ns);
}

void Flights::reset(const Slot& slot) {
  waits_.erase(slot);
}

void Flights::forget(std::string_view part) {
  std::erase_if(waits_, [&](const auto& entry) { return entry.first.part == part; });
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
