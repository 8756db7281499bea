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

// "81920/1638400".
bool read_ratio(std::string_view ratio, uint64_t& part, uint64_t& all) {
  const size_t slash = ratio.find('/');
  if (slash == ratio.npos) return false;
  Words first(ratio.substr(0, slash)), second(ratio.substr(slash + 1));
  part = first.number();
  all = second.number();
  return first.good() && second.good();
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
  if (!words.good() || legs != raid.legs.size() || !read_ratio(ratio, raid.done, raid.all))
    return {};
  return raid;
}

// COUNT DEV… DONE/ALL 1 HEALTH LOG…: LVM's older mirrors (mirror_status() in drivers/md/dm-raid1.c). Of
// the letters of the legs, D, F and R are write, flush and read failures, S is out of sync, U unclassified.
std::optional<DmRaid> read_mirror(Words words) {
  DmRaid raid;
  raid.level = "raid1";
  const uint64_t legs = words.number();
  for (uint64_t leg = 0; words.good() && leg < legs; ++leg) words.next();
  const std::string_view ratio = words.next();
  words.number();
  raid.legs = words.next();
  if (!words.good() || legs != raid.legs.size() || !read_ratio(ratio, raid.done, raid.all))
    return {};
  for (char& leg : raid.legs) leg = leg == 'A' ? 'A' : leg == 'S' ? 'a' : 'D';
  raid.action = raid.done < raid.all ? "resync" : "idle";
  return raid;
}

// TRANSACTION METADATA/ALL DATA/ALL ROOT MODE DISCARDS WHEN-FULL [needs_check|-] …. The kernel makes a pool read-only
// when its metadata space is used up, and sets needs_check as well.
std::optional<DmPool> read_thin_pool(Words words) {
  DmPool pool;
  words.number();
  const std::string_view metadata = words.next(), data = words.next();
  words.next();
  const std::string_view mode = words.next();
  if (!words.good() || !read_ratio(metadata, pool.metadata_used, pool.metadata_all) ||
      !read_ratio(data, pool.data_used, pool.data_all))
    return {};
  bool needs_check = false;
  while (words.good()) needs_check = words.next() == "needs_check" || needs_check;
  const bool writes = mode == "rw" || mode == "out_of_data_space";
  // A kernel that rolls its last transaction back shows less than it had used.
  const bool no_metadata = pool.metadata_used >= pool.metadata_all - pool.metadata_all / 20;
  if (needs_check || !writes)
    pool.state = no_metadata ? DmPool::State::needs_metadata : DmPool::State::needs_check;
  else if (mode == "out_of_data_space" || (pool.data_all > 0 && pool.data_used >= pool.data_all))
    pool.state = DmPool::State::full;
  return pool;
}

// DEVICE MODE RECOVERING INDEX COMPRESSION USED ALL. dm-vdo.
std::optional<DmPool> read_vdo(Words words) {
  DmPool pool;
  words.next();
  const std::string_view mode = words.next();
  for (int skipped = 0; skipped < 3; ++skipped) words.next();
  pool.data_used = words.number();
  pool.data_all = words.number();
  if (!words.good()) pool.data_used = pool.data_all = 0;  // after an error they are words
  if (mode == "read-only")
    pool.state = DmPool::State::forced_read_only;
  else if (pool.data_all > 0 && pool.data_used >= pool.data_all)
    pool.state = DmPool::State::full;
  return mode.empty() ? std::nullopt : std::optional(pool);
}

// LVM names the maps of its layers "VG-VOLUME-LAYER", and doubles the hyphens of both names.
std::string without_layer(const std::string& name, std::string_view layer) {
  const bool has_layer = name.ends_with(layer) && !name.ends_with("-" + std::string(layer));
  return has_layer ? name.substr(0, name.size() - layer.size()) : name;
}

// "vg0-data" of "vg0-data-missing_0_0", which stands where a disk is missing.
std::string owner_of_missing(const std::string& name) {
  const size_t at = name.rfind("-missing_");
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
  if (target == "thin-pool") return is_failed(first) ? "the thin pool has failed" : "";
  return "";
}

// A snapshot whose space for old data was used up, or whose disk failed. Its origin is well.
bool is_lost_snapshot(std::string_view target, Words words) {
  const std::string_view first = words.next();
  return target == "snapshot" && (first == "Invalid" || first == "Overflow");
}

void read_target(const std::string& name, std::string_view target, Words words, DmStatus& out) {
  if (target == "multipath")
    if (auto paths = read_multipath(words)) out.multipath[name] = std::move(*paths);
  if (target == "raid")
    if (auto raid = read_raid(words)) out.raid[name] = std::move(*raid);
  if (target == "mirror")
    if (auto raid = read_mirror(words)) out.raid[name] = std::move(*raid);
  if (target == "thin-pool")
    if (const auto pool = read_thin_pool(words))
      out.pools[without_layer(name, kThinPoolLayer)] = *pool;
  if (target == "vdo")
    if (const auto pool = read_vdo(words)) out.pools[without_layer(name, kVdoPoolLayer)] = *pool;
  if (is_lost_snapshot(target, words)) out.lost_snapshots.insert(name);
  if (std::string why = failure(target, words); !why.empty())
    out.failed[target == "error" ? owner_of_missing(name) : without_layer(name, kThinPoolLayer)] =
        std::move(why);
}

// "NAME: START LENGTH TARGET …"; a name may contain blanks and colons.
void read_line(std::string_view line, DmStatus& out) {
  for (size_t colon = line.find(": "); colon != line.npos; colon = line.find(": ", colon + 1)) {
    Words words(line.substr(colon + 2));
    words.number();
    words.number();
    const std::string_view target = words.next();
    if (!words.good()) continue;
    return read_target(std::string(line.substr(0, colon)), target, words, out);
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
