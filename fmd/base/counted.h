// Numbers with their nouns, and lists, in sentences: "1 disk", "2 disks"; "tank, dozer and home".
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace fmd {

template <class Number>
std::string counted(Number count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

template <class Number>
std::string counted(Number count, std::string_view noun) {
  return counted(count, noun, std::string(noun) + 's');
}

inline std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

}  // namespace fmd
