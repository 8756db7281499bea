// The "scan:" text of `zpool status`: what scrub or resilver runs or ran last. Pure but for the
// time zone, which must be that of the zpool process (dates are printed in local time).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::zfs {

struct Scan {
  enum class Kind { none, scrub, resilver };
  enum class State { none, running, paused, finished, canceled };
  Kind kind = Kind::none;
  State state = State::none;
  double percent = 0;     // running, paused
  double rate_bytes = 0;  // per second, issued; 0 unknown
  std::optional<int64_t>
      seconds_left;        // zpool's estimate, or ours from rate and amount; absent: none
  int64_t started_ns = 0;  // 0 unknown (finished: end less duration)
  int64_t ended_ns = 0;    // finished, canceled
  uint64_t errors = 0;     // finished
  std::string text;        // on one line

  bool active() const { return state == State::running || state == State::paused; }
};

Scan parse_scan(std::string_view text);
// The ASRU word `busy` (schemas/resources.md): "", "scrub" or "resilver": work in whose course
// nothing should be changed. A paused scrub may stay so for weeks: it holds nothing up.
std::string_view busy_word(const Scan& scan);
// Of several (a rebuild of single vdevs prints one each): the active one, else the one that ended
// last.
Scan parse_scans(const std::vector<std::string>& texts);

}  // namespace fmd::zfs
