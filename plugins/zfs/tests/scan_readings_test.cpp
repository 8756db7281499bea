#include "plugins/zfs/scan_readings.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::zfs::scan_readings_test {
namespace {

using nlohmann::json;

json pool(const json& properties) {
  return json::array(
      {{{"fmri", "zfs://pool=1/vdev=2"}, {"type", "zfs-vdev"}},
       {{"fmri", "zfs://pool=1"}, {"type", "zfs-pool"}, {"properties", properties}}});
}

TEST(ScanReadings, TheRateWhileItRunsAndZeroOnceAtItsEnd) {
  ScanReadings readings;
  EXPECT_TRUE(readings.take(pool({{"scan", "none"}}), 1).empty()) << "nothing runs";
  EXPECT_EQ(readings.take(pool({{"scan", "resilver"}, {"scan_rate_bytes", 98000000}}), 2),
            json::array({{{"resource", "zfs://pool=1"},
                          {"name", "scan_rate_bytes"},
                          {"value", 98000000.0},
                          {"unit", "bytes/s"},
                          {"time", 2}}}));
  EXPECT_EQ(readings.take(pool({{"scan", "none"}}), 3).at(0)["value"], 0.0);
  EXPECT_TRUE(readings.take(pool({{"scan", "none"}}), 4).empty()) << "once";
}

TEST(ScanReadings, APausedScrubStandsStill) {
  ScanReadings readings;
  const json paused = {{"scan", "scrub"}, {"scan_rate_bytes", 5}, {"scan_paused", true}};
  EXPECT_TRUE(readings.take(pool(paused), 1).empty());
  readings.take(pool({{"scan", "scrub"}, {"scan_rate_bytes", 5}}), 2);
  EXPECT_EQ(readings.take(pool(paused), 3).at(0)["value"], 0.0);
}

// A pool that is not in this message keeps its state.
TEST(ScanReadings, OfWhatIsNotToldNothingIsSaid) {
  ScanReadings readings;
  readings.take(pool({{"scan", "scrub"}, {"scan_rate_bytes", 5}}), 1);
  EXPECT_TRUE(readings.take(json::array(), 2).empty());
  EXPECT_EQ(readings.take(pool({{"scan", "none"}}), 3).size(), 1u);
}

}  // namespace
}  // namespace fmd::zfs::scan_readings_test
