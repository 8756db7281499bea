// A number and its noun: "1 disk", "2 disks".
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace fmd {

template <class Number>
std::string counted(Number count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace fmd
