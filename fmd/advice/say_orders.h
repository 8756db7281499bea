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
// "'fmadm replace "SLOT 04" NEW-DISK'"; newcomer: in place of NEW-DISK.
std::string replace_command(const Situation& s, const SayWorld& world,
                            const Resource* newcomer = nullptr);
// Why the new disk cannot be used, and what allows it.
void unfit_steps(const Case& c, Orders& out);

Orders pulled_orders(const Situation& s, const SayWorld& world);
Orders unfit_orders(const Case& c, const Situation& s, const SayWorld& world);
Orders bring_back_orders(const Situation& s);
Orders resilvering_orders(const Situation& s, const SayWorld& world);
Orders repaired_orders(const Case& c, const SayWorld& world);

}  // namespace fmd
