#include "shrink.h"

#include <algorithm>

namespace fmd::histories {
namespace {

class Shrinker {
 public:
  Shrinker(History history, const std::function<bool(const History&)>& still_fails, int most)
      : best_(std::move(history)), still_fails_(still_fails), left_(most) {}

  History run() {
    bool better = true;
    while (better && left_ > 0) {
      better = without_steps();
      better = simpler_world() || better;
      better = closer_together() || better;
      better = smaller_amounts() || better;
    }
    return best_;
  }

 private:
  bool take(History candidate) {
    if (left_-- <= 0 || !still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Delta debugging: removes large pieces first, then single steps.
  bool without_steps() {
    bool any = false;
    for (size_t piece = std::max<size_t>(1, best_.steps.size() / 2);; piece /= 2) {
      for (size_t from = 0; from < best_.steps.size();) {
        History candidate = best_;
        const auto begin = candidate.steps.begin() + static_cast<std::ptrdiff_t>(from);
        const size_t count = std::min(piece, candidate.steps.size() - from);
        candidate.steps.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
        if (take(std::move(candidate)))
          any = true;
        else
          from += piece;
      }
      if (piece <= 1) return any;
    }
  }

  bool simpler_world() {
    bool any = false;
    for (size_t i = 0; i < simpler(best_.shape).size(); ++i) {
      History candidate = best_;
      candidate.shape = simpler(best_.shape)[i];
      any = take(std::move(candidate)) || any;
    }
    return any && changed_once_more();
  }
  // Limits the rounds: a simplification that changes nothing would be repeated forever.
  bool changed_once_more() { return rounds_++ < 3; }

  // Shortens long waits that do not matter.
  bool closer_together() {
    bool any = false;
    for (size_t i = 0; i < best_.steps.size(); ++i) {
      const Ns before = i == 0 ? 0 : best_.steps[i - 1].at;
      for (const Ns gap : {Ns{0}, 10 * kSec, 2 * kMin}) {
        if (best_.steps[i].at - before <= gap) break;
        History candidate = best_;
        const Ns less = candidate.steps[i].at - before - gap;
        for (size_t later = i; later < candidate.steps.size(); ++later)
          candidate.steps[later].at -= less;
        if (!take(std::move(candidate))) continue;
        any = true;
        break;
      }
    }
    return any;
  }

  bool smaller_amounts() {
    bool any = false;
    for (size_t i = 0; i < best_.steps.size(); ++i) {
      for (int Step::*field : {&Step::amount, &Step::option}) {
        if (best_.steps[i].*field == 0 || best_.steps[i].kind == StepKind::next_command) continue;
        History candidate = best_;
        candidate.steps[i].*field = 0;
        any = take(std::move(candidate)) || any;
      }
    }
    return any;
  }

  History best_;
  const std::function<bool(const History&)>& still_fails_;
  int left_;
  int rounds_ = 0;
};

}  // namespace

History shrink(const History& failing, const std::function<bool(const History&)>& still_fails,
               int most) {
  return Shrinker(failing, still_fails, most).run();
}

}  // namespace fmd::histories
