// The orders of a Say after the diagnosis: a disk was pulled, its replacement does not fit or is
// being filled, the part is repaired, or the pool has lost too many disks. Pure.
#pragma once
#include <string>
#include <vector>

#include "fmd/advice/situation.h"

namespace fmd {

struct Orders {
  std::string do_now;
  std::vector<std::string> steps;
};

bool was_acquitted(const Case& c);
// The first eight digits of the case that explains this one: that acquitted it, not a person; "" none.
std::string explaining_case(const Case& c);
bool has_bay(const Situation& s);
// "SLOT 04 (serial Z1Y0ABCD)".
std::string disk_named(const Situation& s);
// "the disk in SLOT 04 (serial Z1Y0ABCD)"; without a bay "disk Z1Y0ABCD".
std::string the_disk(const Situation& s);
// Of a disk in a bay with a name: "'fmadm locate on "SLOT 04"' lights the locate LED of SLOT 04."
std::string locate_step(const Situation& s, const SayWorld& world);
// Placeholder for the new disk's device in commands of zpool, mdadm and btrfs. (fmadm's commands have
// NEW-DISK, because fmadm also accepts a bay or a serial number.)
inline constexpr const char* kNewDevice = "NEW-DEVICE";
// After the first step with such a command, adds a step that names the command printing the device.
void explain_new_device(const Situation& s, const std::string& do_now,
                        std::vector<std::string>& steps);
// zpool refuses a disk without a label. After the first command that gives a pool a disk not known to
// be blank, adds a step that says when to use -f.
void explain_no_label(const std::string& do_now, std::vector<std::string>& steps);
// "'fmadm replace "SLOT 04" NEW-DISK'"; newcomer: in place of NEW-DISK or NEW-DEVICE.
std::string replace_command(const Situation& s, const SayWorld& world,
                            const Resource* newcomer = nullptr);
// Adds a step: why fmd does not use the new disk, and the command that makes fmd use it.
void unfit_steps(const Case& c, Orders& out);

// Until the spare or the new disk holds the data, the pool survives fewer failures.
std::string other_disks_step(const Situation& s);
Orders pulled_orders(const Case& c, const Situation& s, const SayWorld& world);
Orders unfit_orders(const Case& c, const Situation& s, const SayWorld& world);
Orders bring_back_orders(const Situation& s);
Orders resilvering_orders(const Situation& s, const SayWorld& world);
Orders repaired_orders(const Case& c, const SayWorld& world);
// Its pool works without it already (kLetGo).
Orders let_go_orders(const Case& c, const Situation& s, const SayWorld& world);

}  // namespace fmd
