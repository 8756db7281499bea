// Ends an action that is no longer wanted, and removes its progress text. An action that was
// already returned keeps its text: what was undone, and why not all of it.
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
