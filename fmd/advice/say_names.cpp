#include "fmd/advice/say_names.h"

#include <optional>
#include <utility>

#include "fmd/advice/names_in_text.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/say_lists.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri_in_text.h"

namespace fmd {
namespace {

constexpr size_t kLongestScrubbed = 40;

// The disk is in use in one place: then commands on that vdev take the disk's name.
bool is_used_once(const Situation& s, const Inventory& inventory) {
  return s.vdev && inventory.parents(s.suspect->fru, Relation::redundancy).size() <= 1;
}

// Rules about a disk cannot name its pool, so their texts have POOL.
void name_the_pool(const Situation& s, const Inventory& inventory, std::string& text) {
  constexpr std::string_view kScrub = "'zpool scrub POOL'";
  if (!s.is_disk || !s.storage || s.storage->type != "zfs-pool" || !is_used_once(s, inventory))
    return;
  if (const size_t at = text.find(kScrub); at != text.npos)
    text.replace(at, kScrub.size(),
                 "'zpool scrub " + display(s.storage->get("name"), kLongestScrubbed) + "'");
}

}  // namespace

CaseNames::CaseNames(const Situation& s, const SayWorld& world)
    : inventory_(world.inventory), index_(world.index) {
  if (!s.suspect) return;
  const Suspect& suspect = *s.suspect;
  const std::string own = command_name(inventory_, index_, suspect);
  for (const std::string& fmri : {suspect.resource, suspect.asru})
    in_command_[fmri] = is_used_once(s, inventory_) && s.vdev->fmri == fmri
                            ? own
                            : name_for_command(inventory_, index_, fmri);
  in_command_[suspect.fru.empty() ? suspect.asru : suspect.fru] = own;
  if (s.newcomer)
    in_command_[s.newcomer->fmri] = command_name(inventory_, index_, s.newcomer->fmri);
  in_command_.erase("");
}

std::string CaseNames::in(std::string text) const {
  return replace_fmris(std::move(text),
                       [&](const std::string& fmri, bool in_command) -> std::optional<std::string> {
                         const auto own = in_command_.find(fmri);
                         if (in_command && own != in_command_.end()) return own->second;
                         if (!inventory_.find(fmri)) return std::nullopt;
                         return in_command ? name_for_command(inventory_, index_, fmri)
                                           : resource_words(inventory_, fmri);
                       });
}

void name_the_parts(const Situation& s, const SayWorld& world, Say& say) {
  if (!s.suspect) return;
  const CaseNames names(s, world);
  const auto name_all = [&](std::string& text) {
    name_the_pool(s, world.inventory, text);
    text = names.in(std::move(text));
  };
  name_all(say.do_now);
  for (auto* list : {&say.steps, &say.done, &say.next, &say.disagree})
    for (std::string& text : *list) name_all(text);
}

void acquit_by_case(const Case& c, const Situation& s, const SayWorld& world, Say& say) {
  if (!s.suspect) return;
  const std::string by_part =
      "fmadm acquit " + command_name(world.inventory, world.index, *s.suspect);
  for (std::string& text : say.disagree)
    if (const size_t at = text.find(by_part); at != text.npos)
      text.replace(at, by_part.size(), "fmadm acquit " + short_id(c.uuid));
}

}  // namespace fmd
