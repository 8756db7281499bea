// Printed: what the machine's chassis description (docs/chassis.md) adds to its processors, memory
// modules, slots and the cards in them: the label printed beside each and its place in a view.
// Applied here, by the one who tells of these parts: of two sources that both gave a label the one
// that spoke last would win.
#pragma once
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

using Descriptions = std::vector<chassis::Library::Found>;

// After all parts were added.
void add_printed(const Descriptions& descriptions, Facts& facts);
// After that: "core 3 of CPU1", by the label of its socket. The kernel's numbers begin at 0, printed ones mostly at 1:
// one text must not have both.
void add_core_labels(Facts& facts);

}  // namespace fmd::machine
