// ReadingFilter: which readings are stored. An unchanged value is stored when it is first seen (in
// this run of fmd), and then once a day; it is valid until the next stored one. Values from before
// a restart are not looked up, so each is stored once more: few bytes (1,000 disks' 40,000 values:
// 300 KiB, merged 20), and no delay of the start. Pure. Single thread.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "fmd/model/reading.h"

namespace fmd {

class ReadingFilter {
 public:
  static constexpr int64_t kRepeatNs = 86400LL * 1000000000;
  // How long a stored value is valid. It is stored again earlier as long as it is measured.
  static constexpr int64_t kHoldsNs = 2 * kRepeatNs;
  static constexpr size_t kMost = 500'000;  // remembered values; beyond that all are forgotten

  bool keep(const Reading& reading);  // whether to store it; remembers it
  void clear() { last_.clear(); }     // all values are then stored again

 private:
  struct Last {
    double value;
    int64_t time_ns;
  };
  // By hash of resource and name, to save memory: a disk may have forty readings.
  std::unordered_map<uint64_t, Last> last_;
};

}  // namespace fmd
