#include "fmd/diagnosis/recurrence.h"

#include <algorithm>

namespace fmd {

Crowd crowd_of(std::shared_ptr<Hanging> hanging, const Accused& accused) {
  std::vector<Hanging::Id> ids;  // first: who is not compared has no number yet
  for (const auto& [part, ways] : accused) ids.push_back(hanging->part(part));
  Crowd out(std::move(hanging));
  auto id = ids.begin();
  for (const auto& [part, ways] : accused) out.accuse(*id++, ways);
  return out;
}

Accused together(const Rule& common, const Moments& moments, int64_t time_ns) {
  Accused out;
  for (const auto& [part, times] : moments)
    if (std::any_of(times.begin(), times.end(), [&](int64_t time) {
          return (time > time_ns ? time - time_ns : time_ns - time) <= common.moment_ns;
        }))
      out.try_emplace(part);
  return out;
}

Recurrence recurrence(const Inventory& inventory, const std::shared_ptr<Hanging>& hanging,
                      const Rule& common, const std::string& part,
                      const std::vector<int64_t>& counted, const Moments& moments) {
  Recurrence out;
  std::map<std::string, size_t> explained;  // ancestor → how often it explains
  for (const int64_t time : counted) {
    const Crowd crowd = crowd_of(hanging, together(common, moments, time));
    auto cause = common_cause(inventory, crowd, common, part);
    (cause ? out.shared : out.own).push_back(time);
    if (!cause) continue;
    const size_t times = ++explained[cause->lowest.front()];
    if (times < out.times) continue;
    out.times = times;
    name_failing(*cause, crowd);
    out.cause = std::move(cause);
  }
  return out;
}

}  // namespace fmd
