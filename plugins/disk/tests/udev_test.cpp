// The disk plugin on the real Host and udev's events, with devices of umockdev
// (plugins/sdk/tests/beds). blkid is a fake that answers from a file in the test's tree.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "plugins/disk/disk_plugin.h"
#include "plugins/sdk/tests/udev_bed.h"

namespace fmd::disk {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::kDisk;
using sdk::testing::kNewDisk;
using sdk::testing::kTarget;

const std::string kDriveBlock =
    std::string(sdk::testing::kDrivePort) + "/0000:01:00.0/nvme/nvme0/nvme0n1";
const std::string kBlock = std::string(kTarget) + "/0:0:2:0/block/sde";

constexpr const char* kBlkid = R"(#!/bin/sh
echo "$*" >> "$FMD_TEST_TREE/asked"
. "$FMD_TEST_TREE/answer-${4##*/}"
)";

class DiskUdevTest : public sdk::testing::InBed {
 protected:
  std::unique_ptr<DiskPlugin> plugin_;

  void SetUp() override {
    setenv("FMD_TEST_TREE", tree_.root().c_str(), 1);
    tree_.file("/tools/blkid", kBlkid, 0755);
    for (const char* name : {"sde", "nvme0n1"}) answer(name, "exit 2");
  }
  void answer(const std::string& name, const std::string& script) {
    tree_.file("/answer-" + name, script + "\n");
  }
  size_t asked(const std::string& device) const {
    const std::string text = tree_.read("/asked"), line = "-p -o export " + device + "\n";
    size_t count = 0;
    for (size_t at = text.find(line); at != text.npos; at = text.find(line, at + 1)) ++count;
    return count;
  }
  void start() {
    // The testbed has no readable device nodes.
    const auto read =
        +[](const std::string&) { return Result<hardware::Sample>(hardware::Sample::blank); };
    plugin_ = std::make_unique<DiskPlugin>(
        loop_, host_, socket(), Options{.rescan = 24h, .probe_deadline = 20s, .read = read});
    let_look();
  }
  bool content_is(const std::string& fmri, const std::string& content) {
    return loop_.until([&] { return core_.property(fmri, "content") == content; });
  }
  bool told(size_t events) {
    return loop_.until([&] { return core_.events.size() >= events; });
  }
};

TEST_F(DiskUdevTest, ADiskComes) {
  start();
  bed_.plug("scsi-disk");
  ASSERT_TRUE(told(2));
  EXPECT_EQ(core_.events[0]["class"], "sysevent.hba.serves");
  EXPECT_EQ(core_.events[1]["class"], "sysevent.disk.added");
  EXPECT_EQ(core_.events[1]["resource"], kDisk);
  ASSERT_TRUE(content_is(kDisk, "blank"));
  const json expected = {{"serial", "DISK03G0"},
                         {"wwn", "5000c500a0000003"},
                         {"vendor", "QEMU"},
                         {"model", "QEMU HARDDISK"},
                         {"firmware", "2.5+"},
                         {"part_number", "QEMU HARDDISK"},
                         {"size_bytes", 268435456},
                         {"path", "/dev/sde"},
                         {"by_id", "/dev/disk/by-id/wwn-0x5000c500a0000003"},
                         {"by_path", "/dev/disk/by-path/pci-0000:00:02.0-scsi-0:0:2:0"},
                         {"rotational", true},
                         {"transport", "scsi"},
                         {"sector_bytes", 512},
                         {"physical_sector_bytes", 512},
                         {"content", "blank"},
                         {"diskseq", "15"}};
  EXPECT_EQ(core_.resources[kDisk]["properties"], expected);
  EXPECT_EQ(asked("/dev/sde"), 1u);
}

TEST_F(DiskUdevTest, ADiskGoes) {
  bed_.plug("scsi-disk");
  start();
  ASSERT_TRUE(core_.resources.contains(kDisk));
  bed_.unplug(kTarget);
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "sysevent.disk.removed");
  EXPECT_EQ(core_.events[0]["resource"], kDisk);
  EXPECT_EQ(core_.events[0]["payload"]["serial"], "DISK03G0");
  EXPECT_EQ(core_.gone[kDisk], "removed");
  EXPECT_TRUE(core_.resources.empty());
}

// Recorded: a disk is pulled, and another gets its place and name before the next look.
TEST_F(DiskUdevTest, ASwapBetweenTwoLooks) {
  bed_.plug("scsi-disk");
  start();
  ASSERT_TRUE(content_is(kDisk, "blank"));
  bed_.unplug(kTarget);
  bed_.plug("scsi-disk-new");
  ASSERT_TRUE(told(2));
  EXPECT_EQ(core_.events[0]["class"], "sysevent.disk.removed");
  EXPECT_EQ(core_.events[0]["resource"], kDisk);
  EXPECT_EQ(core_.events[1]["class"], "sysevent.disk.added");
  EXPECT_EQ(core_.events[1]["resource"], kNewDisk);
  EXPECT_TRUE(content_is(kNewDisk, "blank"));
  EXPECT_EQ(core_.property(kNewDisk, "serial"), "DISK03G1");
  EXPECT_EQ(core_.property(kNewDisk, "by_id"), "/dev/disk/by-id/wwn-0x5000c500a0000103");
  EXPECT_EQ(core_.resources.size(), 1u);
}

TEST_F(DiskUdevTest, APartitionIsAUse) {
  bed_.plug("scsi-disk");
  start();
  ASSERT_TRUE(content_is(kDisk, "blank"));
  bed_.plug("scsi-partitions");
  EXPECT_TRUE(content_is(kDisk, "used"));
  bed_.unplug(kBlock + "/sde1");
  bed_.unplug(kBlock + "/sde9");
  EXPECT_TRUE(content_is(kDisk, "blank"));
  EXPECT_TRUE(core_.events.empty()) << "a partition is no disk";
}

TEST_F(DiskUdevTest, AChangeIsReadAnew) {
  bed_.plug("scsi-disk");
  start();
  ASSERT_TRUE(content_is(kDisk, "blank"));
  answer("sde", "echo TYPE=ext4");
  bed_.uevent(kBlock, "change");
  EXPECT_TRUE(content_is(kDisk, "used"));
  EXPECT_EQ(asked("/dev/sde"), 2u);
}

// Events come in order: if the net event were taken, /dev/sde would be read again before the NVMe
// reads that the test waits for.
TEST_F(DiskUdevTest, AnotherSubsystemIsNoNews) {
  bed_.plug("scsi-disk");
  bed_.plug("nvme-drive");
  bed_.plug("nic-sde");
  start();
  ASSERT_TRUE(content_is(kDisk, "blank"));
  ASSERT_TRUE(content_is(sdk::testing::kDrive, "blank"));
  bed_.uevent("/sys/devices/virtual/net/sde", "change");
  for (const size_t times : {2u, 3u}) {
    bed_.uevent(kDriveBlock, "change");
    ASSERT_TRUE(loop_.until([&] { return asked("/dev/nvme0n1") == times; }));
  }
  EXPECT_EQ(asked("/dev/sde"), 1u);
}

}  // namespace
}  // namespace fmd::disk
