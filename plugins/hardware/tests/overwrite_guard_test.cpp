#include "plugins/hardware/overwrite_guard.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "plugins/sdk/tests/support.h"

namespace fmd::hardware {
namespace {

using namespace std::chrono_literals;

constexpr const char* kDisk = "dev://wwn=5000c500a0000005";
constexpr const char* kById = "/dev/disk/by-id/wwn-0x5000c500a0000005";

class OverwriteGuardTest : public ::testing::Test {
 protected:
  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), tree_.root() + "/tools"};
  OverwriteGuard guard_{host_, 20s};

  void SetUp() override {
    named("5000c500a0000005");
    tree_.file("/dev/sdf", std::string(1 << 16, '\0'));
    tree_.link(kById, "../../sdf");
    blkid("exit 2");
  }
  void named(const std::string& wwn) {
    tree_.file("/sys/block/sdf/device/wwid", "naa." + wwn + "\n");
    tree_.file("/sys/class/block/sdf/size", "128\n");
  }
  void blkid(const std::string& script) {
    tree_.file("/tools/blkid", "#!/bin/sh\n" + script + "\n", 0755);
  }
  std::string refusal(const Overwrite& wish) {
    std::optional<std::string> said;
    guard_.check(wish, [&](const std::string& why) { said = why; });
    EXPECT_TRUE(loop_.until([&] { return said.has_value(); }));
    return said.value_or("no answer");
  }
};

TEST_F(OverwriteGuardTest, ABlankDiskUnderAnyOfItsNames) {
  EXPECT_EQ(refusal({"/dev/sdf", kDisk}), "");
  EXPECT_EQ(refusal({kById, kDisk}), "");
}

TEST_F(OverwriteGuardTest, WhatIsOnItIsSeenNowAndNotWhenItWasPutIn) {
  EXPECT_EQ(refusal({kById, kDisk}), "");
  blkid("echo TYPE=ext4");
  EXPECT_EQ(refusal({kById, kDisk}),
            "the disk is not blank: it holds ext4; 'fmadm replace --force' uses it anyway");
  blkid("exit 2");
  tree_.file("/dev/sdf", std::string(1 << 16, '\0') + "x");
  EXPECT_NE(refusal({kById, kDisk}), "") << "data that blkid does not know";
}

// Two disks behind an adapter may have one WWN.
TEST_F(OverwriteGuardTest, ADiskOfAnotherSizeOrNumberIsAnotherOne) {
  tree_.file("/sys/block/sdf/device/serial", "S1\n");
  Overwrite wish{"/dev/sdf", kDisk};
  add_identity({{"serial", "S1"}, {"size_bytes", 65536u}}, wish);
  EXPECT_EQ(refusal(wish), "");
  add_identity({{"serial", "S1"}, {"size_bytes", 131072u}}, wish);
  EXPECT_EQ(refusal(wish),
            "/dev/sdf is not the disk dev://wwn=5000c500a0000005 any more: it has "
            "65536 bytes, and had 131072");
  add_identity({{"serial", "S2"}, {"size_bytes", 65536u}}, wish);
  EXPECT_EQ(refusal(wish),
            "/dev/sdf is not the disk dev://wwn=5000c500a0000005 any more: its "
            "serial number is S1, and was S2");
  wish.insisted = true;
  EXPECT_NE(refusal(wish), "") << "force is about the content";
  add_identity(nlohmann::json::object(), wish);
  EXPECT_EQ(refusal(wish), "") << "nothing is known of it";
}

TEST_F(OverwriteGuardTest, ADiskThatCannotBeReadIsNotBlank) {
  tree_.file("/dev/sdf", "");
  EXPECT_EQ(
      refusal({"/dev/sdf", kDisk}),
      "it is not known whether the disk is blank: it has no size; 'fmadm replace --force' uses "
      "it anyway");
}

// A disk in use would need a real block device; here the reader reports it.
TEST_F(OverwriteGuardTest, ADiskInUseIsRefusedAndForceDoesNotHelp) {
  OverwriteGuard guard(
      host_, 20s, +[](const std::string&) -> Result<Sample> { return Sample::in_use; });
  for (const bool insisted : {false, true}) {
    std::optional<std::string> said;
    guard.check({"/dev/sdf", kDisk, insisted}, [&](const std::string& why) { said = why; });
    EXPECT_TRUE(loop_.until([&] { return said.has_value(); }));
    EXPECT_EQ(said.value_or("no answer"),
              "the disk is in use on this host, by a pool, an array, a mapping or a mounted file "
              "system: end that first ('lsblk' shows it)");
  }
}

