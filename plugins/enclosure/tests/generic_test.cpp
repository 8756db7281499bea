// The three generic descriptions together, on recorded and hand-made trees: the bays they find,
// their labels, the disk in each, and its LED method. Each missing or extra bay fails a test.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "plugins/enclosure/tests/chassis_rig.h"
#include "plugins/enclosure/tests/trees.h"

namespace fmd::enclosure {
namespace {

using nlohmann::json;
using Lines = std::set<std::string>;

class GenericTest : public testing::ChassisTest {
 protected:
  // Only these: the test machine's own descriptions would take precedence.
  GenericTest() {
    for (const char* name : {"generic-ses", "generic-tower", "generic-nvme"}) {
      std::ifstream in(std::string(SHIPPED) + "/" + name + ".toml");
      std::ostringstream text;
      text << in.rdbuf();
      tree_.file("/generic/" + std::string(name) + ".toml", text.str());
    }
    folders_ = {tree_.root() + "/generic"};
  }
  // "ID: LABEL, DISK, LED METHOD" of each bay of that chassis.
  Lines bays(const std::string& chassis) {
    if (!plugin_) start();
    Lines lines;
    for (const auto& edge : core_.resources[chassis]["edges"]) {
      const std::string bay = edge["to"];
      const std::string disks = core_.resources[bay]["edges"].size() > 1 ? " and more" : "";
      lines.insert(bay.substr(chassis.size() + 1) + ": " +
                   core_.property(bay, "label").get<std::string>() + ", " + disk_of(bay) + disks +
                   ", " + core_.property(bay, "led.method").get<std::string>());
    }
    return lines;
  }
  Lines chassis() {
    if (!plugin_) start();
    Lines found;
    for (const auto& [fmri, resource] : core_.resources)
      if (resource["type"] == "enclosure")
        found.insert(fmri + " " + core_.property(fmri, "description").get<std::string>());
    return found;
  }
};

constexpr const char* kShelf = "hc://chassis=5000c500fa0e5e50";
constexpr const char* kHost = "hc://chassis=host";

TEST_F(GenericTest, RecordedTheTestMachinesEnclosure) {
  make_shelf("fakeses0", 4);
  EXPECT_EQ(bays(kShelf), (Lines{"bay=1: SLOT 01, , ses", "bay=2: SLOT 02, , ses",
                                 "bay=3: SLOT 03, , ses", "bay=4: SLOT 04, , ses"}));
  EXPECT_EQ(chassis(), Lines{std::string(kShelf) + " generic-ses"});
}

TEST_F(GenericTest, RecordedAMachineWithTwoAhciControllersAndNvmeSlots) {
  testing::replay(tree_, FIXTURES "/q35-recorded.txt");
  const std::string nvme = "dev://serial=QEMU%20NVMe%20Ctrl:NVME000";
  EXPECT_EQ(
      bays(kHost),
      (Lines{"bay=ata-0000:00:1f.2-1: ATA port 1 of 0000:00:1f.2, dev://wwn=5000c500a0000001, none",
             "bay=ata-0000:00:1f.2-2: ATA port 2 of 0000:00:1f.2, , none",
             "bay=ata-0000:00:1f.2-3: ATA port 3 of 0000:00:1f.2, , none",
             "bay=ata-0000:00:1f.2-4: ATA port 4 of 0000:00:1f.2, dev://wwn=5000c500a0000004, none",
             "bay=ata-0000:00:1f.2-5: ATA port 5 of 0000:00:1f.2, , none",
             "bay=ata-0000:00:1f.2-6: ATA port 6 of 0000:00:1f.2, , none",
             "bay=ata-0000:01:00.0-1: ATA port 1 of 0000:01:00.0, , none",
             "bay=ata-0000:01:00.0-2: ATA port 2 of 0000:01:00.0, dev://wwn=5000c500a0000102, none",
             "bay=ata-0000:01:00.0-3: ATA port 3 of 0000:01:00.0, , none",
             "bay=ata-0000:01:00.0-4: ATA port 4 of 0000:01:00.0, , none",
             "bay=ata-0000:01:00.0-5: ATA port 5 of 0000:01:00.0, , none",
             "bay=ata-0000:01:00.0-6: ATA port 6 of 0000:01:00.0, , none",
             "bay=pci-7: PCI slot 7, " + nvme + "7, pci", "bay=pci-8: PCI slot 8, , pci",
             "bay=pci-9: PCI slot 9, " + nvme + "9, pci"}));
  EXPECT_EQ(chassis(), Lines{std::string(kHost) + " generic-nvme,generic-tower"});
  EXPECT_EQ(core_.property(std::string(kHost) + "/bay=ata-0000:00:1f.2-6", "occupied"), false)
      << "an optical drive is no disk";
}

TEST_F(GenericTest, ATower) {
  testing::make_tower(tree_);
  EXPECT_EQ(
      bays(testing::kTower),
      (Lines{"bay=ata-0000:00:1f.2-1: ATA port 1 of 0000:00:1f.2, dev://wwn=5000c500a0000001, none",
             "bay=ata-0000:00:1f.2-2: ATA port 2 of 0000:00:1f.2, , none",
             "bay=ata-0000:00:1f.2-3: ATA port 3 of 0000:00:1f.2, dev://wwn=5000c500a0000003, none",
             "bay=ata-0000:00:1f.2-4: ATA port 4 of 0000:00:1f.2, , none"}));
  EXPECT_EQ(chassis(), Lines{std::string(testing::kTower) + " generic-nvme,generic-tower"});
}

TEST_F(GenericTest, AWorkstationWithAPortMultiplier) {
  testing::make_workstation(tree_);
  make_ledctl("exit 0\n");
  EXPECT_EQ(bays(kHost), (Lines{"bay=ata-0000:00:17.0-1: ATA port 1 of 0000:00:17.0, "
                                "dev://wwn=5000c500b0000001 and more, ledctl",
                                "bay=ata-0000:00:17.0-2: ATA port 2 of 0000:00:17.0, , ledctl"}));
}

TEST_F(GenericTest, AnNvmeServer) {
  testing::make_nvme_server(tree_);
  EXPECT_EQ(bays(kHost), (Lines{"bay=pci-7: PCI slot 7, dev://wwn=00253850a0000007, npem",
                                "bay=pci-8: PCI slot 8, , npem",
                                "bay=pci-9: PCI slot 9, dev://wwn=00253850a0000009, pci"}));
  EXPECT_EQ(chassis(), Lines{std::string(kHost) + " generic-nvme,generic-tower"});
}

TEST_F(GenericTest, NvmeBehindVmd) {
  testing::make_vmd_server(tree_);
  EXPECT_EQ(bays(kHost), (Lines{"bay=pci-12: PCI slot 12, dev://wwn=00253850c0000001, npem",
                                "bay=pci-13: PCI slot 13, , npem"}));
}

TEST_F(GenericTest, AServerWithASasBackplaneAndAnAtaDisk) {
  testing::make_backplane_server(tree_);
  const std::string backplane = "hc://chassis=5003048001f9a13f";
  EXPECT_EQ(bays(backplane), (Lines{"bay=0: Slot00, dev://wwn=5000c500d0000000, ses",
                                    "bay=1: Slot01, , ses", "bay=2: Slot02, , ses"}));
  EXPECT_EQ(bays(kHost), (Lines{"bay=ata-0000:00:17.0-2: ATA port 2 of 0000:00:17.0, "
                                "dev://wwn=5000c500d0000009, none"}))
      << "port 1's disk sits in the backplane";
  EXPECT_EQ(chassis(), (Lines{backplane + " generic-ses",
                              std::string(kHost) + " generic-nvme,generic-tower"}));
}

TEST_F(GenericTest, AShelfCabledTwiceWithSlotsThatAreNumberedAlike) {
  testing::make_double_shelf(tree_);
  const std::string shelf = "hc://chassis=50050cc10c4001aa";
  EXPECT_EQ(bays(shelf), (Lines{"bay=Disk%20A: Disk A, dev://wwn=5000c500e0000001, ses",
                                "bay=Disk%20B: Disk B, dev://wwn=5000c500e0000002, ses"}));
  EXPECT_EQ(chassis(), Lines{shelf + " generic-ses"}) << "the host has no bays of its own";
}

}  // namespace
}  // namespace fmd::enclosure
