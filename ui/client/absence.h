// Why fmd's name is not on a bus: what systemd says of fmd.service there, and what helps.
#pragma once
#include <systemd/sd-bus.h>

#include <cstdint>
#include <string>

namespace fmd::ui {

struct FmdUnit {  // as systemd has it; load "" where no systemd answers
  std::string load, active, sub;
  int32_t exit_status = 0;  // of the last run of fmd
};
FmdUnit ask_fmd_unit(sd_bus* bus);  // takes two seconds at most

// A sentence: what is so, and what to run. bus: "the system bus".
std::string absence_words(const FmdUnit& unit, const std::string& bus);

}  // namespace fmd::ui
