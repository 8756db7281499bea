// The plugin with the shipped descriptions on three kinds of machine: the recorded enclosure, and
// hand-made trees of a tower and an NVMe server (trees.h); and the LED methods besides SES.
#include <gtest/gtest.h>

#include "plugins/enclosure/tests/chassis_rig.h"
#include "plugins/enclosure/tests/trees.h"

namespace fmd::enclosure {
namespace {

using nlohmann::json;
using testing::ChassisTest;

TEST_F(ChassisTest, TheRecordedEnclosureGetsItsDescription) {
  make_shelf("fakeses0", 8);
  start();
  const std::string chassis = "hc://chassis=5000c500fa0e5e50", bay = chassis + "/bay=6";
  EXPECT_EQ(core_.property(chassis, "description"), "fakeses");
  EXPECT_EQ(core_.property(chassis, "views"), "front:438.0x88.0");
  EXPECT_EQ(core_.property(chassis, "view.front"), json()) << "its name says it";
  EXPECT_EQ(core_.property(bay, "label"), "SLOT 06");
  EXPECT_EQ(core_.property(bay, "view"), "front");
  EXPECT_EQ(core_.property(bay, "x_mm"), 116.2);
  EXPECT_EQ(core_.property(bay, "y_mm"), 46.0);
  EXPECT_EQ(core_.property(bay, "w_mm"), 101.6);
  EXPECT_EQ(core_.property(bay, "form_factor"), "3.5");
  EXPECT_EQ(core_.property(bay, "orientation"), "horizontal");
  EXPECT_EQ(core_.property(bay, "fault_domain"), "lower-row");
  EXPECT_EQ(core_.property(bay, "led.method"), "ses");
  EXPECT_EQ(core_.property(bay, "led.reads_back"), true);
}

TEST_F(ChassisTest, AnUnknownShelfIsGeneric) {
  make_shelf("0:0:8:0", 3);
  start();
  const std::string chassis = "hc://chassis=5000c500fa0e5e50";
  EXPECT_EQ(core_.property(chassis, "description"), "generic-ses");
  EXPECT_EQ(core_.property(chassis + "/bay=2", "label"), "SLOT 02");
  EXPECT_EQ(core_.property(chassis + "/bay=2", "x_mm"), json());
  EXPECT_EQ(core_.resources.size(), 4u) << "no box of the host's without bays of its own";
}

TEST_F(ChassisTest, ATowerByItsAtaPorts) {
  testing::make_tower(tree_);
  start();
  const std::string bay = host_bay(testing::kTower, "ata-0000:00:1f.2-3");
  EXPECT_EQ(core_.resources[testing::kTower]["type"], "enclosure");
  EXPECT_EQ(core_.property(testing::kTower, "label"), "ACME Tower 1");
  EXPECT_EQ(core_.property(bay, "label"), "ATA port 3 of 0000:00:1f.2");
  EXPECT_EQ(disk_of(bay), "dev://wwn=5000c500a0000003");
  EXPECT_EQ(core_.property(host_bay(testing::kTower, "ata-0000:00:1f.2-2"), "occupied"), false);
  EXPECT_EQ(core_.resources.size(), 5u);
  // A disk that moves to another port is in another bay.
  tree_.remove(testing::ata_port(3) + "/host2");
  tree_.remove("/sys/block/sdb");
  testing::scsi_disk(tree_, testing::ata_lun(4), "sdc", "5000c500a0000003");
  look_again();
  EXPECT_EQ(disk_of(host_bay(testing::kTower, "ata-0000:00:1f.2-4")), "dev://wwn=5000c500a0000003");
  EXPECT_EQ(disk_of(bay), "");
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

TEST_F(ChassisTest, WhatIsToldOfLightsAndOccupationHolds) {
  make_shelf("mine0", 2);
  tree_.file("/sys/devices/platform/mine0/enclosure/mine0/SLOT 02/status", "OK\n");
  folders_.push_back(tree_.root() + "/local");
  tree_.file("/local/mine.toml",
             "[chassis]\nlabel = \"M\"\napplies_to = \"shelf\"\nsource = \"a test\"\n"
             "quirks = [\"occupied-by-link\"]\n[[match]]\nses_name = \"mine0\"\n"
             "[[grid]]\ncount = 2\nlabel = \"B{n}\"\n"
             "fault = { methods = [\"ses\"], reads_back = false }\n"
             "locate = { methods = [\"none\"] }\n");
  // Written and never read back: a read would fail.
  write_led_ = [](const sdk::Host&, const std::string&, std::string_view) {
    return Result<void>();
  };
  start();
  const std::string bay = "hc://chassis=5000c500fa0e5e50/bay=2";
  EXPECT_EQ(core_.property(bay, "label"), "B2");
  EXPECT_EQ(core_.property(bay, "status"), "OK");
  EXPECT_EQ(core_.property(bay, "occupied"), false) << "no disk is linked to it";
  EXPECT_EQ(led(bay, "locate", true)["status"], "refused");
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  EXPECT_TRUE(becomes(bay, "led.fault", "on"));
}

TEST_F(ChassisTest, ABayWithoutAnyLightSaysSoAndIsNoFailure) {
  testing::make_tower(tree_);
  folders_.push_back(tree_.root() + "/local");
  tree_.file(
      "/local/generic-tower.toml",
      "[chassis]\nlabel = \"T\"\napplies_to = \"host\"\ngeneric = true\nsource = \"a test\"\n"
      "[[match]]\ndmi_vendor = \"*\"\n[[discover]]\nby = \"ata-port\"\nlabel = \"SATA {n}\"\n"
      "fault = { methods = [\"none\"] }\nlocate = { methods = [\"none\"] }\n");
  start();
  const std::string bay = host_bay(testing::kTower, "ata-0000:00:1f.2-1");
  EXPECT_EQ(core_.property(bay, "label"), "SATA 1") << "the administrator's file replaces ours";
  EXPECT_EQ(core_.property(bay, "led.method"), "none");
  EXPECT_EQ(core_.property(bay, "led.fault"), json());
  EXPECT_EQ(led(bay, "fault", true)["status"], "refused");
  EXPECT_EQ(core_.property(bay, "led.fault"), json());
}

TEST_F(ChassisTest, AnNvmeServerByItsSlots) {
  testing::make_nvme_server(tree_);
  start();
  const std::string box = "hc://chassis=host";
  EXPECT_EQ(core_.property(box + "/bay=pci-7", "label"), "PCI slot 7");
  EXPECT_EQ(disk_of(box + "/bay=pci-7"), "dev://wwn=00253850a0000007");
  EXPECT_EQ(core_.property(box + "/bay=pci-8", "occupied"), false);
  EXPECT_EQ(core_.property(box + "/bay=pci-7", "led.method"), "npem");
  EXPECT_EQ(core_.property(box + "/bay=pci-9", "led.method"), "pci");
  EXPECT_FALSE(core_.resources.contains(box + "/bay=pci-1")) << "a network card";
}

TEST_F(ChassisTest, NpemLightsAreTheirOwnFiles) {
  testing::make_nvme_server(tree_);
  start();
  const std::string bay = "hc://chassis=host/bay=pci-7",
                    leds = testing::port_of("02") + "/leds/0000:00:02.0:enclosure:";
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  EXPECT_EQ(led(bay, "locate", true)["status"], "done");
  EXPECT_EQ(tree_.read(leds + "fail/brightness"), "1");
  EXPECT_EQ(tree_.read(leds + "locate/brightness"), "1");
  EXPECT_EQ(tree_.read(leds + "ok/brightness"), "0\n");
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  EXPECT_EQ(led(bay, "locate", false)["status"], "done");
  EXPECT_EQ(tree_.read(leds + "fail/brightness"), "1");
}

TEST_F(ChassisTest, OneAttentionLightServesTwoWishes) {
  testing::make_nvme_server(tree_);
  start();
  const std::string bay = "hc://chassis=host/bay=pci-9", file = "/sys/bus/pci/slots/9/attention";
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  EXPECT_EQ(tree_.read(file), "1");
  EXPECT_EQ(led(bay, "locate", true)["status"], "done");
  EXPECT_EQ(tree_.read(file), "2") << "it blinks";
  EXPECT_EQ(core_.property(bay, "led.fault"), "on") << "still wished, and shown again later";
  EXPECT_EQ(core_.property(bay, "led.locate"), "on");
  look_again();
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  EXPECT_EQ(led(bay, "locate", false)["status"], "done");
  EXPECT_EQ(tree_.read(file), "1") << "the fault is back";
  EXPECT_EQ(led(bay, "fault", false)["status"], "done");
  EXPECT_EQ(tree_.read(file), "0");
  EXPECT_EQ(core_.property(bay, "led.fault"), "off");
}

TEST_F(ChassisTest, ABlinkingLightAloneIsNoFault) {
  testing::make_nvme_server(tree_);
  start();
  const std::string bay = "hc://chassis=host/bay=pci-9";
  EXPECT_EQ(led(bay, "locate", true)["status"], "done");
  look_again();
  EXPECT_EQ(core_.property(bay, "led.locate"), "on");
  EXPECT_EQ(core_.property(bay, "led.fault"), "off");
}

TEST_F(ChassisTest, AWishThatFailedDoesNotStandInTheOthersWay) {
  testing::make_nvme_server(tree_);
  write_led_ = [](const sdk::Host& host, const std::string& file, std::string_view value) {
    return value == "2" ? Result<void>(fail("it cannot blink")) : host.write(file, value);
  };
  start();
  const std::string bay = "hc://chassis=host/bay=pci-9";
  EXPECT_EQ(led(bay, "locate", true)["status"], "failed");
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  EXPECT_EQ(tree_.read("/sys/bus/pci/slots/9/attention"), "1");
}

TEST_F(ChassisTest, TwoWishesAtOnceEndInOneState) {
  testing::make_nvme_server(tree_);
  start();
  const std::string bay = "hc://chassis=host/bay=pci-9";
  const auto a = core_.command("set_led", "a", bay, {{"indication", "fault"}, {"on", true}});
  const auto b = core_.command("set_led", "b", bay, {{"indication", "locate"}, {"on", true}});
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(a) && core_.answers.contains(b); }));
  EXPECT_EQ(core_.answers[a]["status"], "done");
  EXPECT_EQ(core_.answers[b]["status"], "done");
  EXPECT_EQ(tree_.read("/sys/bus/pci/slots/9/attention"), "2");
}

