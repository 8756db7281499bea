#include "plugins/snmp/part_numbers.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "plugins/sdk/whole_file.h"

namespace fmd::snmp {
namespace {

constexpr uint32_t kGreatest = 2147483647;  // PhysicalIndex

}  // namespace

Result<PartNumbers> PartNumbers::open(const std::string& folder, size_t kept) {
  PartNumbers numbers;
  numbers.kept_ = kept;
  if (folder.empty()) return numbers;
  numbers.path_ = folder + "/numbers";
  if (auto read = numbers.load(); !read) return tl::unexpected(read.error());
  return numbers;
}

// One line each: "NUMBER KEY". The first line is only the next number.
Result<void> PartNumbers::load() {
  std::ifstream file(path_);
  if (!file) return {};  // first start
  int line_number = 0;
  for (std::string line; std::getline(file, line);) {
    ++line_number;
    uint32_t number = 0;
    const char* end = line.data() + line.size();
    const auto [at, problem] = std::from_chars(line.data(), end, number);
    const bool first = line_number == 1;
    if (problem != std::errc() || number == 0 || number > kGreatest ||
        (first ? at != end : at == end || *at != ' '))
      return fail("is not what fmd-snmp wrote; with the file gone, all parts get new numbers",
                  path_, line_number);
    if (first)
      next_ = number;
    else
      numbers_.emplace(std::string(at + 1, end), Number{number, false});
  }
  for (const auto& [key, number] : numbers_) next_ = std::max(next_, number.value + 1);
  return {};
}

uint32_t PartNumbers::of(std::string_view key) {
  if (const auto at = numbers_.find(key); at != numbers_.end()) {
    at->second.asked = true;
    return at->second.value;
  }
  if (numbers_.size() >= kept_) forget();
  changed_ = true;
  if (next_ >= kGreatest) next_ = 1;  // after two billion parts
  return numbers_.emplace(std::string(key), Number{next_++, true}).first->second.value;
}

void PartNumbers::forget() {
  std::erase_if(numbers_, [](const auto& one) { return !one.second.asked; });
}

Result<void> PartNumbers::save() {
  if (!changed_ || path_.empty()) return {};
  std::string text = std::to_string(next_) + "\n";
  for (const auto& [key, number] : numbers_)
    text += std::to_string(number.value) + " " + key + "\n";
  auto written = sdk::write_whole(path_, text);
  if (written) changed_ = false;
  return written;
}

}  // namespace fmd::snmp
