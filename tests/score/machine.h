// Families of what is no disk and on no disk's way: supplies, fans, heat, memory, processors; and how each begins.
#pragma once
#include "family.h"
#include "fmd/base/value.h"
#include "play.h"

namespace fmd::score {

Value text(const char* value);
Scenario begin(Play& play);  // nothing is broken yet

Scenario supply(Play& play);
Scenario feed(Play& play);
Scenario fan(Play& play);
Scenario memory(Play& play);
Scenario channel(Play& play);
Scenario cache(Play& play);
Scenario shelf_feed(Play& play);
Scenario hot_room(Play& play);
Scenario shelf_lies(Play& play);

}  // namespace fmd::score
