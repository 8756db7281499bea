// Shrinking: the shortest history that still breaks the same invariant. Pure.
#pragma once
#include <functional>

#include "history.h"

namespace fmd::histories {

// still_fails: plays the history. most: the maximum number of calls.
History shrink(const History& failing, const std::function<bool(const History&)>& still_fails,
               int most = 4000);

}  // namespace fmd::histories
