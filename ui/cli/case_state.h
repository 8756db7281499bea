// How far a case has come, and what it waits for. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::cli {

// "SOLVED, waiting for the repair of SLOT 06 (serial Z1Y0DD06)"
std::string case_state_text(const Case& c, const Inventory& inventory);
// One word for lists: "resolved", "suspected", "open"
std::string_view case_state_word(const Case& c);

}  // namespace fmd::cli
