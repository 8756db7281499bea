// EidTracker: decides which events of the stream are new and which were lost.
//
// zfs numbers its events (eid) from 1 when the module is loaded. It keeps the last 512 in a ring,
// which a new reader gets first. The cursor BOOT:EID:TIME is the last event sent. A reboot or a
// reload of the module starts a new "epoch" with new numbers. A jump in the numbers means lost
// events, but two events may be swapped, so a jump counts as a loss only after a second. Pure;
// times are passed in. Single thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmd::zfs {

struct EventCursor {
  std::string boot;  // "": none
  uint64_t eid = 0;
  int64_t time_ns = 0;  // time of that event; 0 unknown

  std::string str() const;
  static EventCursor parse(std::string_view text);  // other text: none
};

class EidTracker {
 public:
  struct Gap {
    uint64_t from = 0, to = 0;  // first and last number lost
    int64_t seen_ns = 0;        // when the jump was noticed
  };
  enum class Verdict {
    fresh,    // new: send it
    old,      // sent before
    foreign,  // the number was already used: text that only looks like an event
  };

  // Call before each reading from the start. ring: (eid, time) of its current events.
  void begin(const EventCursor& cursor, std::string_view boot_id,
             const std::vector<std::pair<uint64_t, int64_t>>& ring);
  Verdict take(uint64_t eid, int64_t time_ns, int64_t now_ns);
  // Events after eid were not real: their numbers are free again.
  void rewind(uint64_t eid);
  // Jumps not filled within a second.
  std::vector<Gap> lost(int64_t now_ns);
  bool waiting() const { return !gaps_.empty(); }
  EventCursor cursor() const { return {boot_, last_, last_time_ns_}; }

 private:
  bool fill(uint64_t eid);

  std::string boot_;
  uint64_t skip_to_ = 0;  // events of the ring up to here are old
  uint64_t last_ = 0;     // highest so far
  int64_t last_time_ns_ = 0;
  bool count_from_start_ = false;  // whether a jump before the first event is a loss
  std::vector<Gap> gaps_;
};

}  // namespace fmd::zfs
