// Boards: what carries a memory of its own (FRU) and is no supply, fan, module or processor: the mainboard,
// risers, backplanes, with serial and part numbers. And the bays whose disks the BMC watches. Pure.
#pragma once
#include "plugins/ipmi/parts.h"

namespace fmd::ipmi {

void add_boards(const Picture& picture, Resources& into);
void add_bays(const Picture& picture, Resources& into);

}  // namespace fmd::ipmi
