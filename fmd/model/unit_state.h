// UnitState: systemd's state of the service of a plugin (fmd-NAME.service).
#pragma once
#include <string>
#include <string_view>

namespace fmd {

enum class UnitState {
  unknown,   // not reported
  absent,    // there is no such unit
  runs,      // also one that is being started, again and again perhaps
  failed,    // it ended with an error, and systemd does not start it again
  stopped,   // by an administrator; it is started at the next boot
  disabled,  // by an administrator, or masked
  unmet,     // a condition of the unit does not hold: its configuration file is not there
};

// Whether it was stopped on purpose.
constexpr bool put_away(UnitState state) {
  return state == UnitState::stopped || state == UnitState::disabled || state == UnitState::unmet;
}

inline std::string unit_of_plugin(std::string_view plugin) {
  return "fmd-" + std::string(plugin) + ".service";
}

}  // namespace fmd
