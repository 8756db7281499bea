#include "fmd/store/reading_summary.h"

#include <algorithm>

#include "fmd/store/reading_filter.h"

namespace fmd {

std::vector<ReadingPoint> in_force(const std::vector<ReadingPoint>& points, int64_t from_ns) {
  auto first = std::find_if(points.begin(), points.end(),
                            [from_ns](const ReadingPoint& p) { return p.time_ns >= from_ns; });
  const bool held = first != points.begin() &&
                    std::prev(first)->time_ns > from_ns - ReadingFilter::kHoldsNs &&
                    (first == points.end() || first->time_ns > from_ns);
  return {held ? std::prev(first) : first, points.end()};
}

ReadingSummary summarize(const std::vector<ReadingPoint>& points, int64_t from_ns, int64_t to_ns) {
  ReadingSummary out;
  out.count = points.size();
  out.first = points.front().value;
  out.last = points.back().value;
  out.last_ns = points.back().time_ns;
  out.min = out.max = out.first;
  double weighed = 0, weights = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const ReadingPoint& point = points[i];
    out.min = std::min(out.min, point.value);
    out.max = std::max(out.max, point.value);
    const int64_t next = i + 1 < points.size() ? points[i + 1].time_ns : to_ns;
    const int64_t until = std::min(next, point.time_ns + ReadingFilter::kHoldsNs);
    const auto held =
        static_cast<double>(std::max<int64_t>(0, until - std::max(from_ns, point.time_ns)));
    weighed += point.value * held;
    weights += held;
  }
  // Clamped so that rounding never moves the mean of equal values.
  out.mean = weights > 0 ? std::clamp(weighed / weights, out.min, out.max) : out.last;
  return out;
}

std::vector<ThinPoint> thin(const std::vector<ReadingPoint>& points, size_t most) {
  std::vector<ThinPoint> out;
  if (points.empty()) return out;
  const int64_t begin = points.front().time_ns;
  const auto span = static_cast<double>(points.back().time_ns - begin) + 1;
  size_t part_before = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const ReadingPoint& p = points[i];
    const auto part = points.size() <= most
                          ? i
                          : static_cast<size_t>(static_cast<double>(p.time_ns - begin) / span *
                                                static_cast<double>(most));
    if (out.empty() || part != part_before) out.push_back({p.time_ns, p.value, p.value, p.value});
    part_before = part;
    ThinPoint& into = out.back();
    into = {p.time_ns, p.value, std::min(into.min, p.value), std::max(into.max, p.value)};
  }
  return out;
}

}  // namespace fmd
