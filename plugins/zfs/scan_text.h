// The "scan:" and "expand:" texts of `zpool status`: what scrub, resilver or expansion runs or ran last. Pure but for the
// time zone, which must be that of the zpool process (dates are printed in local time).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::zfs {

struct Scan {
  enum class Kind { none, scrub, resilver, expand };
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
  uint64_t repaired = 0;   // finished scrub: bytes
  std::string text;        // on one line

  bool active() const { return state == State::running || state == State::paused; }
};

// Seconds since 1970 as nanoseconds; 0, no date, of what lies before that or in a year that they
// cannot count to: zpool prints whatever a pool's labels hold.
constexpr int64_t date_of_seconds(int64_t seconds) {
  constexpr int64_t kNs = 1'000'000'000;
  return seconds > 0 && seconds <= INT64_MAX / kNs ? seconds * kNs : 0;
}

Scan parse_scan(std::string_view text);
// Of a raidz that grows by a disk (OpenZFS 2.3). It is paused while a disk of it is replaced or has its spare in.
Scan parse_expand(std::string_view text);
// Of `zpool scrub -e` (2.2): only blocks known to be damaged, and no whole scrub when it has ended.
Scan parse_error_scrub(std::string_view text);
std::string_view kind_word(Scan::Kind kind);  // as in schemas/resources.md
// The ASRU word `busy` (schemas/resources.md): work in whose course nothing should be changed; "" none.
// A paused scrub may stay so for weeks: it holds nothing up.
std::string_view busy_word(const Scan& scan);
// Of several (a rebuild of single vdevs prints one each): the active one, else the one that ended
// last.
Scan parse_scans(const std::vector<std::string>& texts);

}  // namespace fmd::zfs
