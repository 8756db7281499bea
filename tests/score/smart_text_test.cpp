#include "smart_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "host.h"
#include "play.h"

namespace fmd::score::smart_text_test {
namespace {

using Protocol = SmartText::Protocol;
const std::string kFixtures = FMD_TREE "/plugins/smart/tests/fixtures/";

TEST(SmartText, WhatIsPlayedIsWhatTheReaderMakesOfIt) {
  struct Row {
    Protocol protocol;
    const char* property;
    Value value;
  };
  const Row rows[] = {{Protocol::nvme, "smart.critical_warning.reliability_degraded", Value(true)},
                      {Protocol::nvme, "smart.critical_warning.spare_below_threshold", Value(true)},
                      {Protocol::nvme, "smart.critical_warning.media_read_only", Value(true)},
                      {Protocol::nvme, "smart.critical_warning.media_read_only", Value(false)},
                      {Protocol::nvme, "wear_percent", number(100)},
                      {Protocol::nvme, "smart.media_errors", number(40)},
                      {Protocol::nvme, "smart.status", text("failed")},
                      {Protocol::nvme, "smart.self_test", text("failed")},
                      {Protocol::nvme, "smart.self_test", text("passed")},
                      {Protocol::scsi, "smart.exception", text("failure-predicted")},
                      {Protocol::scsi, "smart.status", text("passed")},
                      {Protocol::scsi, "smart.self_test", text("failed")},
                      {Protocol::scsi, "smart.self_test", text("passed")},
                      {Protocol::scsi, "wear_percent", number(100)},
                      {Protocol::scsi, "smart.grown_defects", number(0)}};
  for (const Row& row : rows) {
    const auto told = SmartText::recorded().told(row.protocol, row.property, row.value);
    ASSERT_TRUE(told) << row.property;
    EXPECT_TRUE(equal_values(*told, row.value)) << row.property << " is " << to_text(*told);
  }
}

TEST(SmartText, ADiskHasNoPlaceForWhatIsAnothers) {
  const SmartText& recorded = SmartText::recorded();
  EXPECT_FALSE(recorded.told(Protocol::scsi, "smart.media_errors", number(1)));
  EXPECT_FALSE(
      recorded.told(Protocol::scsi, "smart.critical_warning.media_read_only", Value(true)));
  EXPECT_FALSE(recorded.told(Protocol::nvme, "smart.grown_defects", number(1)));
}

TEST(SmartText, WhatCannotBeReadIsNotPlayed) {
  EXPECT_THROW(SmartText::recorded().told(Protocol::nvme, "wear_percent", text("much")),
               std::logic_error);
  const SmartText asleep(kFixtures + "standby.json", kFixtures + "nvme.json");
  EXPECT_THROW(asleep.told(Protocol::scsi, "wear_percent", number(1)), std::logic_error);
  EXPECT_THROW(SmartText(kFixtures + "truncated.json", kFixtures + "scsi.json"),
               std::runtime_error);
}

TEST(SmartText, APlayTellsOnlyWhatWasRead) {
  Host host(shapes().front());
  histories::Chance chance(1);
  Play play(host, std::make_shared<const RuleSet>(), chance);
  const std::string& disk = host.disks.front().fmri;
  EXPECT_NO_THROW(play.set(Play::kStart, Teller::smart, disk, "wear_percent", number(100)));
  EXPECT_THROW(play.set(Play::kStart, Teller::smart, disk, "wear_percent", text("much")),
               std::logic_error);
}

}  // namespace
}  // namespace fmd::score::smart_text_test
