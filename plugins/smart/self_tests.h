// Which disk's self-test is due and may start now. Pure. When a disk was tested last is read from
// its own log, in its own power-on hours, so nothing has to be remembered here.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/smart/report.h"

namespace fmd::smart {

struct Candidate {
  std::string fmri;
  std::vector<std::string> groups;  // of one group one disk at a time is tested; none: alone
  bool running = false;             // a test is under way, whoever has started it
  bool able = false;                // awake, answers, and can do self-tests
  std::optional<int64_t> hours;     // power-on hours now
  std::vector<SelfTest> tests;      // newest first
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

// The ones to start now, the longest overdue first.
std::vector<TestStart> due_tests(const std::vector<Candidate>& disks, const TestPlan& plan);

}  // namespace fmd::smart
