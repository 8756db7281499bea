#include "fmd/advice/declared_repaired.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/advice/part_names.h"
#include "fmd/advice/storage.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

// The suspect that is still there, and no longer held to be faulty.
const Suspect* repaired_in_place(const Case& c, const Inventory& inventory) {
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::repaired || s.facts.contains(kLeftPool)) continue;
    const Resource* part = inventory.find(s.fru.empty() ? s.resource : s.fru);
    if (part && part->present) return &s;
  }
  return nullptr;
}

// Why it counts as repaired: "its errors in ZFS were cleared", "an administrator says so"; "" otherwise.
std::string_view declared_reason(const Case& c) {
  const auto last = std::find_if(c.timeline.rbegin(), c.timeline.rend(),
                                 [](const TimelineEntry& e) { return e.kind == "repaired"; });
  if (last == c.timeline.rend()) return {};
  if (last->text.starts_with("sysevent.fs.zfs.vdev_clear on "))
    return "its errors in ZFS were cleared";
  return last->text.starts_with(kRepairedBy) ? "an administrator has said so" : "";
}

}  // namespace

std::string declared_words(const Case& c, const Inventory& inventory) {
  const Suspect* s = repaired_in_place(c, inventory);
  const std::string_view reason = s ? declared_reason(c) : std::string_view();
  if (reason.empty()) return {};
  return fmt::format("{} counts as repaired because {}", suspect_words(inventory, *s), reason);
}

std::string test_words(const Case& c, const Inventory& inventory) {
  const Suspect* s = repaired_in_place(c, inventory);
  const Resource* pool = s ? storage_of(inventory, s->resource) : nullptr;
  if (!pool || pool->type != "zfs-pool" || !s->fru.starts_with("dev://")) return {};
  return fmt::format("'zpool scrub {}' reads the whole disk", display(pool->get("name"), 60));
}

}  // namespace fmd
