// No healthy part is retired. Checks after the loss of fmd's database: older events are no evidence,
// and fmd's earlier actions have an owner again.
#include <fmt/format.h>

#include "names.h"
#include "watch.h"

namespace fmd::histories {
namespace {

// The key of a command begins with the id of its case.
std::string_view case_of_key(std::string_view key) {
  return key.substr(0, key.find(':'));
}

}  // namespace

// fmd knows earlier actions only from the plugins: parts that show a command's key stay counted.
void Watch::database_lost() {
  is_database_lost_ = true;
  outstanding_.clear();
  std::erase_if(taken_, [&](const auto& taken) {
    return world_.leafs[static_cast<size_t>(taken.first)].retired_by.empty();
  });
  unadopted_.clear();
  for (const auto& [leaf, since] : taken_) unadopted_.insert(leaf);
  acquitted_.clear();
  acquitting_.clear();
  noticed_.clear();
  note_states();
}

// A state that ZFS shows after the loss is evidence, just as an error is.
void Watch::note_states() {
  for (size_t i = 0; i < world_.leafs.size(); ++i) {
    const VdevState state = world_.state(static_cast<int>(i));
    if (state != VdevState::online && state != VdevState::inuse && state != VdevState::avail)
      noticed_.insert(static_cast<int>(i));
  }
}

void Watch::note_places() {
  for (size_t i = 0; i < world_.disks.size(); ++i)
    if (world_.disks[i].bay >= 0) been_in_.insert({static_cast<int>(i), world_.disks[i].bay});
}

// The action's case is open, or is lost until a new case takes over the action.
bool Watch::has_reason(const Case* c, std::string_view uuid) const {
  return c ? c->open() : daemon_.is_of_lost_database(uuid);
}

// Whatever plugins report that own nothing of it.
void Watch::check_healthy(const Command& command, int leaf) {
  if ((is_database_lost_ && is_clock_set_back_) || noticed_.contains(leaf)) return;
  const int on = world_.leafs[static_cast<size_t>(leaf)].disk;
  const Disk& disk = world_.disks[static_cast<size_t>(on)];
  if (disk.smart_failed || disk.reallocated > 0 || smart_.contains(on)) return;
  violated(is_database_lost_ ? "lost database" : "hearsay",
           fmt::format("no fault of {} was seen{}, and it is taken out of service [{}]",
                       world_.leaf_name(leaf),
                       is_database_lost_ ? " since fmd lost its database" : "", command.key));
}

void Watch::check_evidence() {
  if (!is_database_lost_ || is_clock_set_back_) return;
  for (const auto& [uuid, c] : daemon_.engine().cases())
    for (const Evidence& one : c.evidence)
      if (one.event_class.str().starts_with("ereport.fs.zfs.") &&
          one.time_ns < daemon_.evidence_from_ns())
        return violated(
            "lost database",
            fmt::format("{} counts an event that is older than the "
                        "loss of the database, about {}",
                        uuid, c.suspects.empty() ? "nothing yet" : c.suspects.front().resource));
}

// A disk was retired for a lost case: a new case or a person owns its LED and switches it off.
void Watch::verdict_of_adopted_light(int bay) {
  const Bay& b = world_.bays[static_cast<size_t>(bay)];
  const int disk = world_.disk_in(bay), leaf = disk < 0 ? -1 : world_.leaf_on(disk);
  if (!b.known || !b.fault || b.fault_by == LitBy::other || b.led != LedShape::works || leaf < 0 ||
      !world_.slot_of(leaf))
    return;
  const std::string& key = world_.leafs[static_cast<size_t>(leaf)].retired_by;
  if (!daemon_.is_of_lost_database(case_of_key(key))) return;
  if (!daemon_.reconciler().interventions().find(InterventionKind::fault_led, bay_fmri(bay)))
    violated("lost database", fmt::format("the fault LED of SLOT {:02} is lit for what fmd did "
                                          "before ({}), and its table does not say so",
                                          bay, key));
}

}  // namespace fmd::histories
