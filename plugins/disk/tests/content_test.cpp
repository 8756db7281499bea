// Detecting blank disks with blkid, within the time limit.
#include <poll.h>
#include <signal.h>

#include <fstream>

#include "plugins/disk/tests/disk_rig.h"
#include "plugins/hardware/content_probe.h"

namespace fmd::disk::testing {
namespace {

using namespace sdk;
using namespace hardware;

TEST_F(DiskTest, ContentOfAWholeDisk) {
  plug("sda", 0, "5000c500a0000001", "D1", 1);
  plug("sdb", 1, "5000c500a0000002", "D2", 2);
  plug("sdc", 2, "5000c500a0000003", "D3", 3);
  plug("sdd", 3, "5000c500a0000004", "D4", 4);
  answer("sdb", "echo TYPE=ext4");
  answer("sdc", "exit 8");
  answer("sdd", "echo 'error: /dev/sdd: Input/output error' >&2; exit 2");
  start();
  EXPECT_TRUE(content_is("dev://wwn=5000c500a0000001", "blank"));
  EXPECT_TRUE(content_is("dev://wwn=5000c500a0000002", "used"));
  EXPECT_TRUE(content_is("dev://wwn=5000c500a0000003", "used"));
  ASSERT_TRUE(loop_.until([&] { return asked() == 4; }));
  EXPECT_TRUE(content_is("dev://wwn=5000c500a0000004", "unknown"));
}

TEST(ContentOf, OnlyACleanNothingOnADiskThatWasReadIsBlank) {
  using End = sdk::CommandOutput::End;
  const auto content = [](End end, int code, std::string err, Sample sample = Sample::blank) {
    return content_name(
        content_of(sample, {.end = end, .code = code, .out = {}, .err = std::move(err)}).kind);
  };
  EXPECT_EQ(content(End::exited, 2, ""), "blank");
  EXPECT_EQ(content(End::exited, 2, "error: cannot open"), "unknown");
  EXPECT_EQ(content(End::exited, 4, ""), "unknown");
  EXPECT_EQ(content(End::killed, 2, ""), "unknown");
  EXPECT_EQ(content(End::deadline, 0, ""), "unknown");
  EXPECT_EQ(content(End::not_found, 0, ""), "unknown");
  EXPECT_EQ(content(End::exited, 0, ""), "used");
  EXPECT_EQ(content(End::exited, 8, ""), "used");
  EXPECT_EQ(content(End::exited, 2, "", Sample::data), "used");
  EXPECT_EQ(content(End::not_found, 0, "", Sample::data), "used");
}

TEST(ContentOf, SaysWhatIsOnIt) {
  const auto reason = [](std::string out) {
    return content_of(Sample::data, {.code = 0, .out = std::move(out), .err = {}}).reason;
  };
  EXPECT_EQ(reason("DEVNAME=/dev/sde\nUUID=1\nTYPE=ext4\nUSAGE=filesystem\n"), "it holds ext4");
  EXPECT_EQ(reason("LABEL=PAYROLL\nTYPE=ext4\n"), "it holds ext4, label PAYROLL");
  EXPECT_EQ(reason("DEVNAME=/dev/sde\nPTUUID=1\nPTTYPE=gpt\n"), "it has a partition table (gpt)");
  EXPECT_EQ(reason("LABEL=TYPE=x\n"), "there are data on it");
}

class SampleTest : public ::testing::Test {
 protected:
  TempTree tree_;
  std::string bytes_ = std::string(kBytes, '\0');

