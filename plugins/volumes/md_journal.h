// The journal device of a raid4, raid5 or raid6 array (mdadm --write-journal). It has no slot, and the kernel
// lists it no more once it is removed, but the array takes no writes without it. Pure.
#pragma once
#include <optional>

#include "plugins/volumes/md_model.h"

namespace fmd::volumes {

inline constexpr int kJournalSlot = -2;  // in MdMemory::slots

void note_journal(const MdArray& array, MdMemory& memory);
// The one that a running array needs and the kernel does not list; nothing: it needs none, or has one.
std::optional<MdMemory::Occupant> missing_journal(const MdArray& array, const MdMemory& memory);

}  // namespace fmd::volumes
