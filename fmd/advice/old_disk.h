// Old disk: a faulty disk that nothing uses any more and that is still in the machine, because the new
// one sits in another bay, a spare has become the member, or a person has detached it. Said until it
// is taken out, used again or acquitted. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

// A pool, array or file system has it.
bool is_used(const Inventory& inventory, const Resource& disk);

// For a case whose part was replaced or has left its pool: the disk, if it is present in a known
// bay and unused; otherwise nullptr.
const Resource* old_disk_in_bay(const Case& c, const Inventory& inventory);

// "The old disk is still in SLOT 04: take it out. …"; "" there is none.
std::string old_disk_words(const Case& c, const Inventory& inventory);
// "If it is to stay there, run 'fmadm acquit 9e858a21'."
std::string keep_old_disk_words(const Case& c);

}  // namespace fmd
