#include "plugins/smart/self_tests.h"

#include <algorithm>
#include <set>

namespace fmd::smart {
namespace {

constexpr int64_t kNever = INT64_MAX;

// Hours since the last test of that kind or a longer one, whatever its result.
int64_t age(const Candidate& disk, SelfTest::Kind kind) {
  for (const SelfTest& test : disk.tests) {
    const bool counts = test.kind == kind || test.kind == SelfTest::Kind::long_test;
    if (!counts || !test.hours) continue;
    return hours_between(*test.hours, *disk.hours, true);
  }
  return kNever;
}

struct Due {
  TestStart start;
  int64_t overdue;
  const Candidate* disk;
};

// A long test includes a short one, so it goes first.
std::optional<Due> due(const Candidate& disk, const TestPlan& plan) {
  if (!disk.able || disk.running || !disk.hours) return std::nullopt;
  for (const auto& [kind, every] : {std::pair(SelfTest::Kind::long_test, plan.long_every),
                                    std::pair(SelfTest::Kind::short_test, plan.short_every)}) {
    if (every.count() <= 0 || disk.resting.contains(kind)) continue;
    const int64_t hours = std::chrono::duration_cast<std::chrono::hours>(every).count();
    const int64_t since = age(disk, kind);
    if (since >= hours)
      return Due{{disk.fmri, kind}, since == kNever ? kNever : since - hours, &disk};
  }
  return std::nullopt;
}

}  // namespace

std::chrono::milliseconds rest_after(bool begun, std::chrono::milliseconds every) {
  return begun ? every : std::min<std::chrono::milliseconds>(every, std::chrono::hours(24));
}

std::vector<TestStart> due_tests(const std::vector<Candidate>& disks, const TestPlan& plan) {
  std::set<std::string> busy;
  size_t running = 0;
  std::vector<Due> waiting;
  for (const Candidate& disk : disks) {
    if (disk.running) {
      ++running;
      busy.insert(disk.groups.begin(), disk.groups.end());
    }
    if (auto one = due(disk, plan)) waiting.push_back(std::move(*one));
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Due& a, const Due& b) { return a.overdue > b.overdue; });
  std::vector<TestStart> starts;
  for (const Due& one : waiting) {
    if (running >= plan.at_once) break;
    const auto& groups = one.disk->groups;
    if (std::any_of(groups.begin(), groups.end(),
                    [&](const std::string& group) { return busy.contains(group); }))
      continue;
    busy.insert(groups.begin(), groups.end());
    ++running;
    starts.push_back(one.start);
  }
  return starts;
}

}  // namespace fmd::smart
