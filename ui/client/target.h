// Target: which host's fmd to query, and on which bus.
#pragma once
#include <string>

namespace fmd::ui {

struct Target {
  std::string bus;   // "" or "system", "session", or a D-Bus address
  std::string host;  // "[user@]host": its system bus through ssh(1)
  // A desktop has its own polkit agent, so that polkit may ask whatever standard input is.
  bool desktop = false;
};

}  // namespace fmd::ui
