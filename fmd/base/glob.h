// Shell globs: * matches any run, ? one character. Case-sensitive. Pure.
#pragma once
#include <string_view>

namespace fmd {

bool glob_matches(std::string_view glob, std::string_view text);

}  // namespace fmd
