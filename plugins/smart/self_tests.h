// Chooses the self-tests that are due and may start now. Stateless: the time of a disk's last test
// is read from its own log, in power-on hours.
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
  std::vector<std::string> groups;   // only one disk of a group is tested at a time; none: no limit
  bool running = false;              // a test is running, by whomever it was started
  bool able = false;                 // awake, responds, and supports self-tests
  std::optional<int64_t> hours;      // power-on hours now
  std::vector<SelfTest> tests;       // newest first
  std::set<SelfTest::Kind> resting;  // requested recently: not again, whatever the log shows
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

// How long not to request that kind again. After a refusal, at most a day: the disk may have been
// busy. A test that began counts as done, even if the disk's log never shows it. 0: no plan.
std::chrono::milliseconds rest_after(bool begun, std::chrono::milliseconds every);

// The tests to start now, the longest overdue first.
std::vector<TestStart> due_tests(const std::vector<Candidate>& disks, const TestPlan& plan);

}  // namespace fmd::smart
