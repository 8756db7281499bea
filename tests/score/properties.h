// Properties: changes that must not change a verdict, for single plays.
#pragma once
#include "judge.h"

namespace fmd::score {

bool same_with_other_labels(const Job& job, const Rules& rules);

// Adding a controller with healthy disks must not widen the accused part. If each disk was accused
// on its own, their common part may be accused: failures only there are then less of a coincidence.
bool no_wider_with_bystanders(const Job& job, const Rules& rules);

}  // namespace fmd::score
