// Volumes of RAID controllers: recognising them, and their drivers' attributes.
#include "plugins/volumes/hardware_raid.h"

#include "plugins/volumes/tests/md_rig.h"

namespace fmd::volumes::testing {
namespace {

class HardwareRaidTest : public ::testing::Test {
 protected:
  Loop loop_;
  MdTree t_;
  sdk::Host host_{loop_, t_.tree.root(), ""};

  void SetUp() override {
    t_.plug(1);
    vendor("LSI");
  }
  void driver(const std::string& name) const {
    t_.tree.file("/sys/class/scsi_host/host0/proc_name", name + "\n");
  }
  void vendor(const std::string& name) const {
    t_.tree.file("/sys/devices/pci0000:00/host0/0:0:1:0/vendor", name + "     \n");
  }
  json disk() const {
    const auto all =
        hardware_raid_resources(hardware_raid_from_json(to_json(scan_hardware_raid(host_))));
    const auto at = all.find(disk_of(1));
    return at == all.end() ? json() : at->second["properties"];
  }
};

TEST_F(HardwareRaidTest, OfMostNobodyTellsHowTheyAre) {
  driver("megaraid_sas");
  EXPECT_EQ(disk()["raid.observed"], "not-observed");
  EXPECT_EQ(disk()["raid.driver"], "megaraid_sas");
  EXPECT_FALSE(disk().contains("raid.health"));
}

TEST_F(HardwareRaidTest, ADiskThatIsPassedThroughIsADisk) {
  driver("megaraid_sas");
  vendor("ATA");
  EXPECT_TRUE(disk().is_null());
  driver("ahci");
  vendor("LSI");
  EXPECT_TRUE(disk().is_null());
}

TEST_F(HardwareRaidTest, ByItsLevel) {
  driver("hpsa");
  t_.tree.file("/sys/devices/pci0000:00/host0/0:0:1:0/raid_level", "N/A\n");
  EXPECT_TRUE(disk().is_null());
  t_.tree.file("/sys/devices/pci0000:00/host0/0:0:1:0/raid_level", "RAID 1(+0)\n");
  EXPECT_EQ(disk()["raid.level"], "RAID 1(+0)");
  EXPECT_EQ(disk()["raid.observed"], "not-observed");
}

TEST_F(HardwareRaidTest, TheClassOfRaidDevicesTellsTheState) {
  driver("mpt3sas");
  t_.tree.file("/sys/class/raid_devices/0:0:1:0/level", "raid1\n");
  for (const auto& [state, health] : std::map<std::string, std::string>{{"active", "optimal"},
                                                                        {"degraded", "degraded"},
                                                                        {"resyncing", "rebuilding"},
                                                                        {"offline", "failed"},
                                                                        {"odd", "unknown"}}) {
    t_.tree.file("/sys/class/raid_devices/0:0:1:0/state", state + "\n");
    EXPECT_EQ(disk()["raid.health"], health);
    EXPECT_EQ(disk()["raid.observed"], "observed");
  }
}

}  // namespace
}  // namespace fmd::volumes::testing
