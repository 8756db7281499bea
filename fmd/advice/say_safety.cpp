#include "fmd/advice/say_safety.h"

#include <fmt/format.h>

#include "fmd/advice/old_disk.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/say_lists.h"

namespace fmd {
namespace {

// The bay says that it is empty.
bool is_away(const Inventory& inventory, const Suspect& suspect) {
  const Resource *disk = inventory.find(suspect.fru), *bay = inventory.find(suspect.bay);
  return disk && !disk->present && bay && bay->is("occupied", "false");
}

// A pool, an array or a program uses the disk. Only the disk plugin's reason names programs.
bool is_at_work(const Inventory& inventory, const Resource& disk) {
  return is_used(inventory, disk) ||
         disk.get("content_reason").find("uses it") != std::string::npos;
}

}  // namespace

std::string newcomer_bay(const Situation& s, const SayWorld& world) {
  return resource_words(world.inventory, s.newcomer->fmri);
}

PullSafety proven_safety(const Situation& s, const SayWorld& world) {
  if (!s.suspect || s.state == SayState::repaired) return {};
  const Inventory& inventory = world.inventory;
  const Resource* fru = inventory.find(s.suspect->fru);
  if (s.suspect->fru.starts_with("dev://") && !(fru && fru->type != "disk")) {
    if (s.suspect->fru.starts_with("dev://path=")) return {};
    if (!s.is_disk) return {PullSafety::Answer::no, "fmd does not know which disk is at fault"};
    if (s.new_disk_lost && s.newcomer) return pull_safety(inventory, world.index, s.newcomer->fmri);
    if (s.state == SayState::resilvering && s.newcomer)
      return {PullSafety::Answer::no,
              fmt::format("the disk in {} now is the new one, which is being filled",
                          newcomer_bay(s, world))};
    const bool has_left = s.newcomer && !(fru && fru->present);
    // The case is not about the new disk, which may go again; its steps say so.
    if (has_left && s.state == SayState::unfit_disk && !is_at_work(inventory, *s.newcomer))
      return {};
    if (has_left)
      return {PullSafety::Answer::no,
              fmt::format("the disk in {} now is another one", newcomer_bay(s, world))};
    if (s.state == SayState::disk_pulled || is_away(inventory, *s.suspect)) return {};
    return pull_safety(inventory, world.index, s.suspect->fru);
  }
  const Resource* part =
      inventory.find(s.suspect->fru.empty() ? s.suspect->resource : s.suspect->fru);
  const std::string type = part ? part->type : std::string();
  if (type == "psu") {
    for (const Resource* other : world.index.supplies())
      if (other != part && (other->is("status", "OK") || other->is("status", "ok")) &&
          other->get("enclosure") == part->get("enclosure"))
        return {PullSafety::Answer::yes,
                fmt::format("{} works", resource_words(inventory, other->fmri))};
    return {PullSafety::Answer::no, "fmd cannot see another power supply that works"};
  }
  if (type == "dimm" || type == "cpu" || type == "core" || type == "pci-slot")
    return {PullSafety::Answer::no, "the machine has to be switched off first"};
  if (type == "fan")
    return {PullSafety::Answer::no,
            "fmd cannot see whether it may be pulled while the machine runs"};
  return {};
}

PullSafety advised_safety(const Situation& s, PullSafety proven) {
  if (!proven.yes() || s.state != SayState::waiting_scrub || !s.replaces) return proven;
  return {PullSafety::Answer::no,
          s.spare_follows ? fmt::format("fmd fills a spare first, after the {}", busy_noun(s))
                          : fmt::format("a replacement now would abort the {}", busy_noun(s))};
}

PullSafety safety_of(const Situation& s, const SayWorld& world) {
  return advised_safety(s, proven_safety(s, world));
}

}  // namespace fmd
