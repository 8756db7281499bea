// check_fmd's output and exit status for given answers of fmd.
#include "ui/cli/check.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

CheckResult of_pools(const json& pools) {
  return check({}, json::array(), json::array(), {{"pools", pools}}, 0);
}

TEST(Check, APoolOrArrayThatIsNotHealthyIsAWarningByItsName) {
  const json tank = {
      {"fmri", "zfs://pool=7"}, {"name", "tank"}, {"state", "DEGRADED"}, {"well", false}};
  const json array = {
      {"fmri", "md://uuid=1"}, {"name", "md0"}, {"state", "degraded"}, {"well", false}};
  const CheckResult result = of_pools(json::array({tank, array}));
  EXPECT_EQ(result.state, CheckState::warning);
  EXPECT_TRUE(result.text.starts_with(
      "FMD WARNING - no open case; pool tank DEGRADED, array md0 degraded|"))
      << result.text;
  EXPECT_NE(result.text.find("pools_unwell=2"), std::string::npos) << result.text;
}

TEST(Check, InformationIsNoProblem) {
  Case page;
  page.uuid = "9e858a21", page.code = "CPU-8000-XX", page.severity = "Minor", page.title = "Page";
  page.state = CaseState::solved, page.information = true;
  page.suspects = {Suspect{}};
  const CheckResult result = check({page}, json::array(), json::array(), json::object(), 0);
  EXPECT_EQ(result.state, CheckState::ok);
  EXPECT_EQ(result.text.find("FMD OK - Info CPU-8000-XX: Page|critical=0 major=0 minor=0 "), 0u)
      << result.text;
}

TEST(Check, HealthyPoolsAreOk) {
  const json tank = {
      {"fmri", "zfs://pool=7"}, {"name", "tank"}, {"state", "ONLINE"}, {"well", true}};
  EXPECT_EQ(of_pools(json::array({tank})).state, CheckState::ok);
  EXPECT_EQ(check({}, json::array(), json::array(), json::object(), 0).state, CheckState::ok)
      << "an older fmd does not tell of pools";
}

}  // namespace
}  // namespace fmd::cli
