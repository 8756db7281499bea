// Data that a chassis description adds to the machine's parts: printed labels and places. On the
// trees of trees.h, and memory by DSP0134 (tables.h).
#include <gtest/gtest.h>

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

constexpr const char* kBoard =
    "[chassis]\nlabel = \"Board\"\napplies_to = \"host\"\nsource = \"a test\"\n"
    "[[match]]\ndmi_vendor = \"ACME\"\n"
    "[[view]]\nname = \"inside\"\nwidth_mm = 430\nheight_mm = 400\n"
    "[[fru]]\ntype = \"cpu\"\nlabel = \"CPU {n}\"\ncount = 2\nsocket = \"{n-1}\"\n"
    "ipmi = \"CPU{n} Status\"\n"
    "view = \"inside\"\nx_mm = 50\ny_mm = 60\nw_mm = 40\nh_mm = 45\npitch_x_mm = 200\n"
    "[[fru]]\ntype = \"dimm\"\nlabel = \"A1\"\nlocator = \"P0 DIMM0\"\n"
    "edac = \"CPU_SrcID#0_MC#0_Chan#0_DIMM#0\"\nview = \"inside\"\n"
    "x_mm = 10\ny_mm = 20\nw_mm = 4.5\nh_mm = 130\n"
    "[[fru]]\ntype = \"dimm\"\nlabel = \"A2\"\nedac = \"CPU_SrcID#0_MC#0_Chan#1_DIMM#0\"\n"
    "[[fru]]\ntype = \"dimm\"\nlabel = \"B1\"\nlocator = \"B1 DIMM 0\"\n"
    "[[fru]]\ntype = \"hba\"\nlabel = \"Riser 1, slot 4\"\npci_slot = \"4\"\nview = \"inside\"\n"
    "x_mm = 300\ny_mm = 10\nw_mm = 20\nh_mm = 170\n";

class PrintedTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), ""};

  PrintedTest() {
    tree_.file("/sys/class/dmi/id/sys_vendor", "ACME\n");
    tree_.file("/sys/class/dmi/id/product_serial", "9XK3J42\n");
    tree_.file("/descriptions/board.toml", kBoard);
    testing::sas_machine(tree_);
    for (const auto& [thread, socket] : {std::pair{"cpu0", "0"}, {"cpu1", "1"}, {"cpu2", "2"}}) {
      const std::string at = "/sys/devices/system/cpu/" + std::string(thread) + "/topology/";
      tree_.file(at + "physical_package_id", std::string(socket) + "\n");
      tree_.file(at + "core_id", "0\n");
    }
    tree_.file("/sys/firmware/dmi/tables/DMI",
               testing::memory_device({.locator = "P0 DIMM0", .size = 16384}) +
                   testing::memory_device({.locator = "DIMM 0", .bank = "B0", .size = 8192}) +
                   testing::memory_device({.locator = "DIMM 0", .bank = "B1", .size = 8192}) +
                   testing::end_mark());
    for (const char* channel : {"0", "1", "2"}) {
      const std::string at = "/sys/devices/system/edac/mc/mc0/dimm" + std::string(channel) + "/";
      tree_.file(at + "dimm_label", "CPU_SrcID#0_MC#0_Chan#" + std::string(channel) + "_DIMM#0\n");
      tree_.file(at + "size", "16384\n");
    }
  }
  Options options() {
    Options options{.rescan = 1h, .readings = 1h, .device_deadline = 10s};
    options.descriptions = {tree_.root() + "/descriptions"};
    return options;
  }
  json properties(const std::string& fmri) { return core_.resources[fmri]["properties"]; }
};

