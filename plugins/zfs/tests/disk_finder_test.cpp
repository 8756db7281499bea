// Finding a vdev's disk, and whether udev has read its label there, on a fake host folder.
#include "plugins/zfs/disk_finder.h"

#include <gtest/gtest.h>
#include <systemd/sd-event.h>

#include <filesystem>
#include <fstream>

#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/plugin.h"

namespace fmd::zfs {
namespace {

namespace fs = std::filesystem;

class Finder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "fmd-finder-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(name.data()));
    root = fs::canonical(name);
    ASSERT_GE(sd_event_new(&loop), 0);
    host = std::make_unique<sdk::Host>(loop, root.string(), "");
    write("/dev/sdb1", "");
    write("/sys/class/block/sdb1/dev", "8:17");
    link("/dev/disk/by-id/wwn-0x5000c500a0000002-part1", "../../sdb1");
    vdev.guid = 4711;
    vdev.type = "disk";
    vdev.state = "UNAVAIL";
    vdev.path = "/dev/disk/by-id/wwn-0x5000c500a0000002-part1";
  }
  void TearDown() override {
    host.reset();
    sd_event_unref(loop);
    fs::remove_all(root);
  }
  void write(const std::string& absolute, const std::string& text) {
    fs::create_directories(fs::path(root.string() + absolute).parent_path());
    std::ofstream(root.string() + absolute) << text << "\n";
  }
  void link(const std::string& absolute, const std::string& target) {
    fs::create_directories(fs::path(root.string() + absolute).parent_path());
    fs::create_symlink(target, root.string() + absolute);
  }
  // blkid's result for the partition, as stored by udev.
  void udev_says(const std::string& type, const std::string& uuid_sub) {
    write("/run/udev/data/b8:17",
          "S:disk/by-partlabel/"
          "zfs\nI:123456\nE:ID_FS_LABEL=tank\nE:ID_FS_UUID=99\nE:ID_FS_UUID_SUB=" +
              uuid_sub + "\nE:ID_FS_TYPE=" + type + "\nG:systemd");
  }
  bool bears() const { return DiskFinder(*host).bears_label(vdev); }

  fs::path root;
  sd_event* loop = nullptr;
  std::unique_ptr<sdk::Host> host;
  Vdev vdev;
};

TEST_F(Finder, BearsItsOwnLabel) {
  udev_says("zfs_member", "4711");
  EXPECT_TRUE(bears());
}

TEST_F(Finder, AnotherVdevsLabelIsNotIts) {
  udev_says("zfs_member", "47110");
  EXPECT_FALSE(bears()) << "longer";
  udev_says("zfs_member", "14711");
  EXPECT_FALSE(bears()) << "it ends so";
  udev_says("zfs_member", "471");
  EXPECT_FALSE(bears());
  vdev.guid = 99;
  EXPECT_FALSE(bears()) << "that is the pool's";
}

TEST_F(Finder, WhatOnlyLooksLikeALabelIsNone) {
  udev_says("ext4", "4711");
  EXPECT_FALSE(bears()) << "btrfs and others have a UUID_SUB as well";
}

TEST_F(Finder, NothingReadIsNoLabel) {
  EXPECT_FALSE(bears()) << "udev knows nothing of it";
  write("/run/udev/data/b8:17", "I:123456\nE:ID_PART_TABLE_TYPE=gpt");
  EXPECT_FALSE(bears()) << "blank";
  udev_says("zfs_member", "4711");
  fs::remove(root.string() + "/dev/disk/by-id/wwn-0x5000c500a0000002-part1");
  EXPECT_FALSE(bears()) << "not there";
  vdev.path = "";
  EXPECT_FALSE(bears());
}

