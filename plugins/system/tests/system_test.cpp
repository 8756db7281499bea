// The system plugin on folder trees, against a core on a real socket: what was recorded of a real
// machine, and trees built by hand after the kernel's documentation (fixtures/README.md).
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <fstream>

#include "plugins/sdk/tests/support.h"
#include "plugins/system/scan.h"
#include "plugins/system/system_plugin.h"
#include "plugins/system/tests/tables.h"
#include "plugins/system/tests/trees.h"

namespace fmd::machine {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

class SystemTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), ""};
  std::unique_ptr<SystemPlugin> plugin_;

  Facts scan(const Descriptions& descriptions = {}) {
    return scan_machine(
        host_,
        [](const std::string& alias) {
          return alias.find("v00001AF4d00001042") == alias.npos
                     ? PciNames()
                     : PciNames{"Red Hat", "Virtio block"};
        },
        descriptions);
  }
  void start(Options options = {.rescan = 1h, .readings = 1h, .device_deadline = 10s}) {
    plugin_ = std::make_unique<SystemPlugin>(loop_, host_, tree_.root() + "/s", options);
    ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
  }
  json reading(const std::string& fmri, const std::string& name) {
    json last;
    for (const json& message : core_.of("readings"))
      for (const json& r : message["readings"])
        if (r["resource"] == fmri && r["name"] == name) last = r["value"];
    return last;
  }
  static json property(const Facts& facts, const std::string& fmri, const char* name) {
    const auto at = facts.resources.find(fmri);
    if (at == facts.resources.end()) return "no " + fmri;
    return at->second["properties"].value(name, json());
  }
  static bool linked(const Facts& facts, const std::string& from, const char* relation,
                     const std::string& to) {
    const auto at = facts.resources.find(from);
    if (at == facts.resources.end()) return false;
    for (const json& edge : at->second["edges"])
      if (edge["relation"] == relation && edge["to"] == to) return true;
    return false;
  }
};

