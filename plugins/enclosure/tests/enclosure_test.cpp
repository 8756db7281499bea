// LEDs and bays, and their failures.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "plugins/enclosure/tests/enclosure_rig.h"

namespace fmd::enclosure::testing {
namespace {

TEST_F(EnclosureTest, ChassisBaysAndDisk) {
  make_box();
  start();
  EXPECT_EQ(core_.resources.size(), 9u);
  EXPECT_EQ(core_.resources[kChassis]["type"], "enclosure");
  EXPECT_EQ(core_.resources[kChassis]["properties"],
            json({{"id", "5000c500fa0e5e50"}, {"label", "fakeses0"}, {"components", 8}}));
  EXPECT_EQ(core_.resources[kChassis]["edges"].size(), 8u);
  EXPECT_EQ(core_.resources[kChassis]["edges"][2],
            json({{"relation", "contains"}, {"to", bay(3)}}));
  const json third = {{"label", "SLOT 03"},     {"slot", 3},           {"enclosure", kChassis},
                      {"occupied", true},       {"status", "OK"},      {"power", "on"},
                      {"led.fault", "off"},     {"led.locate", "off"}, {"led.method", "ses"},
                      {"led.reads_back", true}, {"tells_empty", true}};
  EXPECT_EQ(core_.resources[bay(3)]["properties"], third);
  EXPECT_EQ(core_.resources[bay(3)]["edges"],
            json::array({{{"relation", "contains"}, {"to", "dev://wwn=5000c500a0000003"}}}));
  EXPECT_EQ(core_.property(bay(8), "occupied"), false);
  EXPECT_EQ(core_.property(bay(8), "status"), "not installed");
  EXPECT_TRUE(core_.resources[bay(8)]["edges"].empty());
  EXPECT_TRUE(core_.of("inventory").at(0)["complete"]);
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

TEST_F(EnclosureTest, ADiskIsSwapped) {
  make_box();
  start();
  pull(3, "sde");
  nudge();
  ASSERT_TRUE(becomes(bay(3), "occupied", false));
  EXPECT_TRUE(core_.resources[bay(3)]["edges"].empty());
  plug(3, "sdk", "5000c500a0000103");
  nudge();
  ASSERT_TRUE(becomes(bay(3), "occupied", true));
  EXPECT_EQ(core_.resources[bay(3)]["edges"][0]["to"], "dev://wwn=5000c500a0000103");
}

TEST_F(EnclosureTest, LightsAndDarkensOneLed) {
  make_box();
  start();
  EXPECT_EQ(led("1", bay(3), "fault", true)["status"], "done");
  EXPECT_EQ(tree_.read(slot_folder(3) + "/fault"), "1");
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "on") << "told only after the answer";
  for (int slot : {1, 2, 4, 5, 6, 7, 8}) EXPECT_EQ(tree_.read(slot_folder(slot) + "/fault"), "0\n");
  EXPECT_EQ(tree_.read(slot_folder(3) + "/locate"), "0\n");
  EXPECT_EQ(led("2", bay(3), "fault", false)["status"], "done");
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "off");
  EXPECT_EQ(led("3", bay(8), "locate", true)["status"], "done");
  EXPECT_EQ(tree_.read(slot_folder(8) + "/locate"), "1");
}

TEST_F(EnclosureTest, ALostWriteIsRepeated) {
  make_box();
  Options options = quiet();
  options.write_led = losing(2);
  start(options);
  const json answer = led("1", bay(3), "fault", true);
  EXPECT_EQ(answer["status"], "done");
  EXPECT_EQ(answer["detail"]["tries"], 3);
  EXPECT_EQ(tree_.read("/tries"), "xxx");
}

TEST_F(EnclosureTest, AnLedThatCannotBeDrivenIsToldAsThat) {
  make_box();
  Options options = quiet();
  options.write_led = losing(5);
  start(options);
  const json answer = led("1", bay(3), "fault", true);
  const std::string reason = "fault LED of SLOT 03 cannot be driven: written 1, reads back 0";
  EXPECT_EQ(answer["status"], "failed");
  EXPECT_EQ(answer["reason"].get<std::string>(),
            "fault LED of " + bay(3) + " cannot be driven: written 1, reads back 0");
  EXPECT_EQ(tree_.read("/tries"), "xxxxx");
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "cannot-drive");
  EXPECT_EQ(core_.property(bay(3), "led.reason"), reason);
  EXPECT_EQ(core_.property(bay(3), "led.locate"), "off");
  const auto id = core_.command("refresh", "r", kChassis);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "cannot-drive") << "a look made it good";
  EXPECT_EQ(led("2", bay(3), "fault", true)["status"], "done");  // somebody has repaired it
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "on");
  EXPECT_EQ(core_.property(bay(3), "led.reason"), json());
}

