// Whether a missing pool was exported, by the labels of its disks: on a fake host folder, with a
// zdb that prints the content of the "disk".
#include "plugins/zfs/export_check.h"

#include <gtest/gtest.h>
#include <systemd/sd-event.h>

#include <filesystem>
#include <fstream>

namespace fmd::zfs {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTank = 99;

// The output of OpenZFS's zdb, without unused lines.
std::string label(uint64_t pool, uint64_t vdev, int state, uint64_t txg = 40) {
  return "------------------------------------\nLABEL 0 \n------------------------------------\n"
         "    version: 5000\n    name: 'tank'\n    state: " +
         std::to_string(state) + "\n    txg: " + std::to_string(txg) +
         "\n    pool_guid: " + std::to_string(pool) +
         "\n    hostname: 'fmrig'\n    top_guid: 7\n    guid: " + std::to_string(vdev) +
         "\n    vdev_tree:\n        type: 'mirror'\n        guid: 7\n        children[0]:\n"
         "            guid: 1\n            state: 5\n    labels = 0 1 2 3 \n";
}

class ExportedBefore : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "fmd-export-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(name.data()));
    root = fs::canonical(name);
    ASSERT_GE(sd_event_new(&loop), 0);
    write("/tools/zdb", "#!/bin/sh\necho \"$2\" >> \"${0%/*}/asked\"\ncat \"$2\"");
    fs::permissions(root / "tools/zdb", fs::perms::owner_all);
    host = std::make_unique<sdk::Host>(loop, root.string(), (root / "tools").string());
    check = std::make_unique<ExportCheck>(*host, std::chrono::seconds(60),
                                          [this](uint64_t pool) { told.push_back(pool); });
    write("/sys/class/block/vda1/dev", "254:1");  // another file system: never read
  }
  void TearDown() override {
    check.reset();
    host.reset();
    sd_event_unref(loop);
    fs::remove_all(root);
  }
  void write(const std::string& absolute, const std::string& text) {
    fs::create_directories(fs::path(root.string() + absolute).parent_path());
    std::ofstream(root.string() + absolute) << text << "\n";
  }
  // A disk of the pool according to udev; its label is what zdb prints.
  void put(int n, const std::string& text, uint64_t pool = kTank) {
    const std::string device = "sd" + std::string(1, static_cast<char>('a' + n)) + "1";
    const std::string number = "8:" + std::to_string(16 * n + 1);
    write("/sys/class/block/" + device + "/dev", number);
    write("/run/udev/data/b" + number,
          "E:ID_FS_LABEL=tank\nE:ID_FS_TYPE=zfs_member\nE:ID_FS_UUID=" + std::to_string(pool) +
              "\nE:ID_FS_UUID_SUB=1");
    write("/dev/" + device, text);
  }
  size_t asked() const {
    std::ifstream file(root / "tools/asked");
    size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  // Returns the number of disks read.
  size_t look(std::set<uint64_t> leaves) {
    const size_t before = asked();
    check->look(kTank, std::move(leaves));
    while (check->running()) sd_event_run(loop, 60'000'000);
    return asked() - before;
  }

  fs::path root;
  sd_event* loop = nullptr;
  std::unique_ptr<sdk::Host> host;
  std::unique_ptr<ExportCheck> check;
  std::vector<uint64_t> told;
};

TEST(ExportCheckLabel, IsThePoolsOwnWordsAndTheNewest) {
  EXPECT_EQ(parse_label(label(99, 3, 1)), (Label{99, 3, 1, 40}));
  EXPECT_EQ(parse_label(label(99, 3, 1, 40) + label(99, 3, 0, 41)), (Label{99, 3, 0, 41}));
  EXPECT_EQ(parse_label(label(99, 3, 0, 41) + label(99, 3, 1, 40)), (Label{99, 3, 0, 41}));
  EXPECT_EQ(parse_label("failed to unpack label 0\nfailed to unpack label 1\n"), std::nullopt);
  EXPECT_EQ(parse_label("LABEL 0 \n    version: 5000\n    state: 3\n    guid: 17\n"), std::nullopt)
      << "a hot spare's";
  EXPECT_EQ(parse_label(""), std::nullopt);
}

TEST_F(ExportedBefore, ByMoreThanHalfOfItsDisks) {
  put(0, label(kTank, 1, 1));
  put(1, label(kTank, 2, 1));
  put(2, "no label", 12345);
  EXPECT_EQ(look({1, 2, 3, 4}), 2u);
  EXPECT_TRUE(told.empty()) << "these may have been out since an earlier export";
  put(3, label(kTank, 3, 1));
  EXPECT_EQ(look({1, 2, 3, 4}), 1u);
  EXPECT_EQ(told, std::vector<uint64_t>{kTank});
  put(4, label(kTank, 4, 1));
  EXPECT_EQ(look({1, 2, 3, 4}), 0u);
  EXPECT_EQ(told.size(), 1u) << "once";
}

TEST_F(ExportedBefore, NotWhenTheMachineWentDownWithIt) {
  put(0, label(kTank, 1, 0));
  put(1, label(kTank, 2, 0));
  EXPECT_EQ(look({1, 2}), 2u);
  EXPECT_TRUE(told.empty());
}

TEST_F(ExportedBefore, ADestroyedOneIsNotExpectedEither) {
  put(0, label(kTank, 1, 2));
  EXPECT_EQ(look({1}), 1u);
  EXPECT_EQ(told, std::vector<uint64_t>{kTank});
}

TEST_F(ExportedBefore, StrangersAndAnotherPoolsDisksSayNothing) {
  put(0, label(kTank, 77, 1));
  put(1, label(4711, 1, 1));
  EXPECT_EQ(look({1}), 2u);
  EXPECT_TRUE(told.empty());
}

}  // namespace
}  // namespace fmd::zfs
