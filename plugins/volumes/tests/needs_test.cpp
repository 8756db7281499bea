// Needs: entries of fstab and mount units, the devices they name, and removable media.
#include "plugins/volumes/needs.h"

#include "plugins/volumes/tests/md_rig.h"

namespace fmd::volumes::testing {
namespace {

TEST(Needs, EntriesOfFstab) {
  const Specs specs = required_in_fstab(
      "# /etc/fstab: static file system information.\n"
      "UUID=0a1b-2c3d / ext4 errors=remount-ro 0 1\n"
      "\n"
      "  LABEL=my\\040data\t/srv\tbtrfs\tdefaults,compress=zstd 0 0\n"
      "PARTUUID=\"77-01\" /boot vfat umask=0077\n"
      "/dev/disk/by-id/usb-Example_Disk-0:0-part1 /mnt/usb ext4 rw,noauto,user 0 0\n"
      "/dev/vg0/backup /backup xfs nofail,x-systemd.device-timeout=5s 0 0\n"
      "UUID=55 /media btrfs noatime,x-systemd.automount 0 0\n"
      "/dev/sdq1 /autofs ext4 rw,nofailure 0 0\n"
      "/dev/md3 none swap sw 0 0\n"
      "UUID=lonely\n"
      "#UUID=old /old ext4 defaults 0 0");
  EXPECT_EQ(specs, (Specs{"UUID=0a1b-2c3d", "LABEL=my data", "PARTUUID=77-01", "/dev/sdq1",
                          "/dev/md3", "UUID=lonely"}));
  EXPECT_TRUE(required_in_fstab("").empty());
  EXPECT_EQ(required_in_fstab("a\\04"), Specs{"a\\04"}) << "cut short";
}

TEST(Needs, MountUnits) {
  EXPECT_EQ(required_in_unit("[Mount]\nWhat=/dev/disk/by-label/data\nWhere=/data\n"),
            "/dev/disk/by-label/data");
  EXPECT_EQ(required_in_unit("[Mount]\nOptions=noatime,nofail\nWhat=/dev/sdb1\n"), "");
  EXPECT_EQ(required_in_unit("[Unit]\nDescription=nothing\n"), "");
}

class NeedsTest : public ::testing::Test {
 protected:
  Loop loop_;
  MdTree t_;
  sdk::Host host_{loop_, t_.tree.root(), ""};
};

TEST_F(NeedsTest, UnitsThatAreSwitchedOnAndWhereTheirNamesLead) {
  const std::string units = "/etc/systemd/system/";
  t_.tree.file(units + "data.mount", "[Mount]\nWhat=/dev/mapper/vg0-data\nWhere=/data\n");
  t_.tree.file(units + "old.mount", "[Mount]\nWhat=/dev/sdz1\nWhere=/old\n");
  t_.tree.link(units + "multi-user.target.wants/data.mount", units + "data.mount");
  t_.tree.link("/dev/mapper/vg0-data", "../dm-4");
  t_.tree.file("/etc/fstab", "UUID=aa /srv ext4 defaults 0 2\n");
  t_.tree.link("/dev/disk/by-uuid/aa", "../../md127p2");
  const Needs needs = needs_from_json(to_json(read_needs(host_, {})));
  EXPECT_EQ(needs.required, (Specs{"/dev/mapper/vg0-data", "UUID=aa"}));
  EXPECT_EQ(needs.of("dm-4"), Specs{"/dev/mapper/vg0-data"});
  EXPECT_EQ(needs.of("md127"), Specs{"UUID=aa"});
  EXPECT_TRUE(needs.of("md12").empty());
  EXPECT_TRUE(needs.of("dm-40").empty());
  EXPECT_TRUE(needs.any_of({"UUID=aa", "UUID=bb"}));
  EXPECT_FALSE(needs.any_of({"UUID=bb"}));
}

TEST_F(NeedsTest, WhichDevicesPeopleUnplug) {
  for (const int number : {1, 2}) t_.plug(number);
  const std::string usb = "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3:1.0/host6/block/sdx";
  t_.tree.file(usb + "/sdx1/partition", "1\n");
  t_.tree.link("/sys/class/block/sdx1", usb + "/sdx1");
  t_.tree.file("/sys/devices/pci0000:00/host0/0:0:2:0/block/sdc/removable", "1\n");
  const Needs needs = read_needs(host_, {"sdb", "sdc", "sdx1", "gone"});
  EXPECT_EQ(needs.removable, (std::set<std::string>{"sdc", "sdx1"}));
}

}  // namespace
}  // namespace fmd::volumes::testing
