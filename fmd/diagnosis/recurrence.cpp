#include "fmd/diagnosis/recurrence.h"

#include <algorithm>

namespace fmd {

Accused together(const Rule& common, const Moments& moments, int64_t time_ns) {
  Accused out;
  for (const auto& [part, times] : moments)
    if (std::any_of(times.begin(), times.end(), [&](int64_t time) {
          return (time > time_ns ? time - time_ns : time_ns - time) <= common.moment_ns;
        }))
      out.try_emplace(part);
  return out;
}

Recurrence recurrence(const Inventory& inventory, const Topology& topology, const Rule& common,
                      const std::string& part, const std::vector<int64_t>& counted,
                      const Moments& moments) {
  Recurrence out;
  std::map<std::string, size_t> explained;  // by whom: how often
  for (const int64_t time : counted) {
    auto cause = common_cause(inventory, topology, common, part, together(common, moments, time));
    (cause ? out.shared : out.own).push_back(time);
    if (!cause) continue;
    const size_t times = ++explained[cause->lowest.front()];
    if (times < out.times) continue;
    out.times = times;
    out.cause = std::move(cause);
  }
  return out;
}

}  // namespace fmd
