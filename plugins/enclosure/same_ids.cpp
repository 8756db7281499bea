#include "plugins/enclosure/same_ids.h"

#include <algorithm>

namespace fmd::enclosure {
namespace {

const Bay* same_slot(const Enclosure& box, const Bay& bay) {
  const auto at = std::find_if(box.bays.begin(), box.bays.end(),
                               [&](const Bay& one) { return one.slot == bay.slot; });
  return at == box.bays.end() ? nullptr : &*at;
}

bool share_a_disk(const Bay& a, const Bay& b) {
  return std::any_of(a.disks.begin(), a.disks.end(), [&](const std::string& disk) {
    return std::find(b.disks.begin(), b.disks.end(), disk) != b.disks.end();
  });
}

bool are_one(const Enclosure& a, const Enclosure& b) {
  return std::any_of(a.bays.begin(), a.bays.end(), [&](const Bay& bay) {
    const Bay* other = same_slot(b, bay);
    return other && share_a_disk(bay, *other);
  });
}

// True if they have different disks in the slot of the same number.
bool are_two(const Enclosure& a, const Enclosure& b) {
  return !are_one(a, b) && std::any_of(a.bays.begin(), a.bays.end(), [&](const Bay& bay) {
    const Bay* other = same_slot(b, bay);
    return other && !bay.disks.empty() && !other->disks.empty();
  });
}

}  // namespace

void SameIds::tell_apart(const std::vector<Enclosure*>& boxes) {
  Names names;
  for (Enclosure* box : boxes) {
    box->id = name_of(*box, boxes);
    if (!box->own_id.empty()) names[box->own_id] = box->id;
  }
  // Afterwards, so that the order of the queries does not matter.
  for (auto& [own, id] : names) names_[own] = std::move(id);
}

std::string SameIds::name_of(const Enclosure& box, const std::vector<Enclosure*>& boxes) const {
  const auto known_as = [this](const Enclosure& one) {
    const auto at = names_.find(one.own_id);
    const bool is_its = at != names_.end() && (at->second == one.logical_id ||
                                               at->second.starts_with(one.logical_id + "-"));
    return is_its ? at->second : std::string();
  };
  const std::string before = known_as(box);
  std::string first = box.own_id, partner;
  bool alone = true, contested = false;
  for (const Enclosure* other : boxes) {
    if (other == &box || other->logical_id != box.logical_id) continue;
    const std::string its = known_as(*other);
    if (are_one(box, *other)) {
      first = std::min(first, other->own_id);
      if (partner.empty()) partner = its;
    } else if (are_two(box, *other)) {
      alone = false;
      contested |= its == before;
    }
  }
  if (!before.empty() && !contested) return before;
  if (before.empty() && !partner.empty()) return partner;
  if (alone || box.own_id.empty()) return box.logical_id;
  return box.logical_id + "-" + first;  // both processors of a shelf get the first one's name
}

}  // namespace fmd::enclosure