TEST_F(ChassisTest, AfterAStartALitAttentionLightIsNotForgotten) {
  testing::make_nvme_server(tree_);
  tree_.file("/sys/bus/pci/slots/9/attention", "1\n");
  start();
  const std::string bay = "hc://chassis=host/bay=pci-9";
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  led(bay, "locate", true);
  led(bay, "locate", false);
  EXPECT_EQ(tree_.read("/sys/bus/pci/slots/9/attention"), "1");
}

TEST_F(ChassisTest, LedctlIsToldOnceAndBelieved) {
  testing::make_tower(tree_);
  make_ledctl("exit 0\n");
  start();
  const std::string bay = host_bay(testing::kTower, "ata-0000:00:1f.2-3");
  EXPECT_EQ(core_.property(bay, "led.method"), "ledctl");
  EXPECT_EQ(core_.property(bay, "led.reads_back"), false);
  ASSERT_TRUE(becomes(bay, "led.fault", "off")) << "brought to a known state at the start";
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  EXPECT_EQ(led(bay, "locate", true)["status"], "done");
  EXPECT_EQ(led(bay, "locate", false)["status"], "done");
  const std::string log = tree_.read("/ledctl-log");
  const std::string disk = "=" + tree_.root() + "/dev/sdb\n", call = "--log=/dev/null -x ";
  const std::string end =
      call + "failure" + disk + call + "locate" + disk + call + "failure" + disk;
  EXPECT_TRUE(log.ends_with(end)) << log;
}

