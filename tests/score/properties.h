// Properties: what must not change a verdict, of single plays.
#pragma once
#include "judge.h"

namespace fmd::score {

bool same_with_other_labels(const Job& job, const Rules& rules);

// With a controller and disks more that are well: no wider part is accused than without. Where each disk was accused for
// itself it may be what they share: that none fails elsewhere is less of a chance then.
bool no_wider_with_bystanders(const Job& job, const Rules& rules);

}  // namespace fmd::score
