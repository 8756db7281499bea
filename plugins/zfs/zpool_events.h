// ZpoolEvents: parses the text of `zpool events -v [-f]`, line by line.
//
//   Nov 21 2026 02:48:49.964000000 ereport.fs.zfs.checksum      header, in the first column
//           class = "ereport.fs.zfs.checksum"                   members, 8 blanks in
//           detector = (embedded nvlist)                        nested ones are skipped
//           ...
//           (end detector)
//           time = 0x6b01050e 0x2dc6c00                         seconds, nanoseconds
//           eid = 0x30                                          always the last one
//   (blank line)
//
// Strings are printed raw and may contain quotes, newlines, even text that looks like an event. A
// block counts only if it is complete (class, time, and eid as its last member, each once); others
// are dropped and counted. Pure. Single thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fmd::zfs {

using EventMember =
    std::variant<uint64_t, std::string, std::vector<uint64_t>, std::vector<std::string>>;

struct ZpoolEvent {
  std::string event_class;
  int64_t time_ns = 0;  // event time, since the epoch
  uint64_t eid = 0;
  std::vector<std::pair<std::string, EventMember>>
      members;  // without class, time, eid and nested ones

  std::optional<uint64_t> number(std::string_view name) const;
  std::string_view text(std::string_view name) const;  // "" if absent
};

class ZpoolEventParser {
 public:
  // One line without its newline. The blank line after an event completes it.
  std::optional<ZpoolEvent> line(std::string_view text);
  // The command ended or restarted: drops the incomplete event.
  void reset();
  uint64_t damaged() const { return damaged_; }  // blocks dropped so far

 private:
  void begin(std::string_view header);
  void member(std::string_view text);
  void set(std::string_view name, std::string_view value);
  std::optional<ZpoolEvent> finish();

  ZpoolEvent event_;
  bool inside_ = false, bad_ = false, have_class_ = false, have_time_ = false, have_eid_ = false;
  size_t nested_ = 0;
  std::string string_name_, string_value_;  // a string that spans lines
  bool in_string_ = false;
  size_t bytes_ = 0;
  uint64_t damaged_ = 0;
};

// All events of a text (the ring, a capture).
std::vector<ZpoolEvent> parse_zpool_events(std::string_view text);

}  // namespace fmd::zfs
