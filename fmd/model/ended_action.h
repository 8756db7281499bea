// An action that nobody wishes any more, with nothing of how far it had come. What was given back, and
// why not all of it, stays as it was said.
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
