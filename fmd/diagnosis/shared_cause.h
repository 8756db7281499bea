// SharedCause: a part that several disks share and that is more likely at fault than each of them, by
// the odds of blame/. Values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/diagnosis/blame/hubs.h"
#include "fmd/diagnosis/blame/items.h"
#include "fmd/model/fmri.h"
#include "fmd/rules/rules.h"

namespace fmd {

struct SharedCause {
  blame::HubKind hub = blame::HubKind::path;
  blame::Way way = blame::Way::path;
  // FMRIs of parts with the same disks, the lowest first; {""}: the machine.
  std::vector<std::string> names = {};
  std::vector<const Rule*> rules = {};  // that accuse such a part
  std::vector<std::string> disks = {};  // explained by it, sorted
  size_t of = 0;                        // disks below it whose state is known
  size_t below = 0;                     // all disks below it
  size_t elsewhere = 0;                 // other disks of the machine
  size_t elsewhere_failing = 0;
  // Numbers of the explained disks.
  size_t ongoing = 0;                 // still failing
  size_t found = 0;                   // with an open finding; the others only show single errors
  size_t concluded = 0;               // of these, with one that its rule no longer holds back
  size_t explained = 0;               // explained by another open case already
  int64_t first_ns = 0, last_ns = 0;  // onsets, steady
  int64_t ongoing_ns = INT64_MAX;     // the first onset of those that still fail
  double gain = 0;                    // log odds against no shared cause
  double lead = 0;                    // log odds against the best other shared part
  std::vector<std::string> cases =
      {};  // sorted; about the disks, except those with a fault of their own

  // FMRIs of what a rule of kind cause would accuse.
  std::vector<std::string> accused_by(const Rule& common) const {
    return common.in_common.empty() ? names : std::vector{in_common_fmri(common.in_common)};
  }
};

}  // namespace fmd
