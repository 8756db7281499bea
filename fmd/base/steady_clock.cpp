#include "fmd/base/steady_clock.h"

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr const char* kSteadyKind = "clock";
constexpr const char* kSteadyKey = "steady";

}  // namespace

SteadyClock::SteadyClock(Clock clock, std::string boot_id)
    : clock_(std::move(clock)),
      boot_id_(std::move(boot_id)),
      base_ns_(clock_.wall_ns() - clock_.boot_ns()) {}

Result<void> SteadyClock::restore(const std::vector<StateRow>& rows) {
  const auto row = std::find_if(rows.begin(), rows.end(), [](const StateRow& candidate) {
    return candidate.kind == kSteadyKind && candidate.key == kSteadyKey;
  });
  if (row == rows.end()) return {};
  try {
    const auto doc = nlohmann::json::parse(row->doc);
    const auto last = doc.at("steady").get<int64_t>();
    const auto base = doc.at("base").get<int64_t>();
    // A machine reverted to a snapshot has the same boot id and an earlier CLOCK_BOOTTIME.
    base_ns_ = doc.at("boot_id").get<std::string>() == boot_id_
                   ? std::max(base, add_times(last, -clock_.boot_ns()))
                   : last;
  } catch (const nlohmann::json::exception&) {
    return fail("the stored steady clock cannot be read: it restarts at the wall clock's time");
  }
  return {};
}

StateRow SteadyClock::row() const {
  return {kSteadyKind, kSteadyKey,
          dump_json({{"boot_id", boot_id_}, {"base", base_ns_}, {"steady", steady_ns()}})};
}

}  // namespace fmd
