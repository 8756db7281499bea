// Access to smartctl's recorded output (tests/fixtures).
#pragma once
#include <fmt/format.h>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "plugins/smart/report.h"

namespace fmd::smart::testing {

inline std::string fixture(const std::string& name) {
  std::ifstream stream(fmt::format("{}/{}", FIXTURES, name));
  EXPECT_TRUE(stream) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline Report report(const std::string& name, int exit_status = 0) {
  return parse_report(fixture(name), exit_status);
}

// The value, or -1.
inline double reading(const Report& report, const std::string& name) {
  const auto found = report.readings.find(name);
  return found == report.readings.end() ? -1 : found->second.value;
}

}  // namespace fmd::smart::testing
