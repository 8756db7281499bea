// Help texts that belong to no single option: the group that --help lists a command in, and its examples.
#pragma once
#include <string>
#include <string_view>

namespace fmd::cli {

// command: as typed, "fmadm smart test". "": it has no group of its own.
std::string_view group_of(std::string_view command);
// Lines of a command and what it does, without the heading. "": none are known.
std::string_view examples_of(std::string_view command);

}  // namespace fmd::cli
