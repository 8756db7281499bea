#include <gtest/gtest.h>

#include "plugins/ipmi/sdr.h"
#include "plugins/ipmi/tests/ipmi_fixture.h"
#include "plugins/ipmi/watch.h"

namespace fmd::ipmi {
namespace {

// Written by `ipmitool sdr dump` for a simulated BMC; `ipmitool sdr elist` prints the same values.
TEST(Sdr, OfARecordedServer) {
  const Sdr sdr = parse_sdr(testing::fixture("small-server.sdr"));
  EXPECT_FALSE(sdr.broken);
  ASSERT_EQ(sdr.sensors.size(), 14U);
  const Sensor* fan = sdr.find(0x41);
  ASSERT_TRUE(fan);
  EXPECT_EQ(fan->name, "FAN1");
  EXPECT_EQ(fan->type, code::kFan);
  EXPECT_EQ(fan->part, (Entity{entity::kFan, 1}));
  EXPECT_EQ(fan->unit, "rpm");
  EXPECT_EQ(fan->value(56), 5600);
  EXPECT_EQ(fan->limits[1], 500) << "lower critical";
  EXPECT_FALSE(fan->limits[4]);
  EXPECT_EQ(fan->compares, 0x07);
  EXPECT_EQ(sdr.find(3)->value(120), 12.0) << "12 V";
  EXPECT_EQ(sdr.find(1)->limits[5], 100) << "upper non-recoverable";
  const Sensor* supply = sdr.find(0x61);
  EXPECT_EQ(supply->name, "PS1 Status");
  EXPECT_EQ(supply->reading_type, code::kSpecific);
  EXPECT_EQ(supply->readable, 0x8F);
  EXPECT_TRUE(sdr.find(0x90)->event_only);
  EXPECT_EQ(sdr.frus, (std::map<int, FruLocator>{{1, {{10, 1}, "PSU1"}}, {2, {{10, 2}, "PSU2"}}}));
}

TEST(Sdr, EveryCutOfItIsTaken) {
  const std::string all = testing::fixture("small-server.sdr");
  for (size_t length = 0; length < all.size(); ++length) {
    const Sdr sdr = parse_sdr(all.substr(0, length));
    EXPECT_LE(sdr.sensors.size(), 14U);
  }
  EXPECT_TRUE(parse_sdr(all.substr(0, all.size() - 1)).broken);
}

std::string compact(const std::string& name, uint8_t share, uint8_t share_more,
                    uint8_t owner = 0x20) {
  std::string body(26, '\0');  // bytes 6 to 31
  body[0] = static_cast<char>(owner);
  body[2] = 0x10;
  body[3] = 29;
  body[4] = 1;
  body[7] = 4;
  body[8] = 0x6F;
  body[18] = static_cast<char>(share);
  body[19] = static_cast<char>(share_more);
  body += static_cast<char>(0xC0 | name.size());
  body += name;
  std::string record{0, 0, 0x51, 2, static_cast<char>(body.size())};
  return record + body;
}

TEST(Sdr, ARecordThatSeveralSensorsShare) {
  const Sdr sdr = parse_sdr(compact("Fan ", 3, 0x81));
  ASSERT_EQ(sdr.sensors.size(), 3U);
  EXPECT_EQ(sdr.sensors[0].name, "Fan 1");
  EXPECT_EQ(sdr.sensors[2].name, "Fan 3");
  EXPECT_EQ(sdr.sensors[2].number, 0x12);
  EXPECT_EQ(sdr.sensors[2].part.instance, 3);
  EXPECT_EQ(parse_sdr(compact("Fan ", 0x12, 0)).sensors[1].name, "Fan B");
}

TEST(Sdr, AnotherControllersSensorIsNotOurs) {
  const Sdr sdr = parse_sdr(compact("PS", 1, 0, 0x2C));
  EXPECT_FALSE(sdr.sensors.at(0).ours);
  EXPECT_EQ(sdr.find(0x10), nullptr);
}

TEST(Sdr, ValuesBySignAndExponent) {
  Sensor sensor;
  EXPECT_FALSE(sensor.value(1)) << "no curve";
  sensor.curve = {true, true, false, 1, 0, 0, 0, 0};
  EXPECT_EQ(sensor.value(0xFF), -1);
  sensor.curve = {true, true, true, 1, 0, 0, 0, 0};
  EXPECT_EQ(sensor.value(0xFE), -1) << "one's complement";
  sensor.curve = {true, false, false, 5, 2, 1, -1, 0};
  EXPECT_EQ(sensor.value(10), 7) << "(5 * 10 + 2 * 10) / 10";
  sensor.curve.linear = 7;
  EXPECT_FALSE(Sensor{sensor}.value(-4 & 0xFF) == std::optional<double>(0));
  sensor.curve = {true, false, false, 0, 0, 0, 0, 7};
  EXPECT_FALSE(sensor.value(1)) << "1 / 0";
  sensor.curve.linear = 0x70;
  EXPECT_FALSE(sensor.value(1)) << "the maker's own curve";
}

Answer said(Bytes bytes) {
  return {std::move(bytes), 0};
}

TEST(Reading, OneWithoutAReadingHasNone) {
  Sensor sensor;
  sensor.reading_type = code::kSpecific;
  EXPECT_FALSE(parse_reading(sensor, {}).available) << "refused";
  EXPECT_FALSE(parse_reading(sensor, said({0})).available);
  EXPECT_FALSE(parse_reading(sensor, said({0, 0xC0})).available) << "a discrete one without states";
  EXPECT_FALSE(parse_reading(sensor, said({0, 0xE0, 0x02, 0})).available)
      << "\"reading unavailable\"";
  EXPECT_FALSE(parse_reading(sensor, said({0, 0x80, 0x02, 0})).available) << "not scanned";
  const Reading reading = parse_reading(sensor, said({0, 0xC0, 0x03, 0x81}));
  EXPECT_TRUE(reading.available);
  EXPECT_EQ(reading.states, 0x103) << "the top bit is reserved";
  sensor.readable = 0x02;
  EXPECT_EQ(parse_reading(sensor, said({0, 0xC0, 0x03, 0x01})).states, 0x02);
}

TEST(Reading, AComparisonWithoutAThresholdIsNone) {
  Sensor sensor;
  sensor.reading_type = code::kThreshold;
  EXPECT_EQ(parse_reading(sensor, said({9, 0xC0, 0x3F})).states, 0);
  sensor.compares = 0x03;
  const Reading reading = parse_reading(sensor, said({9, 0xC0, 0xFF, 0}));
  EXPECT_EQ(reading.states, 0x03);
  EXPECT_EQ(reading.raw, 9);
}

TEST(Judge, TheGravestStateFirst) {
  Sensor sensor;
  sensor.reading_type = code::kSpecific;
  sensor.type = code::kPowerSupply;
  const Meaning meaning = testing::standard();
  const Judged judged = judge(sensor, {true, 0, 0x07}, meaning);
  EXPECT_EQ(judged.level(), "critical");
  EXPECT_EQ(judged.text, "failed, failure predicted, present");
  EXPECT_EQ(judge(sensor, {true, 0, 0}, meaning).level(), "nominal");
  EXPECT_EQ(judge(sensor, {}, meaning).level(), "unknown");
  sensor.reading_type = code::kThreshold;
  EXPECT_EQ(judge(sensor, {true, 2, 0x03}, meaning).text, "below its lower critical threshold");
}

TEST(Watch, TwoLooksInARow) {
  Watch watch;
  const Reading well{true, 56, 0}, low{true, 2, 3}, none{};
  EXPECT_TRUE(watch.take(1, well)) << "look again soon";
  EXPECT_EQ(watch.confirmed(1), nullptr);
  EXPECT_FALSE(watch.take(1, well));
  EXPECT_TRUE(watch.take(1, low));
  EXPECT_EQ(watch.confirmed(1)->states, 0) << "one look";
  EXPECT_TRUE(watch.take(1, none));
  EXPECT_TRUE(watch.take(1, low));
  EXPECT_EQ(watch.confirmed(1)->states, 0) << "it flaps";
  EXPECT_FALSE(watch.take(1, low));
  EXPECT_EQ(watch.confirmed(1)->states, 3);
  EXPECT_TRUE(watch.take(1, well));
  EXPECT_EQ(watch.confirmed(1)->states, 3) << "and back: two looks as well";
  EXPECT_FALSE(watch.take(1, {true, 57, 0})) << "another value is no other state";
  EXPECT_EQ(watch.confirmed(1)->states, 0);
  EXPECT_EQ(watch.raw(1), 57);
  watch.nothing_known();
  EXPECT_FALSE(watch.confirmed(1)->available);
}

TEST(Sdr, TheNumberOfSensorsIsLimited) {
  std::string dump;
  for (size_t i = 0; i < 6000; ++i) dump += compact("FAN", 0, 0);
  const Sdr sdr = parse_sdr(dump);
  EXPECT_TRUE(sdr.too_many);
  EXPECT_EQ(sdr.sensors.size(), Sdr::kMostSensors);
}

}  // namespace
}  // namespace fmd::ipmi
