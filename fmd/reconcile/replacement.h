// Replacement: the disk that replaces a faulted one: whether it fits, and which one is meant. ZFS
// checks most of this as well, but only after it has labelled the disk, which is then no longer
// blank. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/engine.h"
#include "fmd/model/bay_history.h"
#include "fmd/model/unfit.h"
#include "fmd/reconcile/observed.h"

namespace fmd {

struct Fitness {
  Unfit unfit = Unfit::none;
  std::string why;            // for people: "is too small (1 TB; 2 TB are needed)"; "" it fits
  bool waits = false;         // its plugin has not read it yet
  std::optional<int> ashift;  // what a person who insists has to order with it
};

// The disk in place of old_disk (nullptr: not known) in that vdev.
//   size    at least that of the smallest disk of the same top-level vdev, by whose size ZFS goes
//   sector  not above what the vdev was made for: its ashift, or the largest of its disks' sectors
//           where ZFS does not tell (OpenZFS before 2.2)
//   kind    no HDD for an SSD; an SSD for an HDD does no harm
Fitness fitness(const Inventory& inventory, std::string_view asru, const Resource* old_disk,
                const Resource& disk);

// Arguments of the command "replace" that identify the disk. The plugin compares them with the device
// immediately before it overwrites it.
nlohmann::json replacement_args(const Resource& disk);

struct Newcomers {
  // True if the pool's administrator wants a new disk at this device path used (autoreplace=on):
  // another disk, or the same one, blank.
  const Resource* in_place = nullptr;
  const Resource* in_bay = nullptr;        // where the faulted one sat
  std::vector<const Resource*> elsewhere;  // put into other bays since the case was diagnosed
};
// bays: nullptr: not known. What is in use, or sits in a bay where another case waits for its own
// replacement, is none.
Newcomers newcomers(const Engine& engine, const BayHistory* bays, const Case& c, const Suspect& s);

// "the new disk in SLOT 03 (serial NEW)"
std::string new_disk_name(const Inventory& inventory, const Resource& disk);
// Whether the disk is replacing a member and is being filled.
bool is_being_filled(const Inventory& inventory, const Resource& disk);
// "'fmadm replace VDEV DISK --force' uses it anyway, and destroys its contents"
std::string how_to_take(std::string_view asru, const Resource& disk, const Fitness& fit);

// New disks in other bays than that of the part.
struct Offer {
  std::string news;     // "" none
  std::string by_hand;  // the command
  std::string allowed;  // of one that fits: Action::unfit_why
};
Offer offer_of(const Inventory& inventory, std::string_view asru,
               const std::vector<const Resource*>& disks, const Resource* old_disk,
               const std::string& where);

// The new disk is gone or broken before it holds the part's data: what to do about it.
std::string why_unfilled(const Asru& a, const Asru& newcomer);

}  // namespace fmd