  Result<Sample> sample() {
    tree_.file("/disk", bytes_);
    return sample_disk(tree_.root() + "/disk");
  }
};

TEST_F(SampleTest, OneByteEverywhereIsBlank) {
  EXPECT_EQ(sample(), Sample::blank);
  bytes_.assign(kBytes, '\xff');  // some controllers erase to FFh
  EXPECT_EQ(sample(), Sample::blank);
  bytes_ = "0";
  EXPECT_EQ(sample(), Sample::blank);
}

TEST_F(SampleTest, AnythingAtEitherEndIsData) {
  for (const size_t at :
       {size_t{0}, size_t{1080}, size_t{(1 << 20) - 1}, kBytes - (1 << 20), kBytes - 1}) {
    bytes_.assign(kBytes, '\0');
    bytes_[at] = 'x';
    EXPECT_EQ(sample(), Sample::data) << at;
  }
}

TEST_F(SampleTest, DataThatBeginLateAreSeen) {
  std::fill(bytes_.begin() + (3 << 20), bytes_.begin() + (4 << 20), 'x');
  EXPECT_EQ(sample(), Sample::data);
}

TEST_F(SampleTest, WhatCannotBeReadIsAnError) {
  EXPECT_EQ(sample_disk(tree_.root() + "/none").error().message,
            "it cannot be opened: No such file or directory");
  bytes_.clear();
  EXPECT_EQ(sample().error().message, "it has no size");
  EXPECT_EQ(sample_disk("/dev/null").error().message, "its node is no disk");
  // Reads of this kernel file fail with EIO.
  const auto memory = sample_disk("/proc/self/mem");
  EXPECT_FALSE(memory);
}

// In each of these cases blkid(8) exits silently with status 2.
TEST_F(DiskTest, WhatWasNotReadIsNotBlank) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  tree_.remove("/dev/sde");
  start();
  ASSERT_TRUE(loop_.until([&] { return !core_.property(kDisk3, "content_reason").is_null(); }));
  EXPECT_EQ(core_.property(kDisk3, "content"), "unknown");
  EXPECT_EQ(core_.property(kDisk3, "content_reason"),
            "it cannot be opened: No such file or directory");
  EXPECT_EQ(asked(), 0u);
  fill("sde", "x" + std::string(kBytes, '\0'));
  nudge("change");
  ASSERT_TRUE(content_is(kDisk3, "used"));
  EXPECT_EQ(core_.property(kDisk3, "content_reason"),
            "there are data on it of a kind that blkid does not know");
  fill("sde", std::string(kBytes, '\0'));
  nudge("change");
  ASSERT_TRUE(content_is(kDisk3, "blank"));
  EXPECT_TRUE(core_.property(kDisk3, "content_reason").is_null());
}

// One disk whose reads fail, and one whose reads hang.
TEST_F(DiskTest, AReadThatFailsOrHangsIsNotBlank) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  const auto failing = +[](const std::string&) {
    return Result<Sample>(fail("it cannot be read: Input/output error"));
  };
  start({.rescan = 1h, .probe_deadline = 10s, .read = failing});
  ASSERT_TRUE(loop_.until([&] { return !core_.property(kDisk3, "content_reason").is_null(); }));
  EXPECT_EQ(core_.property(kDisk3, "content"), "unknown");
  EXPECT_EQ(core_.property(kDisk3, "content_reason"), "it cannot be read: Input/output error");
  EXPECT_EQ(asked(), 0u);
}

TEST_F(DiskTest, AReadThatHangsIsUnknownAndNotTriedTwice) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  const auto hanging = +[](const std::string& path) {
    signal(SIGTERM, SIG_IGN);
    std::ofstream(path + ".reads", std::ios::app) << "x";
    while (true) poll(nullptr, 0, 1000);
    return Result<Sample>(Sample::blank);
  };
  start({.rescan = 1h, .probe_deadline = 300ms, .read = hanging});
  for (const char* key : {"k1", "k2"}) {
    const auto id = core_.command("refresh", key, kDisk3);
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    EXPECT_EQ(core_.property(kDisk3, "content"), "unknown");
  }
  EXPECT_EQ(core_.property(kDisk3, "content_reason"), "it does not answer");
  EXPECT_EQ(tree_.read("/dev/sde.reads"), "x");
}

TEST_F(DiskTest, ABlankDiskThatIsWrittenToIsNotBlank) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  start();
  ASSERT_TRUE(content_is(kDisk3, "blank"));
  answer("sde", "echo TYPE=ext4");
  nudge("change");
  EXPECT_TRUE(content_is(kDisk3, "used"));
  partition("sde", 2);
  answer("sde", "exit 2");
  const auto id = core_.command("refresh", "k", kDisk3);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.property(kDisk3, "content"), "used");
}

TEST_F(DiskTest, AnEmptiedDiskBecomesBlank) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  partition("sde", 2);
  start();
  ASSERT_TRUE(content_is(kDisk3, "used"));
  unpartition("sde", 2);
  nudge("change");
  EXPECT_TRUE(content_is(kDisk3, "blank"));
}

TEST_F(DiskTest, RefreshReadsTheDiskBeforeItAnswers) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  start();
  ASSERT_TRUE(content_is(kDisk3, "blank"));
  answer("sde", "echo TYPE=ext4");
  const auto id = core_.command("refresh", "k", kDisk3);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.answers[id]["status"], "done");
  EXPECT_EQ(core_.property(kDisk3, "content"), "used");
}

TEST_F(DiskTest, AStuckDiskIsUnknownAndNotAskedTwice) {
  plug("sda", 0, "5000c500a0000001", "D1", 1);
  plug("sdb", 1, "5000c500a0000002", "D2", 2);
  answer("sda", "trap '' TERM; while :; do sleep 0.05; done");
  start({.rescan = 1h, .probe_deadline = 3s});
  EXPECT_TRUE(content_is("dev://wwn=5000c500a0000002", "blank")) << "it held the other one up";
  const auto first = core_.command("refresh", "k1", "dev://wwn=5000c500a0000001");
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(first); }));
  EXPECT_EQ(core_.property("dev://wwn=5000c500a0000001", "content"), "unknown");
  const auto second = core_.command("refresh", "k2", "dev://wwn=5000c500a0000001");
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(second); }));
  EXPECT_EQ(asked(), 2u) << "a second run while the first one hung";
}

}  // namespace
}  // namespace fmd::disk::testing
