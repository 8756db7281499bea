// Parts: power supplies, fans and sensors of chassis as resources: what a shelf's SES pages say of
// them, and what descriptions do. Pure.
#pragma once
#include <vector>

#include "plugins/enclosure/picture.h"

namespace fmd::enclosure {

// A part that a description names and nothing observes is there without a status: nobody knows.
// seen's chassis is in `into` when it has any. host: the host's descriptions.
void add_parts(Resources& into, const Seen& seen, const std::vector<chassis::Library::Found>& host);

// Remembers which parts are there: one that is not any more was taken out, one that never was is an
// empty place.
void remember_installed(Seen& seen);

}  // namespace fmd::enclosure
