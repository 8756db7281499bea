// The journal device of a raid4, raid5 or raid6 array (mdadm --write-journal). It has no slot.
// Once removed, the kernel no longer lists it, but the array then accepts no writes. Pure.
#pragma once
#include <optional>

#include "plugins/volumes/md_model.h"

namespace fmd::volumes {

inline constexpr int kJournalSlot = -2;  // in MdMemory::slots

void note_journal(const MdArray& array, MdMemory& memory);
// The journal that a running array needs but the kernel does not list; empty if none is missing.
std::optional<MdMemory::Occupant> missing_journal(const MdArray& array, const MdMemory& memory);

}  // namespace fmd::volumes
