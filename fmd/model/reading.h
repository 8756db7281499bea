// Reading: a number that a plugin measured, for the history (schemas/plugin-protocol.md §
// readings).
#pragma once
#include <cstdint>
#include <string>

namespace fmd {

struct Reading {
  std::string resource;  // FMRI
  std::string name;      // "temperature_celsius"
  std::string unit;      // "celsius", "" none
  double value = 0;
  int64_t time_ns = 0;  // by the source's clock, ns since the epoch; 0: it did not say
};

}  // namespace fmd
