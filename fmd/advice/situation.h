// Situation: what a case's first faulty part is, and how far its replacement has come, according to
// the inventory and the case's actions. say.cpp turns it into sentences. Pure.
#pragma once
#include <string>

#include "fmd/advice/say.h"

namespace fmd {

struct Situation {
  SayState state = SayState::diagnosed;  // before dry run and maintenance
  const Suspect* suspect = nullptr;      // the first that is faulty, else the first; nullptr: none
  const Resource* vdev = nullptr;        // the pool's or array's member on its disk
  const Resource* btrfs = nullptr;       // the device of a btrfs file system on its disk
  const Resource* storage = nullptr;     // the pool, array or btrfs file system
  const Resource* idle_spare = nullptr;  // the hot spare on its disk that is not in use
  const Resource* newcomer = nullptr;    // another disk in its bay
  bool is_disk = false;                  // the part to replace is a single disk
  bool present = false;                  // it is a single disk, and present
  bool replaces = false;                 // the case asks for the disk's replacement
  bool automatic = false;                // a blank disk in the same bay is taken
  bool new_is_taken = false;             // ...or will be, once the old one is pulled
  bool spare_stays = false;              // md: the spare is the member from now on
  bool superseded = false;               // md: a spare has become the member and holds all data
  bool only_copy = false;                // it may hold the only copy of some data
  bool out = false;                      // the member is not in use
  bool new_disk_lost = false;            // it has left or failed before it held all data
  bool spare_follows = false;            // fmd fills one when the scrub has ended
  int ailing = 0;                        // disks of the storage that are degraded or out of use
  std::string name;                      // "SLOT 04"
  std::string spare;                     // the disk in its place: "SLOT 07"; "": none
};

Situation situation_of(const Case& c, const SayWorld& world);
// Three disks rarely fail at once. The order is about the disk itself only after a shared cause is ruled out.
bool may_share_cause(const Case& c, const Situation& s);
// fmd knows the bay, and may take a new disk from it by itself.
bool takes_from_bay(const Situation& s, const SayWorld& world);

}  // namespace fmd
