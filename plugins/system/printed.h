// Printed: adds data of the machine's chassis description (docs/chassis.md) to its processors,
// memory modules, slots and cards: the printed label and the place in a view. Done here because
// this plugin reports these parts: if two sources set a label, the last one would win.
#pragma once
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

using Descriptions = std::vector<chassis::Library::Found>;

// Call it after all parts were added.
void add_printed(const Descriptions& descriptions, Facts& facts);
// After that: "core 3 of CPU1", by the label of its socket. The kernel's numbers begin at 0, printed ones mostly at 1:
// one text must not have both.
void add_core_labels(Facts& facts);

}  // namespace fmd::machine