TEST_F(ChassisTest, ASwappedDiskLeavesNoStrayLight) {
  testing::make_tower(tree_);
  make_ledctl("exit 0\n");
  start();
  const std::string bay = host_bay(testing::kTower, "ata-0000:00:1f.2-3");
  ASSERT_TRUE(becomes(bay, "led.fault", "off"));
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  tree_.remove(testing::ata_port(3) + "/host2");
  tree_.remove("/sys/block/sdb");
  look_again();
  // The bay is empty: its LED cannot be set, and is not reported as failed.
  EXPECT_EQ(led(bay, "fault", false)["reason"],
            "the bay is empty, and ledctl(8) knows its light only by its disk");
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  testing::scsi_disk(tree_, testing::ata_lun(3), "sdk", "5000c500a0000103");
  look_again();
  ASSERT_TRUE(loop_.until([&] {
    return tree_.read("/ledctl-log").ends_with("-x failure=" + tree_.root() + "/dev/sdk\n");
  }));
  EXPECT_EQ(led(bay, "fault", false)["status"], "done");
  EXPECT_TRUE(tree_.read("/ledctl-log").ends_with("-x normal=" + tree_.root() + "/dev/sdk\n"));
  EXPECT_EQ(core_.property(bay, "led.fault"), "off");
}

