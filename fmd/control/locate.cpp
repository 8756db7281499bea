// ControlService: locate LEDs, for a person who looks for a part.
#include <fmt/format.h>
#include <syslog.h>

#include <set>

#include "fmd/base/log.h"
#include "fmd/control/control_service.h"
#include "fmd/control/named_parts.h"

namespace fmd {

Result<std::string> ControlService::locate(std::string_view part, bool on, std::string_view who) {
  if (auto taken = road_.take_in(); !taken) return tl::unexpected(taken.error());
  auto bay = bay_named(engine_.inventory(), part);
  if (!bay) return bay;
  if (auto wished = reconciler_.locate(*bay, on, who); !wished)
    return tl::unexpected(wished.error());
  log_line(LOG_INFO,
           fmt::format("{} asked to switch the locate LED of {} {}", who, *bay, on ? "on" : "off"));
  if (auto written = road_.commit(); !written) return tl::unexpected(written.error());
  return bay;
}

Result<std::string> ControlService::hold_locate(std::string_view part, std::string_view holder,
                                                std::string_view who) {
  if (auto taken = road_.take_in(); !taken) return tl::unexpected(taken.error());
  auto bay = bay_named(engine_.inventory(), part);
  if (!bay) return bay;
  if (auto wished = reconciler_.hold_locate(*bay, holder); !wished)
    return tl::unexpected(wished.error());
  log_line(LOG_INFO,
           fmt::format("{} asked to have the locate LED of {} on for a while", who, *bay));
  if (auto written = road_.commit(); !written) return tl::unexpected(written.error());
  return bay;
}

// While nothing can be written it waits, like every command, for the next try.
Result<void> ControlService::release_locate(std::string_view holder) {
  const auto bays = reconciler_.release_locate(holder);
  if (bays.empty()) return {};
  log_line(LOG_INFO, fmt::format("the program that had the locate LED of {} on has ended",
                                 fmt::join(bays, ", ")));
  return road_.commit();
}

std::set<std::string> ControlService::locate_holders() const {
  return reconciler_.locate_holders();
}

}  // namespace fmd
