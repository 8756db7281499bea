// Judges of the same scenario: fmd, fmd without common-cause rules, and ZED's rules.
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

// The same seed gives each judge the same events: fmd's actions do not influence what happens.
Played play(const Job& job, Host& host, const Rules& rules, int lost_percent,
            std::function<void(const Event&, int64_t at)> heard = {});

struct Result {
  Mark marks[kJudges];
  bool other = false;  // with lost events the verdict differs from that with all events
};

// alone: the rules without common causes; nullptr: only fmd is judged.
Result judge(const Job& job, const Rules& rules, const Rules& alone, int lost_percent, bool story);

}  // namespace fmd::score