TEST_F(ChassisTest, WhatLedctlRefusesCannotBeDriven) {
  testing::make_tower(tree_);
  make_ledctl("echo 'ledctl: device not supported' >&2\nexit 19\n");
  start();
  const std::string bay = host_bay(testing::kTower, "ata-0000:00:1f.2-1");
  const json answer = led(bay, "locate", true);
  EXPECT_EQ(answer["status"], "failed");
  EXPECT_NE(answer["reason"].get<std::string>().find("device not supported"), std::string::npos);
  EXPECT_EQ(core_.property(bay, "led.locate"), "cannot-drive");
  EXPECT_EQ(core_.property(bay, "led.fault"), json());
}

TEST_F(ChassisTest, ADescribedHostHasItsOwnBaysAndNamesThoseOfItsBackplane) {
  testing::make_tower(tree_);
  make_shelf("fakeses0", 2);
  folders_.push_back(tree_.root() + "/local");
  tree_.file(
      "/local/own.toml",
      "[chassis]\nlabel = \"Own\"\napplies_to = \"host\"\nsource = \"a test\"\n"
      "[[match]]\ndmi_vendor = \"ACME\"\ndmi_product = \"Tower ?\"\n"
      "[[member]]\nname = \"bp\"\nses_name = \"fakeses*\"\n"
      "[[grid]]\ncount = 2\nid = \"f{n}\"\nlabel = \"Front {n}\"\n"
      "resolve = [{ ses_slot = \"{n}\", member = \"bp\" }]\n"
      "[[grid]]\ncount = 5\nid = \"s{n}\"\nlabel = \"Inside {n}\"\n"
      "resolve = [{ sas_phy = \"0000:06:00.0/{n}\" }, { ata_port = \"0000:00:1f.2/{n}\" }]\n");
  start();
  EXPECT_EQ(core_.property("hc://chassis=5000c500fa0e5e50/bay=2", "label"), "Front 2");
  EXPECT_EQ(core_.property("hc://chassis=5000c500fa0e5e50", "member_of"), testing::kTower);
  const auto file = core_.property(testing::kTower, "description_file").get<std::string>();
  EXPECT_TRUE(file.ends_with("/local/own.toml")) << file;
  EXPECT_EQ(core_.property(testing::kTower, "matched_by"),
            "dmi_product = \"Tower ?\", dmi_vendor = \"ACME\"");
  EXPECT_EQ(core_.property(testing::kTower, "description"), "own");
  EXPECT_EQ(disk_of(host_bay(testing::kTower, "s3")), "dev://wwn=5000c500a0000003");
  EXPECT_TRUE(core_.resources.contains(host_bay(testing::kTower, "s4")));
  EXPECT_FALSE(core_.resources.contains(host_bay(testing::kTower, "s5"))) << "no such port";
  EXPECT_FALSE(core_.resources.contains(host_bay(testing::kTower, "f1"))) << "the backplane's";
}

