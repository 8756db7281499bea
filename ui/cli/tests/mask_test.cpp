// Replacement of names and numbers that identify a machine.
#include "ui/cli/mask.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

Mask of_disk() {
  Mask mask;
  Resource disk;
  disk.fmri = "dev://wwn=5000c500a0000009";
  disk.type = "disk";
  disk.properties["serial"] = std::string("ZA1 23/4");
  disk.properties["wwn"] = std::string("0x5000c500a0000009");
  mask.learn(disk);
  mask.learn_fmri("dev://serial=QEMU_HARDDISK:00000001");
  mask.learn_fmri("zfs://pool=12345678901234/vdev=9876543210987");
  mask.learn_fmri("hc://system=host");
  mask.learn_host("store1.example.org");
  mask.settle();
  return mask;
}

TEST(Mask, TheSameEverywhere) {
  const Mask mask = of_disk();
  const std::string shown = mask.hide("5000c500a0000009").get<std::string>();
  EXPECT_TRUE(shown.starts_with("MASKED"));
  EXPECT_EQ(mask.hide("dev://wwn=5000c500a0000009"), "dev://wwn=" + shown);
  EXPECT_EQ(mask.hide("id1,sd@n5000C500A0000009"), "id1,sd@n" + shown) << "in whatever case";
  EXPECT_EQ(mask.hide("scsi-35000c500a0000009-part1"), "scsi-3" + shown + "-part1");
  EXPECT_EQ(mask.hide(json{{"a", {"x 5000c500a0000009 y"}}}), (json{{"a", {"x " + shown + " y"}}}));
}

TEST(Mask, AsAnFmriWritesIt) {
  const Mask mask = of_disk();
  const std::string shown = mask.hide("ZA1 23/4").get<std::string>();
  EXPECT_TRUE(shown.starts_with("MASKED"));
  EXPECT_EQ(mask.hide(make_fmri("hc", {{"disk", "ZA1 23/4"}})), "hc://disk=" + shown);
}

TEST(Mask, WhatIsANumberStaysOne) {
  const Mask mask = of_disk();
  const json shown = mask.hide(12345678901234);
  EXPECT_TRUE(shown.is_number_integer());
  EXPECT_NE(shown, 12345678901234);
  EXPECT_EQ(mask.hide("zfs://pool=12345678901234"), "zfs://pool=" + shown.dump());
  EXPECT_EQ(mask.hide(123456789012345), 123456789012345) << "another number";
}

TEST(Mask, OfADiskWithoutAWwnTheModelStays) {
  const std::string shown =
      of_disk().hide("dev://serial=QEMU_HARDDISK:00000001").get<std::string>();
  EXPECT_TRUE(shown.starts_with("dev://serial=QEMU_HARDDISK:9")) << shown;
  EXPECT_FALSE(shown.ends_with(":00000001")) << shown;
}

// A pool may have the same name as a word that rules use.
TEST(Mask, NamesThatPeopleGaveWhereTheyStand) {
  Mask mask;
  Resource pool;
  pool.fmri = "zfs://pool=12345678901234";
  pool.type = "zfs-pool";
  pool.properties["name"] = std::string("data");
  mask.learn(pool);
  Resource file;
  file.fmri = "zfs://pool=12345678901234/vdev=22345678901234";
  file.type = "zfs-vdev";
  file.properties["vdev_type"] = std::string("file");
  file.properties["path"] = std::string("/srv/secret.img");
  mask.learn(file);
  mask.learn_event(
      {{"payload", {{"pool", "vault"}, {"vdev_type", "disk"}, {"vdev_path", "/dev/sda1"}}}});
  mask.settle();
  const json shown = mask.hide(json{{"pool", "data"},
                                    {"role", "data"},
                                    {"path", "/srv/secret.img"},
                                    {"vdev_path", "/dev/sda1"},
                                    {"state_record", "zpool offline -f data sda by root"},
                                    {"damaged", "data/home:/letters.txt"},
                                    {"device", "data/home"}});
  const std::string name = shown["pool"];
  EXPECT_TRUE(name.starts_with("masked-")) << name;
  EXPECT_EQ(shown["role"], "data");
  EXPECT_TRUE(shown["path"].get<std::string>().starts_with("/masked-")) << shown;
  EXPECT_EQ(shown["vdev_path"], "/dev/sda1") << "a device is no file of anybody's";
  EXPECT_EQ(shown["state_record"], "zpool offline -f " + name + " sda by root");
  EXPECT_EQ(shown["damaged"], "(masked)");
  EXPECT_EQ(shown["device"], name + "/masked");
  EXPECT_TRUE(mask.hide(json{{"pool", "vault"}})["pool"].get<std::string>().starts_with("masked-"));
}

TEST(Mask, NamesOfLvmVolumes) {
  Mask mask;
  Resource pool;
  pool.fmri = "dm://uuid=LVM-vvvvvvvv";
  pool.type = "lvm-volume";
  pool.properties["name"] = std::string("payroll-pool");
  pool.properties["volume"] = std::string("payroll/pool");
  pool.properties["path"] = std::string("/dev/mapper/payroll-pool-tpool");
  mask.learn(pool);
  mask.settle();
  const json shown = mask.hide(json{{"name", "payroll-pool"},
                                    {"volume", "payroll/pool"},
                                    {"path", "/dev/mapper/payroll-pool-tpool"},
                                    {"volumes_missing", "payroll-a, payroll-b"}});
  EXPECT_EQ(shown.dump().find("payroll"), std::string::npos) << shown;
}

TEST(Mask, TheHostsNameAsAWord) {
  const Mask mask = of_disk();
  EXPECT_EQ(mask.hide("on store1.example.org: off"), "on masked-host: off");
  EXPECT_EQ(mask.hide("store1"), "masked-host");
  EXPECT_EQ(mask.hide("store10"), "store10");
  EXPECT_EQ(mask.hide("hc://system=host"), "hc://system=host");
}

TEST(Mask, OurOwnWordsStay) {
  Mask mask;
  mask.learn_host("disk");
  mask.learn_serial("None");
  mask.settle();
  EXPECT_EQ(mask.hide(json{{"type", "disk"}}), (json{{"type", "disk"}}));
  EXPECT_EQ(mask.hide("None"), "None");
}

TEST(Mask, WhatAnEventTells) {
  Mask mask;
  mask.learn_event({{"resource", "zfs://pool=77777777777"},
                    {"payload",
                     {{"vdev_guid", 88888888888},
                      {"serial", "WD-1234"},
                      {"vdev_type", "disk1"},
                      {"pool_guid", 0}}}});
  mask.settle();
  EXPECT_NE(mask.hide("WD-1234"), "WD-1234");
  EXPECT_NE(mask.hide(88888888888), 88888888888);
  EXPECT_NE(mask.hide("zfs://pool=77777777777"), "zfs://pool=77777777777");
  EXPECT_EQ(mask.hide("disk1"), "disk1");
}

}  // namespace
}  // namespace fmd::cli
