// Boards: other parts with FRU memory (mainboard, risers, backplanes), with serial and part
// numbers; and bays whose disks the BMC monitors. Pure.
#pragma once
#include "plugins/ipmi/parts.h"

namespace fmd::ipmi {

void add_boards(const Picture& picture, Resources& into);
void add_bays(const Picture& picture, Resources& into);

}  // namespace fmd::ipmi
