// Target: whose fmd is meant, and the bus on which it is found.
#pragma once
#include <string>

namespace fmd::ui {

struct Target {
  std::string bus;   // "" or "system", "session", or a D-Bus address
  std::string host;  // "[user@]host": its system bus through ssh(1)
  // A desktop: polkit may ask by the agent that runs there, whatever standard input is.
  bool desktop = false;
};

}  // namespace fmd::ui
