// A number and its noun: "1 disk", "2 disks".
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace fmd {

template <class Number>
std::string counted(Number count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

template <class Number>
std::string counted(Number count, std::string_view noun) {
  return counted(count, noun, std::string(noun) + 's');
}

}  // namespace fmd
