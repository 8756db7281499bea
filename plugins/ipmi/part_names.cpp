#include "plugins/ipmi/part_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "fmd/base/lower_case.h"

namespace fmd::ipmi {
namespace {

constexpr std::string_view kBetweenWords = " _-.";

bool is_measurement(std::string_view word) {
  constexpr std::array<std::string_view, 18> kWords{
      "status", "state", "presence", "present",   "fail", "failed", "failure", "fault", "tach",
      "rpm",    "speed", "fru",      "dutycycle", "pwm",  "ac",     "lost",    "loss",  "input"};
  return std::find(kWords.begin(), kWords.end(), lower_case(word)) != kWords.end();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Splits off the last word or number: "Fan1A" is "Fan1" and "A".
std::pair<std::string, std::string> split_last(const std::string& name) {
  size_t at = name.size();
  while (at > 0 && kBetweenWords.find(name[at - 1]) == kBetweenWords.npos &&
         is_digit(name[at - 1]) == is_digit(name.back()))
    --at;
  const size_t end = at == 0 ? name.npos : name.find_last_not_of(kBetweenWords, at - 1);
  return {name.substr(0, end == name.npos ? 0 : end + 1), lower_case(name.substr(at))};
}

// "Fan1 B", but not "FAN2": a number or letter means a rotor only after the fan's own number.
bool is_rotor(const std::string& fan, const std::string& mark) {
  constexpr std::array<std::string_view, 4> kSides{"inlet", "outlet", "in", "out"};
  constexpr std::array<std::string_view, 8> kMarks{"a", "b", "1", "2", "f", "r", "front", "rear"};
  if (fan.empty()) return false;
  if (std::find(kSides.begin(), kSides.end(), mark) != kSides.end()) return true;
  const std::string last = split_last(fan).second;
  return std::find(kMarks.begin(), kMarks.end(), mark) != kMarks.end() &&
         (is_digit(last.back()) || last == "rotor" || last == "tach" || last == "motor");
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
  return between != name.npos && between + 2 == name.size() ? lower_case(name.substr(between + 1))
                                                            : std::string();
}

std::string fan_of_all(const std::vector<std::string>& sensors) {
  std::set<std::string> names, fans;  // lower case
  for (const std::string& sensor : sensors) {
    const std::string name = part_name(sensor);
    names.insert(lower_case(name));
    const auto [fan, mark] = split_last(name);
    fans.insert(is_rotor(fan, mark) ? lower_case(fan) : lower_case(name));
  }
  if (sensors.empty() || names.contains("")) return {};
  const std::string first = part_name(sensors.front());
  if (names.size() == 1) return first;
  if (fans.size() > 1) return {};
  const auto [fan, mark] = split_last(first);
  if (lower_case(first) == *fans.begin()) return first;
  const auto [stem, word] = split_last(fan);
  return (word == "rotor" || word == "tach" || word == "motor") && !stem.empty() ? stem : fan;
}

bool compares_parts(const std::string& sensor) {
  const std::string name = lower_case(sensor);
  return name.find("mismatch") != name.npos || name.find("redundan") != name.npos;
}

Asserted asserted_by(const std::string& sensor) {
  const std::string name = lower_case(sensor);
  const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
  if (has("ac lost") || has("ac_lost") || has("aclost") || has("ac loss") || has("input lost") ||
      has("input_lost") || has("input loss") || has("no ac") || has("ac fail") || has("ac_fail"))
    return Asserted::no_input;
  return has("fail") || has("fault") || has("stopped") ? Asserted::failure : Asserted::unknown;
}

}  // namespace fmd::ipmi
