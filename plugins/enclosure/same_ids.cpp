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

// They have different disks in a slot of one number.
bool are_two(const Enclosure& a, const Enclosure& b) {
  return !are_one(a, b) && std::any_of(a.bays.begin(), a.bays.end(), [&](const Bay& bay) {
    const Bay* other = same_slot(b, bay);
    return other && !bay.disks.empty() && !other->disks.empty();
  });
}

}  // namespace

void SameIds::tell_apart(const std::vector<Enclosure*>& boxes) {
  for (Enclosure* box : boxes) {
    const bool alone = std::none_of(boxes.begin(), boxes.end(), [&](const Enclosure* other) {
      return other != box && other->logical_id == box->logical_id && are_two(*box, *other);
    });
    const auto before = apart_.find(box->own_id);
    box->id = before != apart_.end() ? before->second : box->logical_id;
    if (alone || before != apart_.end() || box->own_id.empty()) continue;
    // Both processors of it take the name of the first.
    std::string name = box->own_id;
    for (const Enclosure* other : boxes)
      if (other->logical_id == box->logical_id && are_one(*box, *other))
        name = std::min(name, other->own_id);
    box->id = apart_[box->own_id] = box->logical_id + "-" + name;
  }
}

}  // namespace fmd::enclosure
