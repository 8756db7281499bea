// Help texts for whole commands: their groups in --help, and their examples.
#pragma once
#include <string>
#include <string_view>

namespace fmd::cli {

// command: as typed, "fmadm smart test". "" if it has no group of its own.
std::string_view group_of(std::string_view command);
// Example lines for a command, without the heading. "" if there are none.
std::string_view examples_of(std::string_view command);

}  // namespace fmd::cli
