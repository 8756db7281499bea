// Mark: an outcome compared with the truth.
#pragma once
#include <optional>
#include <string>

#include "scenario.h"

namespace fmd::score {

struct Mark {
  bool localised = false;         // each broken part was named and no other was accused
  bool named_in_the_end = false;  // the same, without accusations that fmd withdrew
  bool right_class = false;       // and each by a fault of the right class
  bool in_time = false;           // each part was named in time; a quiet scenario stayed quiet
  int musts = 0, done = 0;        // actions that must be done; those done in time
  int wrongly_retired = 0, spares_wasted = 0, lit_in_vain = 0;
  int messages = 0, incidents = 1;
  std::optional<int64_t> to_case_ns;  // from the onset to the message on the first broken part
  std::string why;                    // what is wrong, or ""
};

Mark mark(const Scenario& scenario, const Cast& cast, const Outcome& outcome);

}  // namespace fmd::score