TEST_F(ChassisTest, AnEnclosureWhoseBaysTheHostDoesNotDescribeIsPicturedByItself) {
  testing::make_tower(tree_);
  make_shelf("fakeses0", 2);
  folders_.push_back(tree_.root() + "/local");
  tree_.file("/local/own.toml",
             "[chassis]\nlabel = \"Own\"\napplies_to = \"host\"\nsource = \"a test\"\n"
             "[[match]]\ndmi_vendor = \"ACME\"\ndmi_product = \"Tower ?\"\n"
             "[[member]]\nname = \"bp\"\nses_name = \"fakeses*\"\n"
             "[[grid]]\ncount = 2\nid = \"s{n}\"\nlabel = \"Inside {n}\"\n"
             "resolve = [{ ata_port = \"0000:00:1f.2/{n}\" }]\n");
  start();
  EXPECT_EQ(core_.property(testing::kTower, "description"), "own");
  EXPECT_EQ(core_.property("hc://chassis=5000c500fa0e5e50", "member_of"), json());
}

// The backplane's first slot contains the disk at ATA port 1.
const std::string kOwn =
    "[chassis]\nlabel = \"Own\"\napplies_to = \"host\"\nsource = \"a test\"\n"
    "[[match]]\ndmi_vendor = \"ACME\"\n[[member]]\nname = \"bp\"\nses_product = \"SC826P\"\n"
    "[[member]]\nname = \"gone\"\nses_product = \"SC836*\"\n"
    "[[bay]]\nn = 1\nlabel = \"A1\"\nfault = { methods = [\"ledctl\"] }\nresolve = [{ ses_slot = "
    "\"0\", ";

TEST_F(ChassisTest, ABayOfABackplaneIsNoSecondOneOfTheHosts) {
  testing::make_backplane_server(tree_);
  make_ledctl("exit 0\n");
  describe("own", kOwn + "member = \"bp\" }, { ata_port = \"0000:00:17.0/1\" }]\n");
  start();
  const std::string slot = "hc://chassis=5003048001f9a13f/bay=0", own = "hc://chassis=host/bay=1";
  EXPECT_EQ(core_.property(slot, "label"), "A1");
  EXPECT_FALSE(core_.resources.contains(own));
  EXPECT_EQ(led(own, "fault", true)["reason"], "no enclosure here has the bay " + own);
  // The processor dies: the same place is reached by the remaining path.
  tree_.remove("/sys/class/enclosure/0:0:9:0");
  look_again();
  EXPECT_FALSE(core_.resources.contains(slot));
  EXPECT_EQ(core_.property(own, "label"), "A1");
  EXPECT_EQ(core_.property(own, "place"), "ata_port 0000:00:17.0/1");
  EXPECT_EQ(disk_of(own), "dev://wwn=5000c500d0000000");
}

TEST_F(ChassisTest, AnotherBackplanesSlotIsNotMeant) {
  testing::make_backplane_server(tree_);
  describe("own", kOwn + "member = \"gone\" }, { ata_port = \"0000:00:17.0/1\" }]\n");
  start();
  EXPECT_EQ(disk_of("hc://chassis=host/bay=1"), "dev://wwn=5000c500d0000000");
  EXPECT_EQ(core_.property("hc://chassis=5003048001f9a13f/bay=0", "label"),
            "Slot 0");  // supermicro-*.toml
}

TEST_F(ChassisTest, AHiddenBaysLightIsNotTouched) {
  testing::make_backplane_server(tree_);
  make_ledctl("exit 0\n");
  start();  // generic: ports 1 and 2 are driven by ledctl, but port 1's disk is in the backplane
  ASSERT_TRUE(becomes("hc://chassis=host/bay=ata-0000:00:17.0-2", "led.fault", "off"));
  EXPECT_EQ(tree_.read("/ledctl-log"), "--log=/dev/null -x normal=" + tree_.root() + "/dev/sdb\n");
}

// Vendor-specific requests, from the description.
constexpr const char* kByBmc =
    "[chassis]\nlabel = \"Own\"\napplies_to = \"host\"\nsource = \"a test\"\n"
    "[[match]]\ndmi_vendor = \"ACME\"\n[[bay]]\nn = 1\nlabel = \"Boot\"\n"
    "resolve = [{ ata_port = \"0000:00:1f.2/1\" }]\n"
    "fault = { methods = [\"ipmi\"], ipmi_on = \"0x30 0x25 0x0{n} 0x01\", "
    "ipmi_off = \"0x30 0x25 0x0{n} 0x00\" }\nlocate = { methods = [\"none\"] }\n";