TEST_F(SystemTest, AnEmptyMachineIsASystemAndNothingElse) {
  const Facts facts = scan();
  ASSERT_EQ(facts.resources.size(), 1u);
  EXPECT_EQ(facts.system, "hc://system=host");
  EXPECT_EQ(facts.problem, "");
  start();
  EXPECT_TRUE(core_.of("inventory").at(0)["complete"]);
  EXPECT_TRUE(core_.resources.contains("hc://system=host"));
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

TEST_F(SystemTest, TheRecordedMachine) {
  testing::replay(tree_, FIXTURES "/machine-recorded.txt");
  const Facts facts = scan();
  EXPECT_EQ(property(facts, "cpu://socket=0", "model"), "AMD EPYC");
  EXPECT_EQ(property(facts, "cpu://socket=0", "cores"), 2);
  EXPECT_EQ(property(facts, "cpu://socket=0", "l3_bytes"), 32 << 20) << "shared by both cores";
  EXPECT_EQ(property(facts, "cpu://socket=0/core=1", "l1d_bytes"), 32 << 10);
  EXPECT_EQ(property(facts, "cpu://socket=0/core=1", "l2_bytes"), 512 << 10);
  EXPECT_EQ(property(facts, "cpu://socket=0/core=1/thread=1", "name"), "cpu1");
  EXPECT_TRUE(linked(facts, "cpu://socket=0", "contains", "cpu://socket=0/core=1"));
  EXPECT_EQ(property(facts, "dev://pci=0000:00:00.0", "class_name"), "Host bridge");
  EXPECT_EQ(property(facts, "dev://pci=0000:00:02.0", "id"), "1af4:1042");
  EXPECT_EQ(property(facts, "dev://pci=0000:00:02.0", "model"), "Virtio block");
  EXPECT_EQ(property(facts, "dev://pci=0000:00:02.0", "driver"), "virtio-pci");
  EXPECT_EQ(property(facts, "dev://mac=02:fc:00:00:00:01", "name"), "eth0");
  EXPECT_EQ(property(facts, "dev://mac=02:fc:00:00:00:01", "driver"), "virtio_net");
  EXPECT_TRUE(property(facts, "dev://mac=02:fc:00:00:00:01", "speed_mbps").is_null());
  EXPECT_TRUE(linked(facts, "dev://pci=0000:00:03.0", "path", "dev://mac=02:fc:00:00:00:01"));
  size_t nics = 0;
  for (const auto& [fmri, resource] : facts.resources) nics += resource["type"] == "nic";
  EXPECT_EQ(nics, 1u) << "lo and ifb0 are no hardware";
}

TEST_F(SystemTest, TheSystemOutOfDmi) {
  for (const auto& [file, text] : std::map<std::string, std::string>{
           {"product_uuid", "4C4C4544-0035-4D10-8053-B7C04F573432\n"},
           {"sys_vendor", "Dell Inc.\n"},
           {"product_name", "PowerEdge R740xd\n"},
           {"product_serial", "To Be Filled By O.E.M.\n"},
           {"bios_version", "2.12.2\n"}})
    tree_.file("/sys/class/dmi/id/" + file, text);
  const Facts facts = scan();
  EXPECT_EQ(facts.system, "hc://system=4c4c4544-0035-4d10-8053-b7c04f573432");
  EXPECT_EQ(property(facts, facts.system, "vendor"), "Dell Inc.");
  EXPECT_EQ(property(facts, facts.system, "model"), "PowerEdge R740xd");
  EXPECT_EQ(property(facts, facts.system, "bios_version"), "2.12.2");
  EXPECT_TRUE(property(facts, facts.system, "serial").is_null()) << "nobody's serial number";
  tree_.file("/sys/class/dmi/id/product_uuid", "03000200-0400-0500-0006-000700080009\n");
  tree_.file("/sys/class/dmi/id/product_serial", "9XK3J42\n");
  EXPECT_EQ(scan().system, "hc://system=9XK3J42");
}

TEST_F(SystemTest, MemoryBySmbiosAndEdacTogether) {
  tree_.file("/sys/firmware/dmi/tables/DMI",
             testing::memory_device({.locator = "DIMM_A1",
                                     .bank = "NODE 0",
                                     .size = 16384,
                                     .serial = "03AB12CD",
                                     .part_number = "M393A2K40CB2-CTD"}) +
                 testing::memory_device({.locator = "DIMM 0", .bank = "B0", .size = 8192}) +
                 testing::memory_device({.locator = "DIMM 0", .bank = "B1", .size = 8192}) +
                 testing::memory_device({.locator = "DIMM 7", .size = 8192, .handle = 0x1107}) +
                 testing::memory_device({.locator = "DIMM 7", .size = 8192, .handle = 0x1108}) +
                 testing::end_mark());
  const std::string mc = "/sys/devices/system/edac/mc/mc0/";
  for (const auto& [name, label] : std::map<std::string, std::string>{
           {"dimm0", "NODE 0 DIMM_A1"}, {"dimm1", "CPU_SrcID#0_MC#0_Chan#1_DIMM#0"}}) {
    tree_.file(mc + name + "/dimm_label", label + "\n");
    tree_.file(mc + name + "/size", "16384\n");
    tree_.file(mc + name + "/dimm_ce_count", "3\n");
    tree_.file(mc + name + "/dimm_ue_count", "0\n");
  }
  tree_.file(mc + "dimm2/size", "0\n");
  const Facts facts = scan();
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "size_bytes"), uint64_t{16} << 30);
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "serial"), "03AB12CD");
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "speed"), 2933);
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "edac"), "mc0/dimm0");
  EXPECT_EQ(property(facts, "mem://dimm=B0%20DIMM%200", "label"), "B0 DIMM 0");
  EXPECT_TRUE(facts.has("mem://dimm=B1%20DIMM%200"));
  EXPECT_TRUE(facts.has("mem://dimm=DIMM%207%231108")) << "told apart by its handle";
  ASSERT_TRUE(facts.has("mem://mc=0/dimm=1")) << "no module is called so";
  EXPECT_EQ(facts.resources.at("mem://mc=0/dimm=1")["type"], "edac-dimm");
  EXPECT_FALSE(facts.has("mem://mc=0/dimm=2"));
  start();
  EXPECT_TRUE(loop_.until([&] { return reading("mem://dimm=DIMM_A1", "ce_count") == 3; }));
}

TEST_F(SystemTest, ABrokenSmbiosTableIsSaidAndDoesNoHarm) {
  tree_.file("/sys/firmware/dmi/tables/DMI",
             testing::memory_device({.locator = "DIMM_A1", .size = 1024}) +
                 std::string("\x11\x03\x00\x00\x00\x00", 6));
  EXPECT_TRUE(scan().has("mem://dimm=DIMM_A1"));
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded");
}

TEST_F(SystemTest, EdacAloneNamesTheModules) {
  tree_.file("/sys/devices/system/edac/mc/mc0/dimm0/dimm_label", "A1\n");
  tree_.file("/sys/devices/system/edac/mc/mc0/dimm0/size", "4096\n");
  const Facts facts = scan();
  ASSERT_TRUE(facts.has("mem://dimm=A1"));
  EXPECT_EQ(facts.resources.at("mem://dimm=A1")["type"], "dimm");
}

constexpr const char* kHba = "dev://pci=0000:3b:00.0";
constexpr const char* kExpander = "dev://sas=500304801e8a3b3f";
constexpr const char* kDisk = "dev://wwn=5000c500a0000003";

