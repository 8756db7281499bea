// btrfs: its files in sysfs, and finding a device's disk by its superblock.
#include "plugins/volumes/btrfs.h"

#include "plugins/volumes/tests/md_rig.h"

namespace fmd::volumes::testing {
namespace {

constexpr const char* kFsid = "6a2c9c0e-3f0b-4a55-9d1e-0a1b2c3d4e5f";

std::string superblock(char device_id) {
  std::string bytes(65536 + 4096, '\0');
  const std::string fsid = "\x6a\x2c\x9c\x0e\x3f\x0b\x4a\x55\x9d\x1e\x0a\x1b\x2c\x3d\x4e\x5f";
  bytes.replace(65536 + 0x20, 16, fsid);
  bytes.replace(65536 + 0x40, 8, "_BHRfS_M");
  bytes[65536 + 0xc9] = device_id;
  return bytes;
}

class BtrfsTest : public ::testing::Test {
 protected:
  Loop loop_;
  MdTree t_;
  sdk::Host host_{loop_, t_.tree.root(), ""};
  std::vector<BtrfsFileSystem> all_;
  LastDisks last_;
  const std::string folder_ = std::string("/sys/fs/btrfs/") + kFsid;
  const std::string fs_ = std::string("btrfs://fsid=") + kFsid;

