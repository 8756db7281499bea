// Wraps text for people at 78 columns. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fmd {

// Breaks lines at blanks, overlong words anywhere. Each line starts with `indent` blanks; the first
// one with `first` instead (padded to indent).
std::string wrap(std::string_view text, size_t indent, std::string_view first = {},
                 size_t width = 78);

}  // namespace fmd
