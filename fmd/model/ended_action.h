// Ends an action that is no longer wanted: its progress is removed, and the text about what was
// undone, or why not all of it was, is kept.
#pragma once
#include "fmd/model/case.h"

namespace fmd {

inline Action ended(Action action) {
  if (action.state == ActionState::returned) return action;
  action.state = ActionState::returned;
  action.obstacle = Obstacle::none;
  action.detail.clear();
  return action;
}

}  // namespace fmd
