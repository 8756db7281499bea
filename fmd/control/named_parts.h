// NamedParts: resolves a name from a person to the one disk or ASRU that it means. A name of
// several (a pool, a mirror, raidz, spare-N) is refused with the list of its disks: any choice
// would be a guess. Pure.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/model/inventory.h"

namespace fmd {

// The bay that the part is, or that holds it; the machine itself where it has a locate light. All return
// an FMRI.
Result<std::string> bay_named(const Inventory& inventory, std::string_view part);
// The present disk that the part is, contains, or is stored on.
Result<std::string> disk_named(const Inventory& inventory, std::string_view part);
// The ASRU that the part is, or that stands on it; else the one that an open case knows by that name: a
// disk that has been pulled, or the bay that it was pulled from.
Result<std::string> asru_named(const Engine& engine, std::string_view part);

// Describes the part that the name refers to: "disk S4 in SLOT 04". At most 200 bytes, without control characters;
// the name itself if there is no such part.
std::string words_for(const Engine& engine, std::string_view part);

}  // namespace fmd