TEST_F(SystemTest, TheSasFabric) {
  testing::sas_machine(tree_);
  const Facts facts = scan();
  EXPECT_EQ(facts.resources.at(kHba)["type"], "hba");
  EXPECT_EQ(property(facts, kHba, "class_name"), "SAS controller");
  EXPECT_EQ(property(facts, kHba, "firmware"), "16.00.10.00");
  EXPECT_EQ(property(facts, kExpander, "model"), "SAS3x40");
  const std::string host_phy = "dev://sas=500605b00a1b2c30/phy=0",
                    phy = std::string(kExpander) + "/phy=8";
  EXPECT_TRUE(linked(facts, kHba, "path", host_phy));
  EXPECT_TRUE(linked(facts, host_phy, "path", kExpander)) << facts.resources.at(host_phy);
  EXPECT_TRUE(linked(facts, kExpander, "path", phy));
  EXPECT_TRUE(linked(facts, phy, "path", kDisk));
  EXPECT_EQ(property(facts, phy, "link_rate"), "12.0 Gbit");
  EXPECT_EQ(property(facts, phy, "attached"), "5000c500a0000001");
  EXPECT_FALSE(linked(facts, kHba, "path", kDisk)) << "the phys lead there";
  EXPECT_EQ(property(facts, "hc://system=host/pcislot=4", "label"), "PCI slot 4");
  EXPECT_TRUE(linked(facts, "hc://system=host/pcislot=4", "contains", kHba));
  EXPECT_FALSE(linked(facts, "hc://system=host", "contains", kHba));
  start();
  EXPECT_TRUE(loop_.until([&] { return reading(phy, "invalid_dword_count") == 7; }));
  EXPECT_TRUE(loop_.until([&] { return reading(host_phy, "phy_reset_problem_count") == 0; }));
}

TEST_F(SystemTest, SataAndNvmeDisksHangOnTheirPciDevice) {
  testing::sata_and_nvme(tree_);
  const Facts facts = scan();
  EXPECT_EQ(facts.resources.at("dev://pci=0000:00:17.0")["type"], "hba");
  EXPECT_EQ(facts.resources.at("dev://pci=0000:5e:00.0")["type"], "pci");
  EXPECT_TRUE(linked(facts, "dev://pci=0000:00:17.0", "path", "dev://wwn=50014ee2b0000001"));
  EXPECT_TRUE(linked(facts, "dev://pci=0000:5d:00.0", "path", "dev://pci=0000:5e:00.0"));
  // Native multipath: two controllers, one namespace.
  EXPECT_TRUE(linked(facts, "dev://pci=0000:5e:00.0", "path", "dev://wwn=0025385b91b05321"));
  EXPECT_TRUE(linked(facts, "dev://pci=0000:5f:00.0", "path", "dev://wwn=0025385b91b05321"));
}

TEST_F(SystemTest, SensorsWithReadingsAndStatus) {
  testing::sensors(tree_);
  start();
  const std::string temp = "hc://system=host/sensor=nct6775-temp1",
                    fan = "hc://system=host/sensor=nct6775-fan1",
                    first = "hc://system=host/sensor=jc42.0-0018-temp1";
  ASSERT_TRUE(loop_.until([&] { return reading(temp, "value") == 41.5; }));
  EXPECT_TRUE(loop_.until([&] { return reading(fan, "value") == 0; }));
  EXPECT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "alarm"; }));
  EXPECT_TRUE(loop_.until([&] { return core_.property(temp, "status") == "ok"; }));
  EXPECT_EQ(core_.property(temp, "label"), "nct6775 CPUTIN");
  EXPECT_EQ(core_.property(temp, "unit"), "celsius");
  EXPECT_EQ(core_.property(temp, "limit_critical"), 95.0);
  EXPECT_TRUE(core_.resources.contains(first)) << "two chips of one name go by their devices";
  for (const auto& [fmri, resource] : core_.resources)
    EXPECT_EQ(fmri.find("drivetemp"), fmri.npos) << "asking it would ask the disk";
}

TEST_F(SystemTest, ReadingsSurviveAnInventoryThatNamesTheirResource) {
  testing::sensors(tree_);
  start({.rescan = 1h, .readings = 50ms, .device_deadline = 10s});
  const std::string fan = "hc://system=host/sensor=nct6775-fan1";
  ASSERT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "alarm"; }));
  tree_.file("/sys/class/hwmon/hwmon0/fan1_alarm", "0\n");
  ASSERT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "ok"; }));
  // The message that says "ok" drops the reading in the core: it is told again, right behind it.
  size_t inventory = 0, readings = 0;
  for (size_t i = 0; i < core_.messages.size(); ++i) {
    const json& message = core_.messages[i];
    if (message["method"] == "inventory") inventory = i;
  }
  const auto told_after = [&] {
    for (size_t i = inventory + 1; i < core_.messages.size(); ++i)
      if (core_.messages[i]["method"] == "readings")
        for (const json& r : core_.messages[i]["params"]["readings"])
          if (r["resource"] == fan) readings = i;
    return readings > inventory;
  };
  EXPECT_TRUE(loop_.until(told_after));
}

