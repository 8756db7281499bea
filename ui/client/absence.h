// Why fmd's name is not on a bus: the state of fmd.service according to systemd, and what helps.
#pragma once
#include <systemd/sd-bus.h>

#include <cstdint>
#include <string>

namespace fmd::ui {

struct FmdUnit {  // systemd's properties; load is "" if systemd does not answer
  std::string load, active, sub;
  int32_t exit_status = 0;  // of fmd's last run
};
FmdUnit ask_fmd_unit(sd_bus* bus);  // blocks for at most two seconds

// A sentence: the problem, and the command to run. bus: "the system bus".
std::string absence_words(const FmdUnit& unit, const std::string& bus);

}  // namespace fmd::ui
