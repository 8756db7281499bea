#include "plugins/hardware/overwrite_guard.h"

#include <gtest/gtest.h>

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

TEST_F(OverwriteGuardTest, ADiskThatCannotBeReadIsNotBlank) {
  tree_.file("/dev/sdf", "");
  EXPECT_EQ(
      refusal({"/dev/sdf", kDisk}),
      "it is not known whether the disk is blank: it has no size; 'fmadm replace --force' uses "
      "it anyway");
}

// A real disk in use needs a block device; here the reader says so.
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

TEST_F(OverwriteGuardTest, ButOnlyOnTheDiskThatWasNamed) {
  blkid("echo naa.5000c500a0000006 > " + tree_.root() +
        "/sys/block/sdf/device/wwid; echo TYPE=ext4");
  EXPECT_EQ(refusal({"/dev/sdf", kDisk, true}),
            std::string("/dev/sdf is not the disk ") + kDisk + " any more");
}

}  // namespace
}  // namespace fmd::hardware
