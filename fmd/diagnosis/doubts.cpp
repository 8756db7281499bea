#include "fmd/diagnosis/doubts.h"

#include <algorithm>

namespace fmd {

void Doubts::file(const std::string& uuid, std::vector<Place> places) {
  changed_.insert(uuid);
  std::vector<Place>& known = places_[uuid];
  for (const Place& place : known) take_out(uuid, place);
  for (const Place& place : places) add(uuid, place);
  known = std::move(places);
  if (known.empty()) places_.erase(uuid);
}

void Doubts::add(const std::string& uuid, const Place& place) {
  for (const Hanging::Id one : place.above) below_[{place.common, one}][place.part].insert(uuid);
}

// Two suspects of a case may be about the same part.
void Doubts::take_out(const std::string& uuid, const Place& place) {
  for (const Hanging::Id one : place.above) {
    const auto at = below_.find({place.common, one});
    if (at == below_.end()) continue;
    Parts& parts = at->second;
    const auto part = parts.find(place.part);
    if (part == parts.end()) continue;
    part->second.erase(uuid);
    if (!part->second.empty()) continue;
    parts.erase(part);
    if (parts.size() + 1 == place.common->count)
      for (const auto& [other, cases] : parts) changed_.insert(cases.begin(), cases.end());
    if (parts.empty()) below_.erase(at);
  }
}

std::set<std::string> Doubts::take_alone() {
  std::set<std::string> out = std::exchange(changed_, {});
  std::erase_if(out, [this](const std::string& uuid) { return has_company(uuid); });
  return out;
}

bool Doubts::has_company(const std::string& uuid) const {
  const auto known = places_.find(uuid);
  return known != places_.end() &&
         std::any_of(known->second.begin(), known->second.end(), [&](const Place& place) {
           return std::any_of(place.above.begin(), place.above.end(), [&](Hanging::Id one) {
             return below_.at({place.common, one}).size() >= place.common->count;
           });
         });
}

}  // namespace fmd
