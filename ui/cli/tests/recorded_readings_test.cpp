// Readings in a recording.
#include "ui/cli/recorded_readings.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::cli {
namespace {

MeasuredParts measured() {
  const auto point = [](int64_t at, double value) {
    return ui::SeriesPoint{at, value, value, value};
  };
  ui::Series errors, heat;
  errors.name = "ce_count";
  errors.points = {point(90, 3), point(200, 5), point(300, 12)};
  heat.name = "temperature_celsius";
  heat.unit = "celsius";
  heat.points = {point(200, 40.5)};
  return {{"dev://a", {errors, heat}}};
}

TEST(RecordedReadings, EachIsToldInItsTime) {
  const auto messages = readings_messages(measured(), 100);
  ASSERT_EQ(messages.size(), 2u) << "what was so at the beginning is in the inventory";
  EXPECT_EQ(messages[0]["at"], 200);
  EXPECT_EQ(messages[0]["method"], "readings");
  EXPECT_EQ(messages[0]["params"]["readings"].size(), 2u);
  EXPECT_EQ(messages[0]["params"]["readings"][0].dump(),
            R"({"name":"ce_count","resource":"dev://a","time":200,"value":5})");
  EXPECT_EQ(messages[0]["params"]["readings"][1]["value"], 40.5);
  EXPECT_EQ(messages[0]["params"]["readings"][1]["unit"], "celsius");
  EXPECT_EQ(messages[1]["at"], 300);
}

// If a counter began with the present value, it would seem to be reset within the recording.
TEST(RecordedReadings, ThePartsBeginWithWhatWasMeasuredThen) {
  Resource part;
  part.fmri = "dev://a";
  part.properties = {
      {"ce_count", int64_t{12}}, {"temperature_celsius", 40.5}, {"serial", std::string("S")}};
  std::vector<Resource> parts{part};
  take_back(parts, measured(), 100);
  EXPECT_EQ(parts[0].get("ce_count"), "3");
  EXPECT_FALSE(parts[0].properties.contains("temperature_celsius")) << "not measured yet";
  EXPECT_EQ(parts[0].get("serial"), "S");
}

}  // namespace
}  // namespace fmd::cli