TEST_F(EnclosureTest, WhatCouldNotBeDrivenAndIsThereAfterAllIsGood) {
  make_box();
  Options options = quiet();
  options.write_led = losing(5);
  start(options);
  EXPECT_EQ(led("1", bay(3), "fault", true)["status"], "failed");
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "cannot-drive");
  tree_.file(slot_folder(3) + "/fault", "1\n");  // the write was slow, or somebody else set it
  nudge();
  ASSERT_TRUE(becomes(bay(3), "led.fault", "on"));
  EXPECT_EQ(core_.property(bay(3), "led.reason"), json());
  tree_.file(slot_folder(3) + "/fault", "0\n");
  nudge();
  EXPECT_TRUE(becomes(bay(3), "led.fault", "off")) << "that failure is over";
}

TEST_F(EnclosureTest, AFaultReadBackAs2IsLit) {
  make_box();
  Options options = quiet();
  options.write_led = [](const sdk::Host& host, const std::string& file, std::string_view value) {
    return host.write(file, value == "1" ? "2\n" : "0\n");
  };
  start(options);
  EXPECT_EQ(led("1", bay(3), "fault", true)["status"], "done");
  const auto id = core_.command("refresh", "r", kChassis);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "on");
}

TEST_F(EnclosureTest, AnLedThatIsNotThere) {
  make_box();
  tree_.remove(slot_folder(3) + "/locate");
  start();
  EXPECT_EQ(core_.property(bay(3), "led.locate"), json());
  EXPECT_EQ(led("1", bay(3), "locate", true)["reason"].get<std::string>(),
            "locate LED of " + bay(3) + " cannot be driven: the enclosure has no such LED");
  EXPECT_EQ(core_.property(bay(3), "led.locate"), "cannot-drive");
}

TEST_F(EnclosureTest, WhatSomebodyElseDoesToAnLedIsSeen) {
  make_box();
  Options options = quiet();
  options.rescan = 50ms;
  start(options);
  tree_.file(slot_folder(6) + "/fault", "1\n");
  EXPECT_TRUE(becomes(bay(6), "led.fault", "on"));
}

TEST_F(EnclosureTest, TheNewestOrderWins) {
  make_box();
  Options options = quiet();
  options.write_led = losing(2);
  start(options);
  const auto on = core_.command("set_led", "1", bay(3), {{"indication", "fault"}, {"on", true}});
  const auto off = core_.command("set_led", "2", bay(3), {{"indication", "fault"}, {"on", false}});
  ASSERT_TRUE(loop_.until([&] { return core_.answers.size() == 2; }));
  EXPECT_EQ(core_.answers[on]["status"], "failed");
  EXPECT_EQ(core_.answers[off]["status"], "done");
  const auto id = core_.command("refresh", "r", kChassis);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.property(bay(3), "led.fault"), "off");
}

TEST_F(EnclosureTest, WrongOrdersAreRefused) {
  make_box();
  start();
  EXPECT_EQ(led("1", "hc://chassis=nowhere/bay=3", "fault", true)["reason"],
            "no enclosure here has the bay hc://chassis=nowhere/bay=3");
  EXPECT_EQ(led("2", bay(3), "../../id", true)["status"], "failed");
  const auto id = core_.command("set_led", "3", bay(3), {{"indication", 7}, {"on", "yes"}});
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.answers[id]["status"], "failed");
}

TEST_F(EnclosureTest, AnEnclosureThatHangsHoldsNothingUp) {
  make_box();
  start({.rescan = 1h,
         .device_deadline = 300ms,
         .descriptions = {},
         .write_led = [](const sdk::Host&, const std::string&, std::string_view) -> Result<void> {
           signal(SIGTERM, SIG_IGN);
           while (true) pause();
         }});
  const json answer = led("1", bay(3), "fault", true);
  EXPECT_EQ(answer["reason"].get<std::string>(),
            "fault LED of " + bay(3) + " cannot be driven: the enclosure does not answer");
  // Meanwhile the state of the bays is unknown, and reported as such.
  core_.command("refresh", "2", kChassis);
  ASSERT_TRUE(becomes(bay(1), "status", "unknown"));
  EXPECT_EQ(core_.property(bay(1), "led.fault"), json());
  EXPECT_EQ(core_.resources[bay(3)]["edges"].size(), 1u);
  ASSERT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "degraded"; }));
  EXPECT_EQ(core_.of("status").back()["reason"], "enclosure fakeses0 does not answer");
  // The child is killed 1 s after its deadline, and a later scan finds the enclosure healthy.
  ASSERT_TRUE(loop_.until([&] {
    nudge();
    return core_.of("status").back()["state"] == "ok";
  }));
  EXPECT_EQ(core_.property(bay(1), "status"), "not installed");
}

TEST_F(EnclosureTest, ABayWhoseDiskTheSystemCannotSeeIsOccupied) {
  make_box();
  tree_.file(slot_folder(5) + "/status", "critical\n");
  tree_.file(slot_folder(6) + "/status", "unknown\n");
  start();
  EXPECT_EQ(core_.property(bay(5), "occupied"), true);
  EXPECT_EQ(core_.property(bay(6), "occupied"), false);
}