  void SetUp() override {
    t_.tree.folder("/sys/fs/btrfs/features");
    t_.tree.file(folder_ + "/label", "home\n");
    t_.tree.file(folder_ + "/exclusive_operation", "none\n");
    t_.tree.folder(folder_ + "/allocation/data/raid1");
    for (const int number : {1, 2}) {
      t_.plug(number);
      // The second disk is device 1: names and numbers need not match.
      t_.tree.file("/dev/" + MdTree::name_of(number), superblock(static_cast<char>(3 - number)));
      t_.tree.link(folder_ + "/devices/" + MdTree::name_of(number),
                   "/sys/class/block/" + MdTree::name_of(number));
      device(number, "0");
    }
  }
  void device(int id, const std::string& missing, const std::string& corrupted = "0") {
    const std::string info = folder_ + "/devinfo/" + std::to_string(id);
    t_.tree.file(info + "/missing", missing + "\n");
    t_.tree.file(info + "/replace_target", "0\n");
    t_.tree.file(info + "/error_stats",
                 "write_errs 1\nread_errs 2\nflush_errs 0\ncorruption_errs " + corrupted +
                     "\ngeneration_errs 0\n");
  }
  std::map<std::string, json> look() {
    all_ = btrfs_from_json(to_json(scan_btrfs(host_, all_)));
    note_disks(all_, last_);
    return btrfs_resources(all_, last_);
  }
};

TEST_F(BtrfsTest, DevicesAreToldByTheirSuperblock) {
  const auto all = look();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at(fs_)["properties"]["name"], "home");
  EXPECT_EQ(all.at(fs_)["properties"]["profile"], "raid1");
  EXPECT_EQ(all.at(fs_)["properties"]["missing"], 0);
  const json one = all.at(fs_ + "/dev=1");
  EXPECT_EQ(one["properties"]["name"], "sdc");
  EXPECT_EQ(one["properties"]["io_errors"], 3);
  EXPECT_EQ(one["properties"]["corruption_errors"], 0);
  EXPECT_EQ(one["edges"][0]["to"], disk_of(2));
}

TEST_F(BtrfsTest, TheDisksWithALastCopy) {
  const auto last_copies = [this] {
    std::vector<std::string> found;
    const auto all = look();
    for (const int id : {1, 2})
      found.push_back(all.at(fs_ + "/dev=" + std::to_string(id))["properties"]["last_copy_on"]);
    return found;
  };
  const std::vector<std::string> none{"none", "none"}, both{disk_of(2), disk_of(1)};
  EXPECT_EQ(last_copies(), none);
  device(2, "1");
  EXPECT_EQ(last_copies(), (std::vector<std::string>{disk_of(2), "none"}));
  device(2, "0");
  for (const char* profile : {"single", "raid0", "dup"}) {
    t_.tree.folder(folder_ + "/allocation/data/" + profile);
    EXPECT_EQ(last_copies(), both) << profile << ", also while it is converted";
    t_.tree.remove(folder_ + "/allocation/data/" + profile);
  }
  t_.tree.folder(folder_ + "/allocation/metadata/single");
  EXPECT_EQ(last_copies(), both) << "the metadata";
}

TEST_F(BtrfsTest, AsRecorded) {
  t_.tree.remove(folder_);
  t_.recorded("btrfs-raid1.txt");
  const auto all = look();
  ASSERT_EQ(all_.size(), 1u);
  ASSERT_EQ(all_[0].devices.size(), 2u);
  EXPECT_TRUE(all_[0].devices[0].counted);
  EXPECT_FALSE(all_[0].devices[0].missing);
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(BtrfsTest, AMissingDeviceIsStillThatDisks) {
  look();
  t_.pull(2);
  t_.tree.remove(folder_ + "/devices/sdc");
  device(1, "1", "7");
  const auto all = look();
  EXPECT_EQ(all.at(fs_)["properties"]["missing"], 1);
  EXPECT_EQ(all.at(fs_ + "/dev=1")["properties"]["state"], "missing");
  EXPECT_EQ(all.at(fs_ + "/dev=1")["properties"]["corruption_errors"], 7);
  EXPECT_EQ(all.at(fs_ + "/dev=1")["edges"][0]["to"], disk_of(2));
}

// A block that is lost in metadata loses the file system, whatever holds its data.
TEST_F(BtrfsTest, TheLessRedundantOfDataAndMetadataCounts) {
  t_.tree.remove(folder_ + "/allocation");
  struct Layout {
    const char *data, *metadata;
    std::vector<std::string> health;  // with 0, 1, 2 devices missing
  };
  for (const Layout& layout : {Layout{"raid6", "raid1", {"optimal", "degraded", "failed"}},
                               {"raid1c3", "raid1", {"optimal", "degraded", "failed"}},
                               {"raid6", "raid1c3", {"optimal", "degraded", "degraded"}},
                               {"raid1c3", "raid1c4", {"optimal", "degraded", "degraded"}},
                               {"raid1", "dup", {"optimal", "failed", "failed"}},
                               {"single", "raid1", {"optimal", "failed", "failed"}},
                               {"raid6", "", {"optimal", "degraded", "degraded"}},
                               {"raid1c3", "raid9", {"optimal", "degraded", "degraded"}}}) {
    SCOPED_TRACE(layout.data);
    t_.tree.folder(folder_ + "/allocation/data/" + layout.data);
    if (*layout.metadata) t_.tree.folder(folder_ + "/allocation/metadata/" + layout.metadata);
    for (int missing = 0; missing <= 2; ++missing) {
      for (const int id : {1, 2}) device(id, id <= missing ? "1" : "0");
      EXPECT_EQ(look().at(fs_)["properties"]["health"], layout.health.at(missing)) << missing;
    }
    t_.tree.remove(folder_ + "/allocation");
  }
  t_.tree.folder(folder_ + "/allocation/mixed/raid1");
  for (const int id : {1, 2}) device(id, "0");
  device(2, "1");
  EXPECT_EQ(look().at(fs_)["properties"]["health"], "degraded");
  EXPECT_EQ(look().at(fs_)["properties"]["profile"], "raid1");
}

TEST_F(BtrfsTest, WhatIsNoSuperblockNamesNobody) {
  t_.tree.file("/dev/sdc", "short");
  t_.tree.remove(folder_ + "/devinfo/2/error_stats");  // kernels before 5.14
  const auto all = look();
  EXPECT_EQ(all.at(fs_ + "/dev=1")["properties"]["name"], "devid 1");
  EXPECT_TRUE(all.at(fs_ + "/dev=1")["edges"].empty());
  EXPECT_FALSE(all.at(fs_ + "/dev=2")["properties"].contains("io_errors"));
  EXPECT_FALSE(read_btrfs_super(std::string(4096, '\xff')));
}

}  // namespace
}  // namespace fmd::volumes::testing