// A pool on /dev/sdc, whose disk came back as sdb.
TEST_F(Finder, WhereOnADiskTheLabelIs) {
  const auto disk = [&](const std::string& name, const std::string& wwn) {
    write("/sys/block/" + name + "/device/wwid", "naa." + wwn);
    write("/sys/block/" + name + "/" + name + "1/partition", "1");
  };
  disk("sdb", "5000c500a0000002");
  disk("sdc", "5000c500a0000003");
  write("/dev/sdc1", "");
  vdev.path = "/dev/sdc1";
  const auto where = [&](const char* wwn) {
    return DiskFinder(*host).labelled_path(vdev, std::string("dev://wwn=") + wwn);
  };
  EXPECT_EQ(where("5000c500a0000002"), "") << "udev knows no label";
  udev_says("zfs_member", "4711");
  EXPECT_EQ(where("5000c500a0000002"), "/dev/disk/by-id/wwn-0x5000c500a0000002-part1");
  EXPECT_EQ(where("5000c500a0000003"), "") << "another disk";
  vdev.guid = 4712;
  EXPECT_EQ(where("5000c500a0000002"), "");
}

TEST_F(Finder, TheDeviceThatIsThereNowIsAsked) {
  udev_says("zfs_member", "4711");
  write("/dev/sdc1", "");
  write("/sys/class/block/sdc1/dev", "8:33");
  fs::remove(root.string() + "/dev/disk/by-id/wwn-0x5000c500a0000002-part1");
  link("/dev/disk/by-id/wwn-0x5000c500a0000002-part1", "../../sdc1");
  EXPECT_FALSE(bears());
  write("/run/udev/data/b8:33", "E:ID_FS_TYPE=zfs_member\nE:ID_FS_UUID_SUB=4711");
  EXPECT_TRUE(bears());
}

TEST_F(Finder, WhatIsOnAMapping) {
  const std::vector<std::pair<std::string, bool>> maps{{"CRYPT-LUKS2-0fc63daf84834772-tank1", true},
                                                       {"LVM-4Jz8Zq", true},
                                                       {"tank1", true},
                                                       {"part1-CRYPT-PLAIN-x", true},
                                                       {"mpath-35000c5", false},
                                                       {"part1-mpath-35000c5", false},
                                                       {"part12-mpath-35000c5", false}};
  for (const auto& [uuid, mapped] : maps) {
    SCOPED_TRACE(uuid);
    std::set<uint64_t> known;
    vdev.path = "/dev/mapper/tank1";
    vdev.state = "ONLINE";
    write("/dev/dm-7", "");
    fs::remove(root.string() + "/dev/mapper/tank1");
    link("/dev/mapper/tank1", "../dm-7");
    write("/sys/block/dm-7/dm/uuid", uuid);
    write("/sys/block/dm-7/slaves/sdb/size", "1");
    EXPECT_EQ(DiskFinder(*host).is_mapped(vdev, known, true), mapped);
    vdev.state = "UNAVAIL";
    fs::remove(root.string() + "/dev/mapper/tank1");
    EXPECT_EQ(DiskFinder(*host).is_mapped(vdev, known, true), mapped)
        << "also when its disk is gone";
  }
  std::set<uint64_t> known{4711};
  vdev.path = "/dev/sdb1";
  vdev.state = "ONLINE";
  write("/sys/block/sdb/size", "1");
  write("/sys/block/sdb1/size", "1");
  EXPECT_FALSE(DiskFinder(*host).is_mapped(vdev, known, true));
  EXPECT_TRUE(known.empty());
}

TEST_F(Finder, WhatWasNeverSeenIsOnAMappingIfItsNameSaysSo) {
  std::set<uint64_t> known;
  for (const auto& [path, mapped] : std::vector<std::pair<std::string, bool>>{
           {"/dev/mapper/luks1", true},
           {"/dev/disk/by-id/dm-uuid-CRYPT-LUKS2-0fc63daf84834772-a", true},
           {"/dev/mapper/mpatha-part1", false},
           {"/dev/disk/by-id/dm-uuid-mpath-35000c500a0000002", false},
           {"/dev/disk/by-id/wwn-0x5000c500a0000009-part1", false}}) {
    vdev.path = path;
    EXPECT_EQ(DiskFinder(*host).is_mapped(vdev, known, false), mapped) << path;
    EXPECT_FALSE(DiskFinder(*host).is_mapped(vdev, known, true)) << path;
  }
}