TEST_F(ChassisTest, ALightThatTheBmcDrives) {
  testing::make_tower(tree_);
  tree_.file("/dev/ipmi0", "");
  tree_.file("/bin/ipmitool", "#!/bin/sh\necho \"$*\" >> '" + tree_.root() + "/log'\n", 0755);
  describe("own", kByBmc);
  start();
  const std::string bay = host_bay(testing::kTower, "1");
  EXPECT_EQ(core_.property(bay, "led.method"), "ipmi");
  ASSERT_TRUE(becomes(bay, "led.fault", "off")) << "brought to a known state at the start";
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  EXPECT_EQ(led(bay, "locate", true)["status"], "refused");
  EXPECT_EQ(tree_.read("/log"),
            "-I open raw 0x30 0x25 0x01 0x00\n-I open raw 0x30 0x25 0x01 0x01\n");
  tree_.file("/bin/ipmitool", "#!/bin/sh\necho 'Unable to send RAW command' >&2\nexit 1\n", 0755);
  EXPECT_EQ(led(bay, "fault", false)["status"], "failed");
  EXPECT_EQ(core_.property(bay, "led.fault"), "cannot-drive");
}

TEST_F(ChassisTest, WithoutABmcThereIsNoSuchLight) {
  testing::make_tower(tree_);
  tree_.file("/bin/ipmitool", "#!/bin/sh\nexit 0\n", 0755);
  describe("own", kByBmc);
  start();
  const std::string bay = host_bay(testing::kTower, "1");
  EXPECT_EQ(core_.property(bay, "led.method"), "none");
  EXPECT_EQ(led(bay, "fault", true)["status"], "refused");
}

TEST_F(ChassisTest, ABayThatIsToldIsNotFoundAgain) {
  testing::make_tower(tree_);
  describe("own",
           "[chassis]\nlabel = \"Own\"\napplies_to = \"host\"\nsource = \"a test\"\n"
           "[[match]]\ndmi_vendor = \"ACME\"\n[[bay]]\nn = 1\nlabel = \"Boot\"\n"
           "resolve = [{ ata_port = \"0000:00:1f.2/1\" }]\n"
           "[[discover]]\nby = \"ata-port\"\nlabel = \"SATA {n}\"\n");
  start();
  EXPECT_EQ(core_.property(host_bay(testing::kTower, "1"), "label"), "Boot");
  EXPECT_FALSE(core_.resources.contains(host_bay(testing::kTower, "ata-0000:00:1f.2-1")));
  EXPECT_EQ(core_.property(host_bay(testing::kTower, "ata-0000:00:1f.2-3"), "label"), "SATA 3");
  EXPECT_EQ(core_.resources.size(), 5u);
}

TEST_F(ChassisTest, WhatIsFoundBearsItsFormFactor) {
  testing::make_tower(tree_);
  describe(
      "generic-tower",
      "[chassis]\nlabel = \"T\"\napplies_to = \"host\"\ngeneric = true\nsource = \"a test\"\n"
      "[[match]]\ndmi_vendor = \"*\"\n[[discover]]\nby = \"ata-port\"\nform_factor = \"2.5\"\n");
  start();
  EXPECT_EQ(core_.property(host_bay(testing::kTower, "ata-0000:00:1f.2-1"), "form_factor"), "2.5");
}

TEST_F(ChassisTest, ABrokenDescriptionIsToldAndTheOthersHold) {
  make_shelf("fakeses0", 8);
  folders_.push_back(tree_.root() + "/local");
  tree_.file("/local/mine.toml", "[chassis]\nlabel = \"x\"\n");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded");
  EXPECT_NE(core_.of("status").back()["reason"].get<std::string>().find("mine.toml:1: "),
            std::string::npos);
  EXPECT_EQ(core_.property("hc://chassis=5000c500fa0e5e50/bay=1", "view"), "front");
  tree_.remove("/local/mine.toml");  // repaired while it runs
  look_again();
  ASSERT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "ok"; }));
}

}  // namespace
}  // namespace fmd::enclosure
