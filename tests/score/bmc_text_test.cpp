#include "bmc_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fmd::score::bmc_text_test {
namespace {

using ipmi::Verdict;

std::string said(const Properties& properties, const char* name) {
  return to_text(properties.at(name));
}

TEST(BmcText, ASensorBeyondItsLimits) {
  const BmcText& recorded = BmcText::recorded();
  struct Row {
    const char *label, *kind;
    Verdict is;
    const char *level, *status, *reason;
  };
  for (const Row& row : {Row{"CPU1 Temp", "temperature", Verdict::nominal, "nominal", "ok", ""},
                         {"CPU1 Temp", "temperature", Verdict::warning, "warning", "alarm",
                          "above its upper non-critical threshold"},
                         {"System Temp", "temperature", Verdict::critical, "critical", "failed",
                          "above its upper critical threshold"},
                         {"12V", "voltage", Verdict::nominal, "nominal", "ok", ""},
                         {"12V", "voltage", Verdict::critical, "critical", "failed",
                          "above its upper critical threshold"}}) {
    const auto is = recorded.sensor(row.label, row.kind, row.is);
    EXPECT_EQ(said(is, "level"), row.level) << row.label;
    EXPECT_EQ(said(is, "status"), row.status) << row.label;
    EXPECT_EQ(said(is, "reason"), row.reason) << row.label;
    EXPECT_EQ(said(is, "condition"), "");
  }
}

TEST(BmcText, OneThatWasNotRecordedIsAsAnotherOfItsKind) {
  const BmcText& recorded = BmcText::recorded();
  EXPECT_EQ(recorded.sensor("3.3V", "voltage", Verdict::critical),
            recorded.sensor("12V", "voltage", Verdict::critical));
  EXPECT_THROW(recorded.sensor("FAN", "current", Verdict::critical), std::logic_error);
  EXPECT_THROW(recorded.sensor("CPU1 Temp", "temperature", Verdict::absent), std::logic_error);
}

TEST(BmcText, AFanIsWhatItsSensorSays) {
  const auto slow = BmcText::recorded().fan("FAN1", Verdict::critical);
  EXPECT_EQ(said(slow, "status"), "critical");
  EXPECT_EQ(said(slow, "reason"), "below its lower critical threshold");
  EXPECT_EQ(said(BmcText::recorded().fan("FAN0", Verdict::nominal), "status"), "OK");
}

TEST(BmcText, HowFullTheLogIs) {
  for (const int percent : {2, 82, 99, 100}) {
    const auto is = BmcText::recorded().log(percent);
    EXPECT_EQ(said(is, "log_used_percent"), std::to_string(percent));
    EXPECT_EQ(said(is, "log_overflow"), "false");
  }
}

TEST(BmcText, WithoutARecordingThereIsNone) {
  const std::string types = FMD_TREE "/plugins/ipmi/sensor_types.toml";
  EXPECT_THROW(BmcText(types, types), std::runtime_error);
  EXPECT_THROW(BmcText("nowhere", types), std::runtime_error);
}

}  // namespace
}  // namespace fmd::score::bmc_text_test
