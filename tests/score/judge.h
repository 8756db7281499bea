// Judges of the same scenario: fmd, fmd without common-cause rules, ZED's rules, and the odds of causes
// alone (fmd/diagnosis/blame).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fmd/rules/rules.h"
#include "mark.h"

namespace fmd::score {

constexpr size_t kJudges = 5;
inline constexpr const char* kJudgeNames[kJudges] = {"fmd", "one rule a part", "ZED's rules",
                                                     "ZED's, 2.4", "odds alone"};
constexpr size_t kOdds = 4;

using Rules = std::shared_ptr<const RuleSet>;

struct Job {
  const Scenario* scenario;
  uint64_t seed;
};

// Changes that apply to all scenarios of a run.
struct Conditions {
  int lost_percent = 0;  // events that never arrive
  bool mute_bays = false;
  int spread = 1;       // parts fail so many times as far apart
  bool odds = false;    // the inference is judged as well
  bool varied = false;  // each play under its own circumstances
};

struct Played {
  Cast cast;
  Outcome outcome;
};

// The same seed gives each judge the same events: fmd's actions do not influence what happens.
Played play(const Job& job, Host& host, const Rules& rules, const Conditions& conditions,
            std::function<void(const Event&, int64_t at)> heard = {});

struct Result {
  Mark marks[kJudges];
  bool other = false;  // with lost events the verdict differs from that with all events
};

// alone: the rules without common causes; nullptr: only fmd is judged.
Result judge(const Job& job, const Rules& rules, const Rules& alone, const Conditions& conditions,
             bool story);

}  // namespace fmd::score
