#include "fmd/advice/say_safety.h"

#include <fmt/format.h>

#include <utility>

#include "fmd/advice/absent_disk.h"
#include "fmd/advice/old_disk.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/say_lists.h"
#include "fmd/advice/storage.h"
#include "fmd/base/text.h"
#include "fmd/model/bay_verified.h"
#include "fmd/model/only_copy.h"

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

PullSafety with_caution(const Situation& s, const Inventory& inventory, PullSafety safe) {
  const Resource* bay = s.suspect ? inventory.find(s.suspect->bay) : nullptr;
  if (safe.yes() && bay && is_from_drawing(*bay))
    safe.why += fmt::format("{}{}", safe.why.empty() ? "" : "; ", kCheckByBlink);
  return safe;
}

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
    if (s.new_disk_lost && s.newcomer) return pull_safety(inventory, s.newcomer->fmri);
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
    if (is_let_go(inventory, *s.suspect))
      return {PullSafety::Answer::yes,
              fmt::format("pool {} no longer uses it", display(s.suspect->facts.at(kLetGo), 40))};
    return pull_safety(inventory, s.suspect->fru);
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

bool waits_for_others(const Situation& s, const Inventory& inventory) {
  const bool before = s.state == SayState::diagnosed || s.state == SayState::spare_holds_all ||
                      s.state == SayState::out_of_service;
  return before && s.replaces && s.vdev && s.storage && !s.superseded &&
         s.storage->is("scan", "resilver") && is_current(inventory, *s.storage);
}

PullSafety advised_safety(const Situation& s, const SayWorld& world, PullSafety proven) {
  if (!proven.yes() || !s.replaces) return proven;
  const auto no = [](std::string why) {
    return PullSafety{PullSafety::Answer::no, std::move(why)};
  };
  if (const auto absent = absent_disk_of(s, world))
    return no(absent->awaits_new ? fmt::format("{} gets its new disk first", absent->name)
                                 : fmt::format("{} comes back first", absent->name));
  if (s.state == SayState::waiting_scrub)
    return no(s.spare_follows ? fmt::format("fmd fills a spare first, after the {}", busy_noun(s))
                              : fmt::format("a replacement now would abort the {}", busy_noun(s)));
  if (waits_for_others(s, world.inventory))
    return no("another disk is being filled, and comes first");
  return proven;
}

PullSafety safety_of(const Situation& s, const SayWorld& world) {
  return advised_safety(s, world, proven_safety(s, world));
}

}  // namespace fmd
