#include "plugins/ipmi/part_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace fmd::ipmi {
namespace {

constexpr std::string_view kBetweenWords = " _-.";

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_measurement(std::string_view word) {
  constexpr std::array<std::string_view, 14> kWords{
      "status", "state", "presence", "present", "fail", "failed",    "failure",
      "fault",  "tach",  "rpm",      "speed",   "fru",  "dutycycle", "pwm"};
  return std::find(kWords.begin(), kWords.end(), in_lower_case(word)) != kWords.end();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string part_name(const std::string& sensor) {
  std::string_view name = sensor;
  while (!name.empty()) {
    const size_t between = name.find_last_of(kBetweenWords);
    const size_t word = between == name.npos ? 0 : between + 1;
    if (!is_measurement(name.substr(word))) break;
    const size_t end = word == 0 ? name.npos : name.find_last_not_of(kBetweenWords, between);
    name = name.substr(0, end == name.npos ? 0 : end + 1);
  }
  return std::string(name);
}

std::string side_of(const std::string& sensor) {
  const std::string name = part_name(sensor);
  const auto end = std::find_if(name.rbegin(), name.rend(), is_digit).base();
  if (end != name.begin()) {
    auto begin = end;
    while (begin != name.begin() && is_digit(*(begin - 1))) --begin;
    while (begin + 1 != end && *begin == '0') ++begin;  // "PS01" is "PS1"
    return {begin, end};
  }
  const size_t between = name.find_last_of(kBetweenWords);
  return between != name.npos && between + 2 == name.size()
             ? in_lower_case(name.substr(between + 1))
             : std::string();
}

bool compares_parts(const std::string& sensor) {
  const std::string name = in_lower_case(sensor);
  return name.find("mismatch") != name.npos || name.find("redundan") != name.npos;
}

}  // namespace fmd::ipmi
