// Old disk: a replaced disk that is still in the machine, because the new one sits in another bay or
// a spare has become the member. A person should take it out. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

// Of a case whose part was replaced: the disk is present in a known bay and nothing uses it; else
// nullptr.
const Resource* old_disk_in_bay(const Case& c, const Inventory& inventory);

// "The old disk is still in SLOT 04: take it out."; "" there is none.
std::string old_disk_words(const Case& c, const Inventory& inventory);

}  // namespace fmd