TEST_F(SystemTest, WhatIsPluggedInLaterIsTold) {
  start();
  testing::sata_and_nvme(tree_);
  plugin_->on_udev({"add", "pci", "0000:00:17.0"});
  ASSERT_TRUE(loop_.until([&] { return core_.resources.contains("dev://pci=0000:00:17.0"); }));
  tree_.remove("/sys/bus/pci/devices/0000:00:17.0");
  plugin_->on_udev({"remove", "pci", "0000:00:17.0"});
  ASSERT_TRUE(loop_.until([&] { return core_.gone.contains("dev://pci=0000:00:17.0"); }));
}

TEST_F(SystemTest, RefreshLooksBeforeItAnswers) {
  start();
  testing::sensors(tree_);
  const auto id = core_.command("refresh", "k", "hc://system=host");
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.answers[id]["status"], "done");
  EXPECT_TRUE(core_.resources.contains("hc://system=host/sensor=nct6775-temp1"));
}

TEST_F(SystemTest, ASensorThatCannotBeReadIsUnknown) {
  testing::sensors(tree_);
  start({.rescan = 1h, .readings = 50ms, .device_deadline = 10s});
  const std::string temp = "hc://system=host/sensor=nct6775-temp1";
  ASSERT_TRUE(loop_.until([&] { return core_.property(temp, "status") == "ok"; }));
  tree_.file("/sys/class/hwmon/hwmon0/temp1_input", "n/a\n");
  EXPECT_TRUE(loop_.until([&] { return core_.property(temp, "status") == "unknown"; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok") << "the chip answers";
}

TEST_F(SystemTest, ALookThatHangsIsSaidAndEnds) {
  testing::sata_and_nvme(tree_);
  Options options{.rescan = 50ms, .readings = 1h, .device_deadline = 1s};
  options.names = [this](const std::string&) {
    signal(SIGTERM, SIG_IGN);  // as what hangs in the kernel
    if (host_.exists("/hang")) std::ofstream(host_.path("/looks"), std::ios::app) << "x";
    while (host_.exists("/hang")) poll(nullptr, 0, 5);
    return PciNames();
  };
  start(options);
  const std::string disk = "dev://pci=0000:00:17.0", chip = "hc://system=host/sensor=nct6775-temp1",
                    why = "the kernel does not answer for the machine's devices";
  ASSERT_TRUE(core_.resources.contains(disk));
  tree_.file("/hang", "");
  std::vector<std::string> looks;
  // One that waits for the look that hangs, and one that comes meanwhile.
  for (const char* key : {"first", "second"}) {
    const auto id = core_.command("refresh", key, "hc://system=host");
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    EXPECT_EQ(core_.answers[id]["status"], "failed");
    EXPECT_EQ(core_.answers[id]["reason"], why);
    EXPECT_EQ(core_.of("status").back(), json({{"state", "degraded"}, {"reason", why}}));
    looks.push_back(tree_.read("/looks"));
  }
  EXPECT_EQ(looks[0], looks[1]) << "another look while one hung";
  EXPECT_TRUE(core_.resources.contains(disk)) << "what was known stays";
  testing::sensors(tree_);
  tree_.remove("/hang");
  ASSERT_TRUE(loop_.until([&] { return core_.resources.contains(chip); }));
  EXPECT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "ok"; }));
  const auto id = core_.command("refresh", "third", "hc://system=host");
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.answers[id]["status"], "done");
}

TEST(FactsBytes, ComeBackAsTheyWent) {
  Facts facts;
  facts.system = "hc://system=x";
  facts.add("hc://system=x", "system")["properties"]["name"] = "caf\xe9";  // Latin-1: no UTF-8
  facts.contain("dev://pci=0000:00:00.0");
  facts.gauges["chip"].push_back({"r", "value", "/f", 1000, "celsius"});
  facts.problem = "p";
  const auto back = from_bytes(to_bytes(facts));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->resources, facts.resources);
  EXPECT_EQ(back->gauges, facts.gauges);
  EXPECT_EQ(back->problem, "p");
  EXPECT_FALSE(from_bytes(""));
  EXPECT_FALSE(from_bytes("\xa1\x61\x61\x01"));
}

}  // namespace
}  // namespace fmd::machine
