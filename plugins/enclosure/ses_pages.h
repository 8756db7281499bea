// Power supplies, fans and temperatures of a shelf, out of its SES diagnostic pages in binary (what
// `sg_ses -rr` prints): configuration (01h), status (02h) and element descriptors (07h). The text
// forms of sg_ses differ from release to release; the pages are SES-3's. Pure; any bytes may come.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::enclosure {

struct Element {
  std::string type;    // "psu", "fan", "sensor"
  int number = 0;      // of its type in the enclosure, from 0
  std::string name;    // the enclosure's descriptor, raw; "" none
  std::string status;  // in sysfs' words: "OK", "critical", "not installed", …
  std::string reason;  // "AC fail, overtemperature"; "" nothing said
  std::optional<double> value;
  std::string unit;  // of value: "rpm", "celsius"
};

// One array device slot or device slot, in the numbers of the kernel's ses driver.
struct Slot {
  std::string component;  // its folder in /sys/class/enclosure/…, as the kernel names it
  std::string status;     // "OK", "not installed", …
  bool power = true;
  int fault = 0;   // 2 requested, 4 sensed by the slot itself
  int locate = 0;  // 1 requested
};
// What the kernel would answer for each slot's attributes, each with this page read anew: 4
// commands a slot. In the order of the slots.
Result<std::vector<Slot>> decode_slots(std::string_view configuration, std::string_view status,
                                       std::string_view descriptors);

// descriptors may be empty: not every enclosure has that page.
Result<std::vector<Element>> decode_elements(std::string_view configuration,
                                             std::string_view status, std::string_view descriptors);

}  // namespace fmd::enclosure
