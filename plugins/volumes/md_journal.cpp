#include "plugins/volumes/md_journal.h"

#include <algorithm>

namespace fmd::volumes {

void note_journal(const MdArray& array, MdMemory& memory) {
  auto& slots = memory.slots[array.fmri];
  if (!array.has_journal) slots.erase(kJournalSlot);
  for (const MdMember& m : array.members)
    if (m.journal && !m.faulty) slots[kJournalSlot] = {m.fmri, m.device, m.disk, m.serial};
}

std::optional<MdMemory::Occupant> missing_journal(const MdArray& array, const MdMemory& memory) {
  const bool listed = std::any_of(array.members.begin(), array.members.end(),
                                  [](const MdMember& m) { return m.journal; });
  if (!array.has_journal || listed) return std::nullopt;
  if (const auto slots = memory.slots.find(array.fmri); slots != memory.slots.end())
    if (const auto last = slots->second.find(kJournalSlot); last != slots->second.end())
      return last->second;
  return MdMemory::Occupant{array.fmri + "/missing=journal", "a journal", "", ""};
}

}  // namespace fmd::volumes
