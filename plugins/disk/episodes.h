// Episodes: merges the kernel's messages about failed requests. The kernel reports one failure many
// times: in trace events, retries and several log lines, with different clocks. Messages about one
// path within a second form an episode, which becomes one ereport per cause: diagnosis counts
// seconds with errors, as ITU-T G.826 does (errored seconds), so a storm of messages counts no
// more. Messages read late (the plugin was not running) are separated by their own time. Pure; time
// is passed in.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugins/disk/kernel_error.h"

namespace fmd::disk {

// One cause in an episode: its first message, completed from later ones.
struct Finding {
  Indication said;
  uint64_t count = 0;
};

struct Episode {
  std::string place;     // a path's id, or another key given by the caller
  int64_t began_ns = 0;  // wall clock
  std::vector<Finding> findings;
};

class Episodes {
 public:
  explicit Episodes(std::chrono::milliseconds length) : length_ns_(length.count() * 1'000'000) {}

  // when_ns: wall clock time of the message; now_ns: steady clock time of reading it.
  void add(const std::string& place, const Indication& said, int64_t when_ns, int64_t now_ns,
           uint64_t log_sequence = 0);
  // Removes and returns the episodes that are over by now, in order of their beginning.
  std::vector<Episode> take_over(int64_t now_ns);
  std::optional<int64_t> next_ns() const;  // steady clock time when the next one is over
  // First log record of the oldest open episode; 0: none. The cursor must stay before it.
  uint64_t open_from() const;

 private:
  struct Open {
    Episode episode;
    int64_t heard_ns = 0;
    uint64_t log_sequence = 0;  // its first record of the kernel's log; 0 none
  };
  void explain(Episode& episode);

  int64_t length_ns_;
  std::map<std::string, std::vector<Open>> open_;
  std::map<std::string, int64_t> unmapped_ns_;  // when a place was last found unmapped; wall clock
};

// What to report: the specific causes, or the unspecific one if nothing explains it.
std::vector<Finding> telling(const Episode& episode);

}  // namespace fmd::disk
