// Mark: an outcome held against the truth.
#pragma once
#include <optional>
#include <string>

#include "scenario.h"

namespace fmd::score {

struct Mark {
  bool localised = false;    // each broken part was named, and nothing else was accused
  bool right_class = false;  // and each by a fault of the right class
  bool in_time = false;  // each was named by when the scenario wants it; of what is quiet: it was
  int musts = 0, done = 0;  // what must be done; what of it was, by when it must
  int wrongly_retired = 0, spares_wasted = 0, lit_in_vain = 0;
  int messages = 0, incidents = 1;
  std::optional<int64_t> to_case_ns;  // from the onset to the first word of the first broken part
  std::string why;                    // what is not right, "" all is
};

Mark mark(const Scenario& scenario, const Cast& cast, const Outcome& outcome);

}  // namespace fmd::score
