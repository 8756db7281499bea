// Which disk's self-test is due and may start now. Pure. When a disk was tested last is read from
// its own log, in its own power-on hours, so nothing has to be remembered here.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/smart/report.h"

namespace fmd::smart {

struct Candidate {
  std::string fmri;
  std::vector<std::string> groups;   // of one group one disk at a time is tested; none: alone
  bool running = false;              // a test is under way, whoever has started it
  bool able = false;                 // awake, answers, and can do self-tests
  std::optional<int64_t> hours;      // power-on hours now
  std::vector<SelfTest> tests;       // newest first
  std::set<SelfTest::Kind> resting;  // asked for not long ago: not again, whatever the log shows
};

struct TestPlan {
  std::chrono::milliseconds short_every{0}, long_every{0};  // 0: off
  size_t at_once = 4;
};

struct TestStart {
  std::string fmri;
  SelfTest::Kind kind;
  bool operator==(const TestStart&) const = default;
};

// For how long that kind is not asked for again. One that was refused gets another turn, at most a
// day later: the disk may have been busy. One that began is done, even on a disk whose log never
// shows it. 0: there is no plan.
std::chrono::milliseconds rest_after(bool begun, std::chrono::milliseconds every);

// The ones to start now, the longest overdue first.
std::vector<TestStart> due_tests(const std::vector<Candidate>& disks, const TestPlan& plan);

}  // namespace fmd::smart