TEST_F(Finder, AFileOutsideDevIsAskedNothing) {
  write("/tank/file", "");
  vdev.type = "file";
  vdev.path = "/tank/file";
  EXPECT_FALSE(bears());
  EXPECT_TRUE(DiskFinder(*host).present(vdev));
  vdev.path = "/tank/other";
  EXPECT_FALSE(DiskFinder(*host).present(vdev));
}

// A whole disk and its first partition, as ZFS creates them.
class Places : public Finder {
 protected:
  void put_disk(const std::string& name, const std::string& wwn) {
    write("/dev/" + name, "");
    write("/dev/" + name + "1", "");
    write("/sys/block/" + name + "/device/wwid", "naa." + wwn);
    write("/sys/block/" + name + "/size", "1000");
    fs::create_directories(root.string() + "/sys/class/block");
    link("/sys/class/block/" + name, "../../block/" + name);
    write("/sys/block/" + name + "/" + name + "1/partition", "1");
    link("/sys/class/block/" + name + "1", "../../block/" + name + "/" + name + "1");
  }
  std::string disk(const std::string& name) {
    const auto found = hardware::identify_disk(*host, name);
    return found ? found->fmri : "";
  }
};

TEST_F(Places, ByThePhysicalPathElseByItsOwnName) {
  put_disk("sdx", "5000c500a00000aa");
  put_disk("sdy", "5000c500a00000bb");
  ASSERT_NE(disk("sdx"), "");
  ASSERT_NE(disk("sdx"), disk("sdy"));
  const DiskFinder finder(*host);
  vdev.path = "/dev/disk/by-id/wwn-0x5000c500a0000099-part1";  // that disk is gone
  EXPECT_EQ(finder.in_place(vdev), "");
  vdev.physpath = "pci-0-sas-phy3-lun-0";
  EXPECT_EQ(finder.in_place(vdev), "");
  link("/dev/disk/by-path/pci-0-sas-phy3-lun-0", "../../sdx");
  EXPECT_EQ(finder.in_place(vdev), disk("sdx"));
  EXPECT_EQ(finder.path_in_place(vdev, disk("sdx")), "") << "it is named by its id";
  vdev.physpath = "A3";
  link("/dev/disk/by-vdev/A3", "../../sdy");
  EXPECT_EQ(finder.in_place(vdev), disk("sdy"));
  vdev.physpath = "";
  vdev.path = "/dev/disk/by-vdev/A3-part1";
  EXPECT_EQ(finder.in_place(vdev), disk("sdy")) << "blank: it has no partition";
  EXPECT_EQ(finder.path_in_place(vdev, disk("sdy")), "/dev/disk/by-vdev/A3");
  EXPECT_EQ(finder.path_in_place(vdev, disk("sdx")), "") << "another is there";
  EXPECT_EQ(finder.block_device(vdev), "sdy");
  write("/dev/dm-0", "");
  write("/sys/block/dm-0/dm/uuid", "mpath-1");
  write("/sys/block/dm-0/slaves/sdx/size", "1000");
  Vdev mapped = vdev;
  mapped.path = "/dev/dm-0";
  EXPECT_EQ(finder.block_device(mapped), "dm-0") << "one path that goes is not the disk";
  mapped.path = "/dev/sdx1";
  EXPECT_EQ(finder.block_device(mapped), "sdx");
  mapped.path = "/dev/gone1";
  EXPECT_EQ(finder.block_device(mapped), "");
  vdev.path = "/dev/sdx1";
  EXPECT_EQ(finder.in_place(vdev), "") << "such a name is anybody's";
  vdev.physpath = "../../sdx";
  EXPECT_EQ(finder.in_place(vdev), "");
}

}  // namespace
}  // namespace fmd::zfs
