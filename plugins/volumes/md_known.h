// Arrays that fmd-volumes has seen running before. One that is not started has no UUID in sysfs: its
// members tell which it is. The kernel never removes a running array, whatever its disks do: one that
// ran in this boot, and has gone while its members' devices are there, was stopped by a person. Any
// other that is not there is missing. Pure.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "plugins/volumes/md_model.h"

namespace fmd::volumes {

// Gives arrays without a UUID the FMRI, level and size of the known array whose member they have.
void recognise(MdScan& scan, const MdMemory& memory);
// Learns what runs; forgets an array whose member is now in another one.
void note_arrays(const MdScan& scan, std::string_view boot, MdMemory& memory);
// Notes which required specs lead to each array, and whether it is on removable media. After note().
void note_needs(const MdScan& scan, const Needs& needs, MdMemory& memory);
// "sdb (serial ZA1), sdc (serial ZA2)": the known members of the array that are listed, or are not; "none known".
std::string members_there(const MdArray& array);
std::string members_missing(const MdArray& array, const MdMemory& memory);
// Arrays that have run before, that the kernel has no device for and that the machine misses; their health is "stopped" or
// "missing".
std::map<std::string, nlohmann::json> missing_arrays(const MdScan& scan, const MdMemory& memory,
                                                     const Needs& needs);

}  // namespace fmd::volumes