TEST_F(OverwriteGuardTest, AnotherDiskUnderThatNameIsNeverOverwritten) {
  named("5000c500a0000006");
  for (const bool insisted : {false, true})
    EXPECT_EQ(refusal({"/dev/sdf", kDisk, insisted}),
              std::string("/dev/sdf is not the disk ") + kDisk + " any more");
  EXPECT_NE(refusal({"/dev/sdg", kDisk, true}), "") << "nothing is there";
  EXPECT_NE(refusal({"sdf", kDisk, true}), "") << "no path";
  EXPECT_NE(refusal({"/dev/sdf", "", true}), "") << "no disk was named";
}

TEST_F(OverwriteGuardTest, NorOneThatTookTheNameDuringTheLook) {
  blkid("echo naa.5000c500a0000006 > " + tree_.root() + "/sys/block/sdf/device/wwid; exit 2");
  EXPECT_EQ(refusal({"/dev/sdf", kDisk}),
            std::string("/dev/sdf is not the disk ") + kDisk + " any more");
}

TEST_F(OverwriteGuardTest, APersonMayInsist) {
  blkid("echo TYPE=ext4");
  EXPECT_EQ(refusal({"/dev/sdf", kDisk, true}), "");
  tree_.file("/dev/sdf", "");
  EXPECT_EQ(refusal({"/dev/sdf", kDisk, true}), "") << "also though it cannot be read";
}

// fmd, and so the person, took the disk for blank.
TEST_F(OverwriteGuardTest, ButNotOnContentThatNobodyHasSeen) {
  Overwrite wish{"/dev/sdf", kDisk, true};
  add_identity({{"blank", true}}, wish);
  EXPECT_EQ(refusal(wish), "");
  blkid("echo TYPE=ext4; echo LABEL=PAYROLL");
  EXPECT_EQ(refusal(wish),
            std::string("the disk was blank when fmd last read it, and now it is not: it holds "
                        "ext4, label PAYROLL; if it may be overwritten, repeat the command once "
                        "'fmtopo -V ") +
                kDisk + "' shows this");
  tree_.file("/dev/sdf", "");
  EXPECT_NE(refusal(wish).find("and now that is not known: "), std::string::npos);
}

TEST_F(OverwriteGuardTest, ButOnlyOnTheDiskThatWasNamed) {
  blkid("echo naa.5000c500a0000006 > " + tree_.root() +
        "/sys/block/sdf/device/wwid; echo TYPE=ext4");
  EXPECT_EQ(refusal({"/dev/sdf", kDisk, true}),
            std::string("/dev/sdf is not the disk ") + kDisk + " any more");
}

// A spare's label as written by ZFS: version, state and GUID, no pool.
std::string spare_label(uint64_t guid) {
  std::string label(1 << 20, '\0');
  const std::string pair("\0\0\0\4guid\0\0\0\10\0\0\0\1", 16);
  std::string value;
  for (int shift = 56; shift >= 0; shift -= 8) value += static_cast<char>(guid >> shift & 0xff);
  label.replace(16 << 10, 4, std::string("\1\1\0\0", 4));
  label.replace((16 << 10) + 64, pair.size() + value.size(), pair + value);
  return label;
}

// A hot spare: its pool holds it open, and it has the label of a spare.
class SpareGuard : public OverwriteGuardTest {
 protected:
  static constexpr uint64_t kGuid = 0x8899aabbccddeeff;
  const std::string guid_ = std::to_string(kGuid);

  Overwrite spare(const std::string& disk = kDisk) const {
    return {"/dev/sdf", disk, false, OwnLabel{"zfs_member", "77", guid_, true, "run this"}};
  }
};

TEST_F(SpareGuard, MayBearItsOwnLabel) {
  blkid("echo TYPE=zfs_member; echo UUID_SUB=" + guid_);
  EXPECT_EQ(refusal(spare()), "");
  blkid("echo TYPE=zfs_member; echo LABEL=tank; echo UUID=77; echo UUID_SUB=" + guid_);
  EXPECT_EQ(refusal(spare()), "") << "it was in use before";
  blkid("exit 2");
  EXPECT_EQ(refusal(spare()), "") << "nothing is on it that could be lost";
}

