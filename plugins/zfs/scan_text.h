// The "scan:" and "expand:" texts of `zpool status`: current or last scrub, resilver, expansion.
// Pure except for the time zone, which must be that of the zpool process (dates are local time).
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
  double percent = 0;                   // running, paused
  double rate_bytes = 0;                // per second, issued; 0 unknown
  std::optional<int64_t> seconds_left;  // zpool's estimate, or ours from rate and amount
  int64_t started_ns = 0;               // 0 unknown (if finished: end minus duration)
  int64_t ended_ns = 0;                 // finished, canceled
  uint64_t errors = 0;                  // finished
  uint64_t repaired = 0;                // finished scrub: bytes
  std::string text;                     // on one line

  bool active() const { return state == State::running || state == State::paused; }
};

// Seconds since 1970 as nanoseconds. 0 for dates before 1970 or out of range: zpool prints whatever
// a pool's labels contain.
constexpr int64_t date_of_seconds(int64_t seconds) {
  constexpr int64_t kNs = 1'000'000'000;
  return seconds > 0 && seconds <= INT64_MAX / kNs ? seconds * kNs : 0;
}

Scan parse_scan(std::string_view text);
// A raidz expansion (OpenZFS 2.3). Paused while one of its disks is replaced or has a spare.
Scan parse_expand(std::string_view text);
// `zpool scrub -e` (2.2): reads only blocks known to be damaged, so it is no complete scrub.
Scan parse_error_scrub(std::string_view text);
std::string_view kind_word(Scan::Kind kind);  // as in schemas/resources.md
// The ASRU word `busy` (schemas/resources.md): work during which nothing should be changed; ""
// none. A paused scrub does not count, since it may stay paused for weeks.
std::string_view busy_word(const Scan& scan);
// Of several scans (each rebuilding vdev prints one): the active one, otherwise the one that ended
// last.
Scan parse_scans(const std::vector<std::string>& texts);

}  // namespace fmd::zfs
