// Arrays that fmd-volumes has seen running. An array that is not started has no UUID in sysfs; it
// is recognised by its members. The kernel never removes a running array, whatever happens to its
// disks: one that ran in this boot and disappeared while its members' devices exist was stopped by
// a person. Any other absent array is missing. Pure.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "plugins/volumes/md_model.h"

namespace fmd::volumes {

// Gives arrays without a UUID the FMRI, level and size of the known array whose member they have.
void recognise(MdScan& scan, const MdMemory& memory);
// Records the running arrays; forgets an array whose member is now in another one.
void note_arrays(const MdScan& scan, std::string_view boot, MdMemory& memory);
// Notes the required specs of each array, and whether it is on removable media. After note().
void note_needs(const MdScan& scan, const Needs& needs, MdMemory& memory);
// "sdb (serial ZA1), sdc (serial ZA2)": the array's known members that are listed, or that are not;
// "none known".
std::string members_there(const MdArray& array);
std::string members_missing(const MdArray& array, const MdMemory& memory);
// Arrays that ran before, have no device now, and are required at boot or not on removable media.
// Their health is "stopped" or "missing".
std::map<std::string, nlohmann::json> missing_arrays(const MdScan& scan, const MdMemory& memory,
                                                     const Needs& needs);

}  // namespace fmd::volumes
