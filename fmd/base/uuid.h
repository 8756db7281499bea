// Random UUIDs (version 4) from the kernel's random number generator.
#pragma once
#include <string>

namespace fmd {

std::string new_uuid();

}  // namespace fmd
