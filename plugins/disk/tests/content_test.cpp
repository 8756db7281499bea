// Whether a disk is blank: asked of blkid, never longer than it may take.
#include <signal.h>

#include "plugins/disk/content_probe.h"
#include "plugins/disk/tests/disk_rig.h"

namespace fmd::disk::testing {
namespace {

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

TEST(ContentFromBlkid, OnlyACleanNothingIsBlank) {
  using End = sdk::CommandOutput::End;
  const auto content = [](End end, int code, std::string err) {
    return content_from_blkid({.end = end, .code = code, .out = {}, .err = std::move(err)});
  };
  EXPECT_EQ(content(End::exited, 2, ""), "blank");
  EXPECT_EQ(content(End::exited, 2, "error: cannot open"), "unknown");
  EXPECT_EQ(content(End::exited, 4, ""), "unknown");
  EXPECT_EQ(content(End::killed, 2, ""), "unknown");
  EXPECT_EQ(content(End::deadline, 0, ""), "unknown");
  EXPECT_EQ(content(End::not_found, 0, ""), "unknown");
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
  tree_.remove(folder(2) + "/block/sde/sde1");
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
  start({.rescan = 1h, .probe_deadline = 300ms});
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
