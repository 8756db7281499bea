// The machine's own locate LED, with answers of Get Chassis Status as in the specification.
#include "plugins/ipmi/identify.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::ipmi {
namespace {

using nlohmann::json;

Answer status(int misc) {
  return {Bytes{0x21, 0x10, static_cast<uint8_t>(misc)}, 0};
}
const Answer kTaken{Bytes{}, 0};
Answer refused(int code) {
  return {std::nullopt, code};
}

json said(const Identify& light) {
  json properties = json::object();
  light.add_properties(properties);
  return properties;
}

TEST(Identify, ABmcThatNeverSpokeHasNoLight) {
  Identify light;
  EXPECT_EQ(said(light), json::object());
  light.seen(refused(0xC1));
  EXPECT_EQ(said(light), json::object());
}

TEST(Identify, WhatTheBmcShowsCounts) {
  Identify light;
  light.seen(status(0x40));
  EXPECT_EQ(said(light),
            (json{{"led.method", "ipmi"}, {"led.reads_back", true}, {"led.locate", "off"}}));
  light.seen(status(0x60));  // somebody pressed the button
  EXPECT_EQ(said(light)["led.locate"], "on");
  light.seen(status(0x50));
  EXPECT_EQ(said(light)["led.locate"], "on") << "for a time is on, too";
}

TEST(Identify, AReservedStateIsNone) {
  Identify light;
  light.seen(status(0xFF));
  EXPECT_EQ(said(light)["led.reads_back"], false);
  bool again = false;
  EXPECT_EQ(light.take(false, {kTaken, status(0xFF)}, again), "")
      << "nor does it say that it is lit";
  EXPECT_EQ(said(light)["led.locate"], "off");
}

TEST(Identify, AnOrderIsReadBack) {
  Identify light;
  light.seen(status(0x40));
  const auto requests = light.order(true);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].command, 0x04);
  EXPECT_EQ(requests[0].data, (Bytes{0, 1})) << "until further notice";
  bool again = true;
  EXPECT_EQ(light.take(true, {kTaken, status(0x60)}, again), "");
  EXPECT_FALSE(again);
  EXPECT_EQ(said(light)["led.locate"], "on");
  EXPECT_EQ(light.order(false)[0].data, Bytes{0});
  EXPECT_EQ(light.take(false, {kTaken, status(0x60)}, again), "the BMC says that it is lit");
  EXPECT_EQ(said(light)["led.locate"], "cannot-drive");
  light.seen(status(0x40));  // the BMC was slow
  EXPECT_EQ(said(light)["led.locate"], "off");
  EXPECT_FALSE(said(light).contains("led.reason"));
}

TEST(Identify, ABmcThatKnowsOnlyATimeIsToldAgainWithEachLook) {
  Identify light;
  light.seen(status(0x00));
  EXPECT_EQ(said(light)["led.reads_back"], false);
  bool again = false;
  EXPECT_EQ(light.take(true, {refused(0xC7), status(0)}, again), "");
  ASSERT_TRUE(again);
  EXPECT_EQ(light.order(true)[0].data, Bytes{0xFF});
  EXPECT_EQ(light.take(true, {kTaken, status(0)}, again), "");
  EXPECT_FALSE(again);
  EXPECT_EQ(said(light)["led.locate"], "on") << "believed: it tells nothing";
  ASSERT_EQ(light.renewal().size(), 1U);
  EXPECT_EQ(light.take(false, {kTaken, status(0)}, again), "");
  EXPECT_TRUE(light.renewal().empty());
  EXPECT_EQ(said(light)["led.locate"], "off");
}

TEST(Identify, ARefusalIsSaid) {
  Identify light;
  light.seen(status(0x40));
  bool again = false;
  EXPECT_EQ(light.take(true, {refused(0xC1), refused(0)}, again),
            "the BMC refuses it (completion code 0xc1)");
  EXPECT_FALSE(again) << "another form is no help";
  EXPECT_EQ(said(light)["led.locate"], "cannot-drive");
  EXPECT_EQ(light.take(true, {refused(0), refused(0)}, again), "the BMC does not answer");
  EXPECT_NE(light.take(true, {refused(0xD4), refused(0)}, again).find("\"operator\""),
            std::string::npos);
}

}  // namespace
}  // namespace fmd::ipmi
