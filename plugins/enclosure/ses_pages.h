// Decodes a shelf's binary SES diagnostic pages (the output of `sg_ses -rr`): configuration (01h),
// status (02h) and element descriptors (07h). Binary, because sg_ses' text output varies by
// release; the pages are defined by SES-3. Pure; the bytes are not trusted.
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
  std::string name;    // the enclosure's descriptor, raw; "" if none
  std::string status;  // in sysfs' terms: "OK", "critical", "not installed", …
  std::string reason;  // "AC fail, overtemperature"; "" if none
  std::optional<double> value;
  std::string unit;  // of value: "rpm", "celsius"
};

// One array device slot or device slot, with the values of the kernel's ses driver.
struct Slot {
  std::string component;  // its folder in /sys/class/enclosure/…, as the kernel names it
  std::string status;     // "OK", "not installed", …
  bool power = true;
  int fault = 0;   // 2 requested, 4 sensed by the slot itself
  int locate = 0;  // 1 requested
};
// The values of the kernel's slot attributes, which the kernel would read with 4 commands per slot.
// In slot order.
Result<std::vector<Slot>> decode_slots(std::string_view configuration, std::string_view status,
                                       std::string_view descriptors);

// descriptors may be empty: not every enclosure has that page.
Result<std::vector<Element>> decode_elements(std::string_view configuration,
                                             std::string_view status, std::string_view descriptors);

}  // namespace fmd::enclosure
