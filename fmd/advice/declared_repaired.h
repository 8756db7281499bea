// Words about a part that counts as repaired because an administrator says so or has cleared its errors:
// nobody has tested it. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

// "SLOT 04 counts as repaired because its errors in ZFS were cleared"; "" if another disk has
// replaced the part, or fmd itself has seen that the part works.
std::string declared_words(const Case& c, const Inventory& inventory);
// "'zpool scrub tank' tests the disk"; "" if no such command is known.
std::string test_words(const Case& c, const Inventory& inventory);

}  // namespace fmd
