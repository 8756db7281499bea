// Writes a description as TOML that parse() can read: for `fmadm chassis map`. Pure.
#pragma once
#include <string>

#include "fmd/chassis/description.h"

namespace fmd::chassis {

// Writes each bay separately. Escapes characters that TOML does not allow (control characters).
std::string render(const Description& description);

}  // namespace fmd::chassis
