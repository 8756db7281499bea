#include "zfs_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "plugins/sdk/messages.h"
#include "plugins/zfs/event_convert.h"
#include "recorded.h"

namespace fmd::score {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

std::optional<zfs::ZpoolEvent> parsed(const std::vector<std::string>& lines) {
  zfs::ZpoolEventParser parser;
  for (const std::string& line : lines)
    if (auto event = parser.line(line)) return event;
  return {};
}

// From a leaf and not from a scrub; a scenario sets other values itself.
bool is_usual(const std::vector<std::string>& block) {
  const auto event = parsed(block);
  return event && event->number("vdev_guid").value_or(0) != 0 &&
         zfs::scan_of(*event, false).empty();
}

std::string number_of(std::string_view fmri, std::string_view name) {
  const size_t at = fmri.find(fmt::format("{}=", name));
  const std::string_view rest = fmri.substr(at + name.size() + 1);
  return fmt::format("0x{:x}", std::stoull(std::string(rest.substr(0, rest.find('/')))));
}

// The event's own members are indented by eight blanks, nested ones by more.
std::string with(const std::string& line, const ZfsText::Values& values) {
  const size_t equals = line.find(" = ");
  if (equals == line.npos || !line.starts_with("        ") || line[8] == ' ') return line;
  const auto value = values.find(std::string_view(line).substr(8, equals - 8));
  return value == values.end() ? line : line.substr(0, equals + 3) + value->second;
}

}  // namespace

ZfsText::ZfsText(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().filename().string().starts_with("events-")) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file);
    std::vector<std::string> block;
    for (std::string line; std::getline(in, line);) {
      block.push_back(line);
      if (!line.empty()) continue;
      if (is_usual(block)) blocks_.try_emplace(parsed(block)->event_class, block);
      block.clear();
    }
  }
  if (blocks_.empty()) throw std::runtime_error(folder + ": no recorded events of ZFS");
}

const ZfsText& ZfsText::recorded() {
  static const ZfsText text(FMD_TREE "/plugins/zfs/tests/fixtures");
  return text;
}

std::optional<Event> ZfsText::event(std::string_view event_class, const std::string& vdev,
                                    int64_t time_ns, Values values) const {
  const auto block = blocks_.find(event_class);
  if (block == blocks_.end()) return {};
  values["pool_guid"] = number_of(vdev, "pool");
  values["vdev_guid"] = number_of(vdev, "vdev");
  values["time"] = fmt::format("0x{:x} 0x{:x} ", time_ns / kSecond, time_ns % kSecond);
  std::vector<std::string> lines;
  for (const std::string& line : block->second) lines.push_back(with(line, values));
  const auto read = parsed(lines);
  const auto said = read ? zfs::to_event(*read, {[](uint64_t, uint64_t) { return "disk"; }, {}, {}})
                         : std::nullopt;
  return said ? std::optional(as_taken(*said)) : std::nullopt;
}

}  // namespace fmd::score
