#include "fmd/daemon/arrivals.h"

#include <algorithm>

#include "fmd/model/self_events.h"

namespace fmd {

void Arrivals::started(const Inventory& inventory, int64_t now_ns) {
  unheard_of_until_ns_ = now_ns + kUnheardOfNs;
  for (const auto& [fmri, resource] : inventory.all())
    if (resource.type == "disk" || resource.type == "bay")
      for (const std::string& source : resource.sources)
        if (source != kSelfSource) until_[source] = now_ns + kKnownNs;
}

void Arrivals::connected(const std::string& plugin, int64_t now_ns) {
  until_[plugin] = std::max(until_[plugin], now_ns + kFirstWordNs);
}

void Arrivals::told(const std::string& plugin) {
  until_.erase(plugin);
}

bool Arrivals::expected(int64_t now_ns) const {
  return now_ns < unheard_of_until_ns_ ||
         std::any_of(until_.begin(), until_.end(),
                     [now_ns](const auto& entry) { return now_ns < entry.second; });
}

bool Arrivals::expected_for(const Suspect& suspect, int64_t now_ns) const {
  // fmd's own parts, plugins and store, sit in no bay.
  return !suspect.resource.starts_with("fmd://") && expected(now_ns);
}

std::optional<int64_t> Arrivals::next_deadline_ns(int64_t now_ns) const {
  std::optional<int64_t> last;
  if (now_ns < unheard_of_until_ns_) last = unheard_of_until_ns_;
  for (const auto& [plugin, until_ns] : until_)
    if (now_ns < until_ns) last = std::max(last.value_or(until_ns), until_ns);
  return last;
}

}  // namespace fmd