TEST_F(PrintedTest, ProcessorsBySocket) {
  const SystemPlugin plugin(loop_, host_, tree_.root() + "/s", options());
  ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
  EXPECT_EQ(properties("cpu://socket=1"), json({{"socket", 1},
                                                {"cores", 1},
                                                {"threads", 1},
                                                {"label", "CPU 2"},
                                                {"ipmi", "CPU2 Status"},
                                                {"enclosure", "hc://chassis=host"},
                                                {"view", "inside"},
                                                {"x_mm", 250.0},
                                                {"y_mm", 60.0},
                                                {"w_mm", 40.0},
                                                {"h_mm", 45.0}}));
  EXPECT_EQ(properties("cpu://socket=0")["label"], "CPU 1");
  EXPECT_FALSE(properties("cpu://socket=2").contains("label")) << "of that one nothing is told";
  EXPECT_EQ(properties("cpu://socket=1/core=0")["label"], "core 0 of CPU 2");
  EXPECT_FALSE(properties("cpu://socket=2/core=0").contains("label"));
}

TEST_F(PrintedTest, MemoryByEdacLabelOrByItsNameInSmbios) {
  const SystemPlugin plugin(loop_, host_, tree_.root() + "/s", options());
  ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
  const json first = properties("mem://dimm=P0%20DIMM0");
  EXPECT_EQ(first["label"], "A1");
  EXPECT_EQ(first["locator"], "P0 DIMM0");
  EXPECT_EQ(first["w_mm"], 4.5);
  EXPECT_EQ(first["edac"], "mc0/dimm0") << "the description says that both are one module";
  EXPECT_EQ(properties("mem://mc=0/dimm=1")["label"], "A2");
  EXPECT_FALSE(properties("mem://mc=0/dimm=1").contains("view"));
  EXPECT_EQ(properties("mem://mc=0/dimm=2")["label"], "CPU_SrcID#0_MC#0_Chan#2_DIMM#0");
  EXPECT_EQ(properties("mem://dimm=B1%20DIMM%200")["label"], "B1");
  EXPECT_EQ(properties("mem://dimm=B0%20DIMM%200")["label"], "B0 DIMM 0") << "the other one";
}

TEST_F(PrintedTest, ACardBySlotAndTheSlotItself) {
  tree_.file("/sys/devices/pci0000:00/0000:3a:00.0/0000:3b:00.1/class", "0x010700\n");
  tree_.link("/sys/bus/pci/devices/0000:3b:00.1",
             "/sys/devices/pci0000:00/0000:3a:00.0/0000:3b:00.1");
  const SystemPlugin plugin(loop_, host_, tree_.root() + "/s", options());
  ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
  for (const char* part : {"hc://system=host/pcislot=4", "dev://pci=0000:3b:00.0"}) {
    EXPECT_EQ(properties(part)["label"], "Riser 1, slot 4") << part;
    EXPECT_EQ(properties(part)["x_mm"], 300.0) << part;
    EXPECT_EQ(properties(part)["enclosure"], "hc://chassis=host") << part;
  }
  EXPECT_EQ(properties("dev://pci=0000:3b:00.1")["slot"], "4");
  EXPECT_FALSE(properties("dev://pci=0000:3b:00.1").contains("label")) << "the same card again";
  EXPECT_FALSE(properties("dev://pci=0000:3a:00.0").contains("label")) << "the bridge above";
}

TEST_F(PrintedTest, AChangedFileIsTakenAndAnotherMachinesIsNot) {
  Options soon = options();
  soon.readings = 20ms;
  const SystemPlugin plugin(loop_, host_, tree_.root() + "/s", soon);
  ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
  ASSERT_EQ(properties("cpu://socket=0")["label"], "CPU 1");
  std::string other = kBoard;
  other.replace(other.find("CPU {n}"), 7, "Processor {n}");
  tree_.file("/descriptions/board.toml", other);
  EXPECT_TRUE(loop_.until(
      [&] { return properties("cpu://socket=0").value("label", "") == "Processor 1"; }));
  other.replace(other.find("ACME"), 4, "OTHER");
  tree_.file("/descriptions/board.toml", other);
  EXPECT_TRUE(loop_.until([&] { return !properties("cpu://socket=0").contains("label"); }));
  EXPECT_EQ(properties("mem://dimm=P0%20DIMM0")["label"], "P0 DIMM0");
}

}  // namespace
}  // namespace fmd::machine