TEST_F(SpareGuard, IsKnownByItsLabelThoughBlkidFindsNone) {
  tree_.file("/dev/sdf", spare_label(kGuid));
  EXPECT_EQ(refusal(spare()), "");
  blkid("echo PART_ENTRY_SCHEME=gpt; echo PART_ENTRY_NUMBER=1");  // blkid's output for a partition
  EXPECT_EQ(refusal(spare()), "");
  blkid("exit 2");
  EXPECT_EQ(refusal(spare("")), "") << "a disk without serial number";
  tree_.file("/dev/sdf", spare_label(kGuid + 1));
  EXPECT_EQ(refusal(spare()),
            "the disk has been used for something else: there are data on it of a kind that blkid "
            "does not know; run this");
}

TEST_F(SpareGuard, ForeignContentIsRefusedAndNamed) {
  const auto on_it = [&](const std::string& found) {
    blkid(found);
    return refusal(spare());
  };
  const std::string used = "the disk has been used for something else: ", help = "; run this";
  EXPECT_EQ(on_it("echo TYPE=ext4; echo LABEL=PAYROLL"),
            used + "it holds ext4, label PAYROLL" + help);
  EXPECT_EQ(on_it("echo TYPE=zfs_member; echo LABEL=backup; echo UUID=5; echo UUID_SUB=6"),
            used + "it holds zfs_member, label backup" + help);
  // Its first label is intact: either of the two may be stale.
  tree_.file("/dev/sdf", spare_label(kGuid));
  const std::string both = ", beside the spare's own label" + help;
  EXPECT_EQ(on_it("echo TYPE=linux_raid_member; echo UUID=0-1"),
            used + "it holds linux_raid_member" + both);
  EXPECT_EQ(on_it("echo TYPE=ext4; echo LABEL=PAYROLL"),
            used + "it holds ext4, label PAYROLL" + both);
  EXPECT_EQ(on_it("echo TYPE=zfs_member; echo UUID=5; echo UUID_SUB=" + guid_),
            used + "it holds zfs_member" + both);
  EXPECT_EQ(on_it("exit 8"), used + "there are several kinds of data on it" + both);
  tree_.file("/dev/sdf", spare_label(kGuid + 1));
  EXPECT_EQ(on_it("echo TYPE=linux_raid_member; echo UUID=0-1"),
            used + "it holds linux_raid_member" + help);
  tree_.file("/dev/sdf", std::string(1 << 16, 'x') + "y");
  EXPECT_NE(on_it("exit 2"), "");
}

TEST_F(SpareGuard, OneThatCannotBeReadOrIsAnotherDiskIsRefused) {
  tree_.file("/dev/sdf", "");
  EXPECT_EQ(refusal(spare()), "it is not known what is on the disk: it has no size");
  named("5000c500a0000006");
  EXPECT_EQ(refusal(spare()), std::string("/dev/sdf is not the disk ") + kDisk + " any more");
}

// A member that was removed from its array and is added again.
TEST_F(OverwriteGuardTest, AFormerMemberMayBearItsArraysSuperblock) {
  const Overwrite wish{"/dev/sdf", kDisk, false,
                       OwnLabel{"linux_raid_member", "0a1b2c3d:00112233:44556677:8899AABB", ""}};
  const std::string raid = "echo TYPE=linux_raid_member; echo UUID_SUB=x; echo UUID=";
  blkid(raid + "0a1b2c3d-0011-2233-4455-66778899aabb");
  EXPECT_EQ(refusal(wish), "");
  blkid(raid + "0a1b2c3d-0011-2233-4455-66778899aabc");
  EXPECT_NE(refusal(wish), "") << "another array's";
  blkid("echo TYPE=ext4");
  EXPECT_EQ(refusal(wish), "the disk has been used for something else: it holds ext4");
}

// 'zpool create' on a former member's partition leaves the superblock, which hides the label.
TEST_F(OverwriteGuardTest, AFormerMemberWithAZfsLabelIsRefused) {
  const std::string uuid = "0a1b2c3d:00112233:44556677:8899AABB";
  const Overwrite wish{"/dev/sdf", kDisk, false, OwnLabel{"linux_raid_member", uuid, ""}};
  blkid("echo TYPE=linux_raid_member; echo UUID=" + uuid);
  tree_.file("/dev/sdf", spare_label(1));
  EXPECT_EQ(refusal(wish),
            "the disk has been used for something else: it holds a ZFS label beside the "
            "superblock of its array");
}

}  // namespace
}  // namespace fmd::hardware
