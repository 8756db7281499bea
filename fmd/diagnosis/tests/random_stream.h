// A random history for an engine: events, inventory, judgements, actions and time, two plugins with
// different delays, a clock that is set back. The same seed gives the same steps.
#pragma once
#include <functional>
#include <vector>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd::test {

using Step = std::function<void(Rig&)>;
std::vector<Step> random_stream(unsigned seed, int length);

}  // namespace fmd::test
