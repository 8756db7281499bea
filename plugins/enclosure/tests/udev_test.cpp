// The enclosure plugin with the real Host and udev events, on a machine simulated by umockdev
// (plugins/sdk/tests/beds): a SES enclosure and hot-plug PCI slots.
#include <gtest/gtest.h>

#include "plugins/enclosure/enclosure_plugin.h"
#include "plugins/hardware/system_id.h"
#include "plugins/sdk/tests/udev_bed.h"

namespace fmd::enclosure {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::kDisk;
using sdk::testing::kDrive;
using sdk::testing::kNewDisk;
using sdk::testing::kTarget;

constexpr const char* kShelf = "/sys/devices/platform/fakeses/enclosure/fakeses0";
constexpr const char* kChassis = "hc://chassis=5000c500fa0e5e50";
const std::string kBay = std::string(kChassis) + "/bay=3";
const std::string kSlot = std::string(kShelf) + "/SLOT 03";

class EnclosureUdevTest : public sdk::testing::InBed {
 protected:
  std::unique_ptr<EnclosurePlugin> plugin_;
  // umockdev does not replace /etc: the machine id is this machine's.
  const std::string slot_bay_ = "hc://chassis=" + hardware::system_id(host_) + "/bay=pci-7";

  void start(std::vector<std::string> descriptions = {}) {
    Options options;
    options.rescan = 24h;
    options.descriptions = std::move(descriptions);
    plugin_ = std::make_unique<EnclosurePlugin>(loop_, host_, socket(), options);
    let_look();
  }
  // The enclosure driver links a slot to its disk when the disk appears.
  void into_slot(const std::string& dump) {
    bed_.plug(dump);
    bed_.link(kSlot + "/device",
              "../../../../../pci0000:00/0000:00:02.0/virtio1/host0/target0:0:2/0:0:2:0");
    bed_.file(kSlot + "/status", "OK\n");
  }
  void out_of_slot() {
    bed_.remove(kSlot + "/device");
    bed_.file(kSlot + "/status", "not installed\n");
    bed_.unplug(kTarget);
  }
  // Like drivers/pci/slot.c, drivers/pci/npem.c and drivers/firmware/dmi-id.c.
  void make_slot() {
    bed_.file("/sys/bus/pci/slots/7/address", "0000:01:00\n");
    bed_.file("/sys/bus/pci/slots/7/attention", "0\n");
    bed_.file(std::string(sdk::testing::kDrivePort) + "/pci_bus/0000:01/cpulistaffinity", "0-1\n");
    bed_.link("/sys/class/pci_bus/0000:01",
              "../../devices/pci0000:00/0000:00:05.0/pci_bus/0000:01");
    bed_.file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    bed_.file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  }
  bool becomes(const std::string& fmri, const std::string& name, const json& value) {
    return loop_.until([&] { return core_.property(fmri, name) == value; });
  }
  std::string disk_in(const std::string& bay) {
    const json edges = core_.resources[bay]["edges"];
    return edges.empty() ? "" : edges[0]["to"].get<std::string>();
  }
};

TEST_F(EnclosureUdevTest, ADiskComesIntoItsBayAndGoes) {
  bed_.plug("ses-enclosure");
  start();
  ASSERT_EQ(core_.property(kBay, "occupied"), false);
  into_slot("scsi-disk");
  ASSERT_TRUE(becomes(kBay, "occupied", true));
  EXPECT_EQ(disk_in(kBay), kDisk);
  EXPECT_TRUE(becomes(kBay, "status", "OK"));  // the enclosure is queried later
  EXPECT_EQ(disk_in(std::string(kChassis) + "/bay=4"), "");
  out_of_slot();
  ASSERT_TRUE(becomes(kBay, "occupied", false));
  EXPECT_EQ(disk_in(kBay), "");
}

TEST_F(EnclosureUdevTest, ASwapBetweenTwoLooks) {
  bed_.plug("ses-enclosure");
  into_slot("scsi-disk");
  start();
  ASSERT_EQ(disk_in(kBay), kDisk);
  out_of_slot();
  into_slot("scsi-disk-new");
  EXPECT_TRUE(loop_.until([&] { return disk_in(kBay) == kNewDisk; }));
  EXPECT_EQ(core_.property(kBay, "occupied"), true);
}

TEST_F(EnclosureUdevTest, AnEnclosureComesAndGoes) {
  start();
  ASSERT_TRUE(core_.resources.empty());
  bed_.plug("ses-enclosure");
  ASSERT_TRUE(loop_.until([&] { return core_.resources.size() == 9; }));
  EXPECT_EQ(core_.property(kChassis, "components"), 8);
  EXPECT_EQ(core_.property(kBay, "label"), "SLOT 03");
  bed_.unplug(kShelf);
  ASSERT_TRUE(loop_.until([&] { return core_.resources.empty(); }));
  EXPECT_EQ(core_.gone[kBay], "removed");
}

TEST_F(EnclosureUdevTest, AnNvmeDriveInAPciSlot) {
  make_slot();
  start({SHIPPED});
  ASSERT_EQ(core_.property(slot_bay_, "occupied"), false);
  bed_.plug("nvme-drive");
  ASSERT_TRUE(becomes(slot_bay_, "occupied", true));
  EXPECT_EQ(disk_in(slot_bay_), kDrive);
  EXPECT_EQ(core_.property(slot_bay_, "place"), "pci_slot 7");
  bed_.unplug(std::string(sdk::testing::kDrivePort) + "/0000:01:00.0");
  ASSERT_TRUE(becomes(slot_bay_, "occupied", false));
  EXPECT_EQ(disk_in(slot_bay_), "");
}

}  // namespace
}  // namespace fmd::enclosure