// If a shelf reports "OK" for each bay, "OK" means nothing: a pulled disk is then not a dead one.
TEST_F(EnclosureTest, WhoHasEverCalledABayEmptyIsBelieved) {
  make_box();
  for (int slot = 1; slot <= 8; ++slot) tree_.file(slot_folder(slot) + "/status", "OK\n");
  Options options = quiet();
  options.state_file = tree_.root() + "/enclosure-memory.json";
  start(options);
  EXPECT_EQ(core_.property(bay(3), "occupied"), true);
  EXPECT_EQ(core_.property(bay(3), "tells_empty"), false);
  tree_.file(slot_folder(8) + "/status", "not installed\n");
  nudge();
  ASSERT_TRUE(becomes(bay(3), "tells_empty", true));
  ASSERT_TRUE(loop_.until([&] {
    return tree_.read("/enclosure-memory.json").find("5000c500fa0e5e50") != std::string::npos;
  }));
  tree_.file(slot_folder(8) + "/status", "OK\n");
  start(options);
  EXPECT_TRUE(becomes(bay(8), "occupied", true));
  EXPECT_EQ(core_.property(bay(3), "tells_empty"), true) << "known from the run before";
}

TEST_F(EnclosureTest, TwoProcessorsOfOneBoxAreOneChassis) {
  make_box();
  const std::string other = "/sys/devices/platform/fakeses/enclosure/fakeses1";
  tree_.file(other + "/id", "5000c500fa0e5e50\n");
  tree_.file(other + "/components", "8\n");
  make_slot(3, other);
  tree_.link("/sys/class/enclosure/fakeses1", other);
  tree_.remove(slot_folder(3) + "/fault");  // the first processor cannot
  start();
  EXPECT_EQ(core_.resources.size(), 9u);
  EXPECT_EQ(core_.property(bay(3), "occupied"), true);
  const json answer = led("1", bay(3), "fault", true);
  EXPECT_EQ(answer["status"], "done");
  EXPECT_EQ(tree_.read(slot_folder(3, other) + "/fault"), "1");
}

TEST_F(EnclosureTest, SlotsThatAreNumberedAlikeGoByName) {
  make_box();
  tree_.file(slot_folder(1) + "/slot", "0\n");
  tree_.file(slot_folder(2) + "/slot", "0\n");
  start();
  EXPECT_TRUE(core_.resources.contains(std::string(kChassis) + "/bay=SLOT%2001"));
  EXPECT_TRUE(core_.resources.contains(std::string(kChassis) + "/bay=SLOT%2002"));
  EXPECT_EQ(led("1", std::string(kChassis) + "/bay=SLOT%2002", "fault", true)["status"], "done");
  EXPECT_EQ(tree_.read(slot_folder(2) + "/fault"), "1");
}

TEST_F(EnclosureTest, AnEnclosureWithoutAnIdIsNamedByItsPlace) {
  const std::string at = "/sys/devices/pci0000:00/0000:01:00.0/host7/target7:0:9/7:0:9:0";
  tree_.file(at + "/enclosure/7:0:9:0/id", "0\n");
  make_slot(1, at + "/enclosure/7:0:9:0");
  tree_.link(at + "/enclosure/7:0:9:0/device", "../../../7:0:9:0");
  tree_.link("/sys/class/enclosure/7:0:9:0", at + "/enclosure/7:0:9:0");
  const auto box = scan_enclosure(host_, "7:0:9:0", nullptr);
  EXPECT_EQ(box.id, "pci-0000:01:00.0-0:9:0");
  tree_.file(at + "/wwid", "naa.5003048001f9a13d\n");
  tree_.file(at + "/vendor", "LSI     \n");
  tree_.file(at + "/model", "SAS3x40         \n");
  EXPECT_EQ(scan_enclosure(host_, "7:0:9:0", nullptr).id, "5003048001f9a13d");
  EXPECT_EQ(scan_enclosure(host_, "7:0:9:0", nullptr).label, "LSI SAS3x40");
}

TEST_F(EnclosureTest, ComponentNamesMayBeAnything) {
  make_box();
  const std::string odd = std::string(kBox) + "/SLOT \xff\x1b[1m 10 1A  ";
  tree_.file(odd + "/slot", "10\n");
  tree_.file(odd + "/type", "array device\n");
  tree_.file(odd + "/fault", "0\n");
  start();
  EXPECT_EQ(core_.property(bay(10), "label"), "SLOT \xEF\xBF\xBD\x1b[1m 10 1A");
  EXPECT_EQ(led("1", bay(10), "fault", true)["status"], "done");
  EXPECT_EQ(tree_.read(odd + "/fault"), "1");
}

TEST_F(EnclosureTest, NoEnclosureIsNotObservedAndLookedForAgain) {
  Options options = quiet();
  options.rescan = 50ms;
  start(options);
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "not-observed");
  EXPECT_EQ(core_.of("status").back()["reason"], "no SES enclosure under /sys/class/enclosure");
  make_box();  // the module is loaded
  ASSERT_TRUE(loop_.until([&] { return core_.resources.size() == 9; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
  tree_.remove("/sys/class/enclosure/fakeses0");
  ASSERT_TRUE(loop_.until([&] { return core_.resources.empty(); }));
  EXPECT_EQ(core_.gone[bay(3)], "removed");
}

}  // namespace
}  // namespace fmd::enclosure::testing
