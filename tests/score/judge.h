// Judges: fmd, and what it is held against, on the same scenario: fmd without rules of common causes, and ZED's rules.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fmd/rules/rules.h"
#include "mark.h"

namespace fmd::score {

constexpr size_t kJudges = 4;
inline constexpr const char* kJudgeNames[kJudges] = {"fmd", "one rule a part", "ZED's rules",
                                                     "ZED's, 2.4"};

using Rules = std::shared_ptr<const RuleSet>;

struct Job {
  const Scenario* scenario;
  uint64_t seed;
};

struct Played {
  Cast cast;
  Outcome outcome;
};

// The same seed gives the same play to each judge: what fmd does changes nothing of what happens.
Played play(const Job& job, Host& host, const Rules& rules, int lost_percent,
            std::function<void(const Event&, int64_t at)> heard = {});

struct Result {
  Mark marks[kJudges];
  bool other = false;  // with events lost: than with all of them
};

// alone: the rules without those of common causes; nullptr: fmd alone is judged.
Result judge(const Job& job, const Rules& rules, const Rules& alone, int lost_percent, bool story);

}  // namespace fmd::score
