#include "plugins/volumes/dm_status.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fmd::volumes {
namespace {

// Reads the words of a line; good() is false after a missing or invalid one.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  bool good() const { return good_; }

  std::string_view next() {
    const size_t from = rest_.find_first_not_of(' ');
    if (from == rest_.npos) {
      good_ = false;
      return {};
    }
    const size_t to = std::min(rest_.find(' ', from), rest_.size());
    const std::string_view word = rest_.substr(from, to - from);
    rest_ = rest_.substr(to);
    return word;
  }
  uint64_t number() {
    const std::string_view word = next();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) good_ = false;
    return value;
  }
  // The next word is the number of the words that follow it.
  void skip_counted() {
    for (uint64_t left = number(); good_ && left > 0; --left) next();
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

// FEATURES HANDLER GROUPS CURRENT { STATE SELECTOR-ARGS PATHS ARGS-A-PATH { DEV A|F FAILURES ARGS } }
std::optional<std::vector<MultipathPath>> read_multipath(Words words) {
  std::vector<MultipathPath> paths;
  words.skip_counted();
  words.skip_counted();
  const uint64_t groups = words.number();
  words.number();
  for (uint64_t group = 0; words.good() && group < groups; ++group) {
    words.next();
    words.skip_counted();
    const uint64_t count = words.number(), more = words.number();
    for (uint64_t n = 0; words.good() && n < count; ++n) {
      MultipathPath path;
      path.dev = words.next();
      path.active = words.next() == "A";
      path.failures = words.number();
      for (uint64_t arg = 0; words.good() && arg < more; ++arg) words.next();
      if (words.good()) paths.push_back(std::move(path));
    }
  }
  if (!words.good()) return {};
  return paths;
}

// LEVEL LEGS HEALTH DONE/ALL ACTION MISMATCHES …
std::optional<DmRaid> read_raid(Words words) {
  DmRaid raid;
  raid.level = words.next();
  const uint64_t legs = words.number();
  raid.legs = words.next();
  const std::string_view ratio = words.next();
  raid.action = words.next();
  raid.mismatches = words.number();
  const size_t slash = ratio.find('/');
  if (!words.good() || legs != raid.legs.size() || slash == ratio.npos) return {};
  Words done(ratio.substr(0, slash)), all(ratio.substr(slash + 1));
  raid.done = done.number();
  raid.all = all.number();
  if (!done.good() || !all.good()) return {};
  return raid;
}

// The part of the name before the last `layer`, or all of it: LVM names the maps of its layers
// "VG-VOLUME-LAYER".
std::string below_layer(const std::string& name, std::string_view layer) {
  const size_t at = name.rfind(layer);
  return at == name.npos ? name : name.substr(0, at);
}

bool is_failed(std::string_view word) {
  return word == "Fail" || word == "Error";
}

// Why a volume with this target and status has failed; "" if it works
// (Documentation/admin-guide/device-mapper).
std::string failure(std::string_view target, Words words) {
  if (target == "error") return "it was activated without one of its disks";
  const std::string_view first = words.next();
  if (target == "cache") return is_failed(first) ? "its cache has failed" : "";
  // An error number; 0 none.
  if (target == "writecache")
    return words.good() && first != "0" ? "its write cache has failed" : "";
  if (target == "vdo") return words.next() == "read-only" ? "its VDO is read-only" : "";
  if (target != "thin-pool") return "";
  if (is_failed(first)) return "the thin pool has failed";
  // TRANSACTION METADATA-BLOCKS DATA-BLOCKS ROOT MODE …. The mode "out_of_data_space" of a full
  // pool is not a failure: an administrator extends it.
  for (int skipped = 0; skipped < 3; ++skipped) words.next();
  return words.next() == "ro" ? "the thin pool is read-only: its metadata cannot be written" : "";
}

// "NAME: START LENGTH TARGET …"; a name may contain blanks and colons.
void read_line(std::string_view line, DmStatus& out) {
  for (size_t colon = line.find(": "); colon != line.npos; colon = line.find(": ", colon + 1)) {
    Words words(line.substr(colon + 2));
    words.number();
    words.number();
    const std::string_view target = words.next();
    if (!words.good()) continue;
    const std::string name(line.substr(0, colon));
    if (target == "multipath")
      if (auto paths = read_multipath(words)) out.multipath[name] = std::move(*paths);
    if (target == "raid")
      if (auto raid = read_raid(words)) out.raid[name] = std::move(*raid);
    if (std::string why = failure(target, words); !why.empty())
      out.failed[below_layer(name, target == "error" ? "-missing_" : "-tpool")] = std::move(why);
    return;
  }
}

}  // namespace

DmStatus parse_dm_status(std::string_view text) {
  DmStatus out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    read_line(text.substr(0, end), out);
    text = text.substr(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace fmd::volumes
