#include <gtest/gtest.h>

#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::hardware {
namespace {

using sdk::testing::Loop;
using sdk::testing::TempTree;

class DiskIdentityTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};

  // A VPD page 80h as shown by sg_vpd: header, then the serial number.
  static std::string page80(const std::string& serial) {
    std::string page = {0x00, static_cast<char>(0x80), 0x00, static_cast<char>(serial.size())};
    return page + serial;
  }
  void scsi(const std::string& name, const std::string& wwid, const std::string& serial) {
    const std::string folder = "/sys/devices/pci/host0/target/0:0:2:0";
    tree_.file(folder + "/block/" + name + "/size", "524288\n");
    tree_.file(folder + "/block/" + name + "/" + name + "1/partition", "1\n");
    tree_.link(folder + "/block/" + name + "/device", "../../../0:0:2:0");
    tree_.link("/sys/block/" + name, "../devices/pci/host0/target/0:0:2:0/block/" + name);
    tree_.link("/sys/class/block/" + name + "1",
               "../../devices/pci/host0/target/0:0:2:0/block/" + name + "/" + name + "1");
    if (!wwid.empty()) tree_.file(folder + "/wwid", wwid + "\n");
    if (!serial.empty()) tree_.file(folder + "/vpd_pg80", page80(serial));
    tree_.file(folder + "/vendor", "QEMU    \n");
    tree_.file(folder + "/model", "QEMU HARDDISK   \n");
    tree_.file(folder + "/rev", "2.5+\n");
  }
};

TEST_F(DiskIdentityTest, ScsiByWwn) {
  scsi("sde", "naa.5000C500A0000003", "DISK03G0        ");
  const auto id = identify_disk(host_, "sde").value();
  EXPECT_EQ(id.fmri, "dev://wwn=5000c500a0000003");
  EXPECT_EQ(id.serial, "DISK03G0");
  EXPECT_EQ(id.vendor, "QEMU");
  EXPECT_EQ(id.model, "QEMU HARDDISK");
  EXPECT_EQ(id.firmware, "2.5+");
}

TEST_F(DiskIdentityTest, APartitionIsTakenToItsDisk) {
  scsi("sde", "naa.5000c500a0000003", "DISK03G0");
  for (const char* name : {"sde1", "/dev/sde1", "/dev/sde"}) {
    const auto id = identify_disk(host_, name).value();
    EXPECT_EQ(id.name, "sde") << name;
    EXPECT_EQ(id.fmri, "dev://wwn=5000c500a0000003") << name;
  }
  tree_.remove("/sys/class");  // without /sys/class
  EXPECT_EQ(identify_disk(host_, "sde1").value().name, "sde");
}

TEST_F(DiskIdentityTest, WithoutAWwnByModelAndSerial) {
  scsi("sda", "t10.ATA     QEMU HARDDISK                           QM00001", " QM00001\n");
  EXPECT_EQ(identify_disk(host_, "sda").value().fmri, "dev://serial=QEMU%20HARDDISK:QM00001");
  EXPECT_EQ(identify_disk(host_, "sda").value().wwn, "");
}

TEST_F(DiskIdentityTest, AWwnOfZerosIsNone) {
  scsi("sda", "naa.0000000000000000", "S1");
  EXPECT_EQ(identify_disk(host_, "sda").value().fmri, "dev://serial=QEMU%20HARDDISK:S1");
}

TEST_F(DiskIdentityTest, HostileSerialsAreEscapedAndStayApart) {
  scsi("sda", "", "a\x1b[2J \"'\xff");
  EXPECT_EQ(identify_disk(host_, "sda").value().fmri,
            "dev://serial=QEMU%20HARDDISK:a%1B%5B2J%20%22%27%FF");
}

TEST_F(DiskIdentityTest, ATruncatedPageIsNoSerial) {
  scsi("sda", "", "");
  tree_.file("/sys/devices/pci/host0/target/0:0:2:0/vpd_pg80", std::string("\0\x80\0", 3));
  EXPECT_EQ(identify_disk(host_, "sda").value().fmri, "");
  // Its length exceeds its content.
  tree_.file("/sys/devices/pci/host0/target/0:0:2:0/vpd_pg80", std::string("\0\x80\xff\xffSN", 6));
  EXPECT_EQ(identify_disk(host_, "sda").value().serial, "SN");
}

TEST_F(DiskIdentityTest, Nvme) {
  tree_.file("/sys/block/nvme0n1/wwid", "eui.0025388B01A2B3C4\n");
  tree_.file("/sys/block/nvme0n1/device/serial", "S4EVNX0R            \n");
  tree_.file("/sys/block/nvme0n1/device/model", "Samsung SSD 970 EVO\n");
  tree_.file("/sys/block/nvme0n1/device/firmware_rev", "2B2QEXE7\n");
  const auto id = identify_disk(host_, "nvme0n1").value();
  EXPECT_EQ(id.fmri, "dev://wwn=0025388b01a2b3c4");
  EXPECT_EQ(id.serial, "S4EVNX0R");
  EXPECT_EQ(id.firmware, "2B2QEXE7");
}

TEST_F(DiskIdentityTest, NvmeNamespacesWithoutANameOfTheirOwnDiffer) {
  for (const char* space : {"1", "2"}) {
    const std::string folder = std::string("/sys/block/nvme0n") + space;
    tree_.file(folder + "/wwid", "nvme.8086-434f-51454d55-00000001\n");
    tree_.file(folder + "/nsid", space);
    tree_.file(folder + "/device/serial", "CO\n");
    tree_.file(folder + "/device/model", "M\n");
  }
  EXPECT_EQ(identify_disk(host_, "nvme0n1").value().fmri, "dev://serial=M:CO");
  EXPECT_EQ(identify_disk(host_, "nvme0n2").value().fmri, "dev://serial=M:CO:2");
}

TEST_F(DiskIdentityTest, VirtioHasOnlyASerial) {
  tree_.file("/sys/block/vda/serial", "ROOT1");
  tree_.file("/sys/block/vda/device/vendor", "0x1af4\n");
  const auto id = identify_disk(host_, "vda").value();
  EXPECT_EQ(id.fmri, "dev://serial=:ROOT1");
  EXPECT_EQ(id.vendor, "");
}

TEST_F(DiskIdentityTest, MultipathIsTheDiskBelow) {
  scsi("sde", "naa.5000c500a0000003", "DISK03G0");
  tree_.file("/sys/block/dm-3/dm/uuid", "mpath-35000c500a0000003\n");
  tree_.folder("/sys/block/dm-3/slaves/sde");
  tree_.folder("/sys/block/dm-3/slaves/sdk");
  tree_.folder("/sys/block/dm-4/slaves/dm-3");
  EXPECT_EQ(identify_disk(host_, "dm-4").value().fmri, "dev://wwn=5000c500a0000003");
  tree_.file("/sys/block/dm-3/dm/uuid", "LVM-x\n");
  EXPECT_EQ(identify_disk(host_, "dm-3").value().fmri, "") << "a volume over two disks is no disk";
}

TEST_F(DiskIdentityTest, WhatIsNotThereIsAnError) {
  tree_.folder("/sys/block");
  EXPECT_FALSE(identify_disk(host_, "sdz"));
  EXPECT_FALSE(identify_disk(host_, ""));
  EXPECT_FALSE(identify_disk(host_, ".."));
  EXPECT_FALSE(identify_disk(host_, "../../etc"));
}

}  // namespace
}  // namespace fmd::hardware
