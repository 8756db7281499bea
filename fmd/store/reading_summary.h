// Statistics of a series of readings. A stored value is valid until the next one, at most
// ReadingFilter::kHoldsNs, so the mean is over time and not over rows. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "fmd/store/store.h"

namespace fmd {

struct ReadingSummary {
  uint64_t count = 0;  // rows
  double first = 0, last = 0, min = 0, max = 0, mean = 0;
  int64_t last_ns = 0;
};
// points: not empty, in time order. Of those before from_ns, only the last counts.
ReadingSummary summarize(const std::vector<ReadingPoint>& points, int64_t from_ns, int64_t to_ns);

// Drops the points before from_ns except the last one, and that as well if it is no longer valid.
std::vector<ReadingPoint> in_force(const std::vector<ReadingPoint>& points, int64_t from_ns);

struct ThinPoint {
  int64_t time_ns = 0;  // of the last reading
  double value = 0;     // of the last reading
  double min = 0, max = 0;
};
// At most `most` points (at least 1), each for an equal part of the time.
std::vector<ThinPoint> thin(const std::vector<ReadingPoint>& points, size_t most);

}  // namespace fmd
