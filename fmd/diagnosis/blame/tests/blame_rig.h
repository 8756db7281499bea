// A machine for tests of the inference: disks behind expanders, in groups of eight (raidz2).
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fmd/diagnosis/blame/blame.h"

namespace fmd::blame::test {

constexpr int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute;
constexpr int64_t kBegin = 1000 * kHour;
constexpr Sign kHard{.hard = true}, kLeft{.hard = true, .left = true}, kSoft{};

inline std::string disk(size_t i) {
  return "disk-" + std::to_string(i);
}

struct Machine {
  std::vector<size_t> expanders = {24, 24};  // disks behind each
  size_t group = 8, tolerance = 2;           // 0: no groups
  bool paths = true;                         // the expanders are known
  bool bay_tells = false;
  std::string model = "";

  Layout layout() const {
    Layout out;
    size_t n = 0;
    for (size_t e = 0; e < expanders.size(); ++e)
      for (size_t i = 0; i < expanders[e]; ++i, ++n) {
        Layout::Part part;
        part.name = disk(n);
        if (paths)
          part.above = {{"expander-" + std::to_string(e), HubKind::path}, {"hba-0", HubKind::path}};
        part.model = model;
        if (group > 0) part.group = "raidz2-" + std::to_string(n / group);
        part.tolerance = tolerance;
        part.bay_tells = bay_tells;
        out.parts.push_back(part);
      }
    return out;
  }
};

inline Blame of(const Layout& layout) {
  Blame out;
  out.topology(layout);
  return out;
}

// The explanation of that kind for the part's item; the test fails if there is none.
inline Explanation find(const Account& account, Explanation::Kind kind,
                        const std::string& name = "") {
  for (const Explanation& one : account.explanations)
    if (one.kind == kind &&
        (name.empty() || std::find(one.names.begin(), one.names.end(), name) != one.names.end()))
      return one;
  ADD_FAILURE() << "no explanation " << static_cast<int>(kind) << " " << name;
  return {};
}

inline Account account_of(const Blame& blame, const std::string& part, Way way = Way::path) {
  for (const Account& one : blame.explanations(part))
    if (one.way == way) return one;
  ADD_FAILURE() << "nothing is wrong with " << part;
  return {};
}

inline Explanation best_of(const Blame& blame, const std::string& part, Way way = Way::path) {
  const Account account = account_of(blame, part, way);
  return account.explanations.empty() ? Explanation() : account.explanations.front();
}

}  // namespace fmd::blame::test
