// ReadingFilter: which readings are worth keeping. A value that stays the same is kept when it is
// first seen (in this run of fmd), and then once a day: it holds until the next one that is kept.
// What was kept before a restart is not looked up: each value is then kept once more, a true
// measurement of a few bytes (1,000 disks' 40,000: some 300 KiB, once merged some 20), for which no
// start has to wait. Pure. Single thread.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "fmd/model/reading.h"

namespace fmd {

class ReadingFilter {
 public:
  static constexpr int64_t kRepeatNs = 86400LL * 1000000000;
  // A value counts for so long after it was kept: it is repeated before that as long as somebody
  // measures it.
  static constexpr int64_t kHoldsNs = 2 * kRepeatNs;
  static constexpr size_t kMost =
      500'000;  // remembered; with more, all are forgotten and kept anew

  bool keep(const Reading& reading);  // and remembers it
  void clear() { last_.clear(); }     // all will be kept anew

 private:
  struct Last {
    double value;
    int64_t time_ns;
  };
  // By resource and name, of which their hash is enough: a host has as many as forty of each disk.
  std::unordered_map<uint64_t, Last> last_;
};

}  // namespace fmd
