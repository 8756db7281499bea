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

// descriptors may be empty: not every enclosure has that page.
Result<std::vector<Element>> decode_elements(std::string_view configuration,
                                             std::string_view status, std::string_view descriptors);

}  // namespace fmd::enclosure
