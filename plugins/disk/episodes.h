// Episodes: what the kernel says of a failed request, brought together. One failure is told many
// times: by its trace events, by its retries, by four lines of the kernel's log, from clocks of
// their own. What is said of one path within a second is one episode, and an episode is one ereport
// for each of its causes, however often it was said: diagnosis counts seconds with errors, as
// telephone lines are judged (ITU-T G.826, errored seconds), and no storm gets beyond that. What is
// read late (the plugin was away) is taken apart by when it was said. Pure; time is passed in.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugins/disk/kernel_error.h"

namespace fmd::disk {

// One cause in an episode: the first word of it, filled up from the later ones.
struct Finding {
  Indication said;
  uint64_t count = 0;
};

struct Episode {
  std::string place;     // what it is about: a path's id, or whatever the caller told
  int64_t began_ns = 0;  // wall clock
  std::vector<Finding> findings;
};

class Episodes {
 public:
  explicit Episodes(std::chrono::milliseconds length) : length_ns_(length.count() * 1'000'000) {}

  // when_ns: wall clock, when it was said; now_ns: steady, when it is heard.
  void add(const std::string& place, const Indication& said, int64_t when_ns, int64_t now_ns,
           uint64_t log_sequence = 0);
  // Those that are over by now, in order of their beginning.
  std::vector<Episode> take_over(int64_t now_ns);
  std::optional<int64_t> next_ns() const;  // when the next one is over; steady
  // The newest record of the kernel's log before the oldest one that is still open; 0: none is.
  uint64_t open_from() const;

 private:
  struct Open {
    Episode episode;
    int64_t heard_ns = 0;
    uint64_t log_sequence = 0;  // the first of the log's records in it; 0 none
  };
  void explain(Episode& episode);

  int64_t length_ns_;
  std::map<std::string, std::vector<Open>> open_;
  std::map<std::string, int64_t> unmapped_ns_;  // when a place was last found unmapped; wall clock
};

// What diagnosis is to know: the specific causes; the unspecific one only when nothing explains it.
std::vector<Finding> telling(const Episode& episode);

}  // namespace fmd::disk
