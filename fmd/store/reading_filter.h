// ReadingFilter: which readings are stored. An unchanged value is stored when it is first seen (in
// this run of fmd), and then once a day: it is valid until the next stored one. Values from before
// a restart are not looked up: each value is then stored once more, which costs a few bytes (1,000
// disks' 40,000: about 300 KiB, after merging about 20) and does not delay the start. Pure. Single
// thread.
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
