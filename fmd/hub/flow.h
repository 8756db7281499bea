// How much input is accepted from plugins.
#pragma once

namespace fmd {

enum class Flow {
  acked,  // a limited number of unacknowledged requests; more after a commit
  ahead,  // the disk accepts nothing: plugins learn what is in memory, and continue
  held,   // memory is also full: no such notice, so each stops at its limit
};

}  // namespace fmd
