// Writes a description as the TOML that parse() reads: for `fmadm chassis map`. Pure.
#pragma once
#include <string>

#include "fmd/chassis/description.h"

namespace fmd::chassis {

// Every bay stands by itself. Text that is no TOML (control characters) is escaped.
std::string render(const Description& description);

}  // namespace fmd::chassis
