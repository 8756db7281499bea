// Parts: describes power supplies, fans and sensors of chassis as resources, from a shelf's SES
// pages and from descriptions. Pure.
#pragma once
#include <vector>

#include "plugins/enclosure/picture.h"

namespace fmd::enclosure {

// A described part that nothing observes is added without a status. `into` must already contain the
// chassis of `seen`, if it has any. host: the host's descriptions.
void add_parts(Resources& into, const Seen& seen, const std::vector<chassis::Library::Found>& host);

// Remembers the parts that are present, to distinguish a removed part from a slot that was never
// filled.
void remember_installed(Seen& seen);

}  // namespace fmd::enclosure
