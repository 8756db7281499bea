// Places and the host's own box on hand-made trees (trees.h), including hostile ones.
#include "plugins/enclosure/places.h"

#include <gtest/gtest.h>

#include "plugins/enclosure/host_box.h"
#include "plugins/enclosure/tests/trees.h"
#include "plugins/hardware/system_id.h"

namespace fmd::enclosure {
namespace {

using sdk::testing::Loop;
using sdk::testing::TempTree;

class PlacesTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};
};

TEST_F(PlacesTest, AtaPortsByControllerAndNumber) {
  testing::make_tower(tree_);
  const auto ports = ata_ports(host_);
  ASSERT_EQ(ports.size(), 5u);
  EXPECT_EQ(ports[0].name, "0000:00:1f.2/1");
  EXPECT_EQ(ports[0].blocks, std::vector<std::string>{"sda"});
  EXPECT_TRUE(ports[1].blocks.empty());
  EXPECT_EQ(ports[4].name, "0000:03:00.0/1");
  const auto third = find_place(host_, {"ata_port", "0000:00:1f.2/3", ""});
  ASSERT_TRUE(third);
  EXPECT_EQ(third->blocks, std::vector<std::string>{"sdb"});
  EXPECT_FALSE(find_place(host_, {"ata_port", "0000:00:1f.2/9", ""}));
}

TEST_F(PlacesTest, PciSlotsWithTheirLights) {
  testing::make_nvme_server(tree_);
  const auto slot = find_place(host_, {"pci_slot", "7", ""});
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->blocks, std::vector<std::string>{"nvme7n1"});
  ASSERT_EQ(slot->lights.size(), 4u);
  EXPECT_EQ(slot->lights[0].file, "/sys/class/leds/0000:00:02.0:enclosure:fail/brightness");
  EXPECT_EQ(slot->lights[2].method, "pci");
  EXPECT_EQ(slot->lights[2].value, 0);
  EXPECT_EQ(find_place(host_, {"pci_slot", "8", ""})->lights.size(), 4u) << "an empty slot's too";
  EXPECT_TRUE(find_place(host_, {"pci_slot", "1", ""})->other);
  EXPECT_FALSE(find_place(host_, {"pci_slot", "../../../etc", ""}));
}

TEST_F(PlacesTest, ANamespaceThatIsOnePathOfSeveralIsItsDisk) {
  testing::nvme_slot(tree_, "3", "02", false);
  const std::string device = testing::port_of("02") + "/0000:02:00.0";
  tree_.folder(device + "/nvme/nvme0/nvme0c1n2");
  tree_.link("/sys/bus/pci/devices/0000:02:00.0", device);
  EXPECT_EQ(find_place(host_, {"pci_slot", "3", ""})->blocks, std::vector<std::string>{"nvme0n2"});
}

TEST_F(PlacesTest, SasPhysOfAnHbaAndByPath) {
  testing::make_sas_box(tree_);
  const auto phy = find_place(host_, {"sas_phy", "0000:06:00.0/4", ""});
  ASSERT_TRUE(phy);
  EXPECT_EQ(phy->blocks, std::vector<std::string>{"sdq"});
  EXPECT_TRUE(find_place(host_, {"sas_phy", "0000:06:00.0/5", ""})->blocks.empty());
  EXPECT_FALSE(find_place(host_, {"sas_phy", "0000:07:00.0/4", ""}));
  EXPECT_FALSE(find_place(host_, {"sas_phy", "4", ""}));
  tree_.link("/dev/disk/by-path/pci-0000:06:00.0-sas-phy4-lun-0", "../../sdq");
  EXPECT_EQ(find_place(host_, {"by_path", "pci-0000:06:00.0-sas-phy4-lun-0", ""})->blocks,
            std::vector<std::string>{"sdq"});
  EXPECT_TRUE(find_place(host_, {"by_path", "../../etc/passwd", ""})->blocks.empty());
}

// Attributes that are folders, empty, very long or not numbers; circular links.
TEST_F(PlacesTest, HostileTrees) {
  testing::make_tower(tree_);
  testing::make_nvme_server(tree_);
  tree_.file(testing::ata_port(2) + "/ata_port/ata2/port_no", std::string(5000, '9'));
  tree_.remove(testing::ata_port(1) + "/ata_port/ata1/port_no");
  tree_.folder(testing::ata_port(1) + "/ata_port/ata1/port_no");
  tree_.link("/sys/class/ata_port/ata9", "/sys/class/ata_port/ata9");
  tree_.file("/sys/bus/pci/slots/7/address", "\x01\xff\n");
  tree_.file("/sys/bus/pci/slots/8/address", "");
  tree_.file("/sys/bus/pci/slots/9/attention", "bright\n");
  EXPECT_GE(ata_ports(host_).size(), 3u);
  for (const auto& slot : pci_slots(host_))
    for (const auto& light : slot.lights)
      EXPECT_FALSE(slot.name == "9" && light.value) << light.file;
  EXPECT_EQ(hardware::machine_facts(host_).at("dmi_vendor"), "ACME");
}

TEST_F(PlacesTest, TheHostsBoxSurvivesTheWayBackFromItsChild) {
  testing::make_tower(tree_);
  auto description = std::make_shared<chassis::Description>();
  description->label = "T\xff";
  description->discover.push_back({"ata-port", "Port {n} at {at}", "3.5", "", {}});
  const auto box = from_bytes(to_bytes(scan_host(host_, {description})));
  ASSERT_TRUE(box);
  EXPECT_EQ(box->label, "T\xff");
  ASSERT_EQ(box->bays.size(), 4u) << "the controller without a disk has no bays";
  EXPECT_EQ(box->bays[2].slot, "ata-0000:00:1f.2-3");
  EXPECT_EQ(box->bays[2].label, "Port 3 at 0000:00:1f.2");
  EXPECT_TRUE(box->bays[2].occupied);
  EXPECT_EQ(box->bays[2].device, "sdb");
  EXPECT_FALSE(from_bytes(to_bytes(*box).substr(0, 40)));
}

}  // namespace
}  // namespace fmd::enclosure
