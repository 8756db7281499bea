// Mark: an outcome held against the truth.
#pragma once
#include <optional>
#include <string>

#include "family.h"

namespace fmd::score {

struct Mark {
  bool localised = false;    // each broken part was named, and nothing else was accused
  bool right_class = false;  // and each by a fault of the right class
  int wrongly_retired = 0, spares_wasted = 0, lit_in_vain = 0;
  int messages = 0, incidents = 1;
  std::optional<int64_t> to_case_ns;  // from the onset to the first word of the first broken part
  std::string why;                    // what is not right, "" all is
};

Mark mark(const Host& host, const Scenario& scenario, const Outcome& outcome);

}  // namespace fmd::score
