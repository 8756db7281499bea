#include "fmd/advice/say_names.h"

#include <cctype>
#include <map>
#include <utility>

#include "fmd/advice/names_in_text.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/say_lists.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr size_t kLongestScrubbed = 40;

// Whether what follows a name belongs to it: "zfs://pool=7" is not "zfs://pool=7/vdev=4".
bool goes_on(std::string_view after) {
  if (after.empty()) return false;
  const char c = after.front();
  return std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '=' || c == '-';
}

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

void name_the_parts(const Situation& s, const SayWorld& world, Say& say) {
  if (!s.suspect) return;
  const Suspect& suspect = *s.suspect;
  std::map<std::string, std::string> names;
  const std::string& part = suspect.fru.empty() ? suspect.asru : suspect.fru;
  const std::string own = command_name(world.inventory, world.index, suspect);
  for (const std::string& fmri : {suspect.resource, suspect.asru})
    names[fmri] = is_used_once(s, world.inventory) && s.vdev->fmri == fmri
                      ? own
                      : command_name(world.inventory, world.index, fmri);
  names[part] = own;
  if (s.newcomer)
    names[s.newcomer->fmri] = command_name(world.inventory, world.index, s.newcomer->fmri);
  names.erase("");
  const auto rename = [&](std::string& text) {
    for (const auto& [fmri, name] : names)
      for (size_t at = 0; (at = text.find(fmri, at)) != text.npos; at += name.size())
        if (!goes_on(std::string_view(text).substr(at + fmri.size())))
          text.replace(at, fmri.size(), name);
  };
  const auto name_all = [&](std::string& text) {
    rename(text);
    name_the_pool(s, world.inventory, text);
    text = with_names(world.inventory, world.index, std::move(text));
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
