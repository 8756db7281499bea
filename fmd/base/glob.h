// Shell globs: * any run, ? one character; everything else is itself, letters' case counts. Pure.
#pragma once
#include <string_view>

namespace fmd {

bool glob_matches(std::string_view glob, std::string_view text);

}  // namespace fmd
