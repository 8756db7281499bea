// The disks found by successive looks.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "plugins/disk/disk_scan.h"
#include "plugins/disk/tests/disk_rig.h"

namespace fmd::disk::testing {
namespace {

TEST_F(DiskTest, TellsAllThatResourcesMdNames) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  partition("sde", 2);
  start();
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
                         {"physical_sector_bytes", 4096},
                         {"content", "used"},
                         {"content_reason", "it has partitions, or something is built on it"},
                         {"diskseq", "15"}};
  EXPECT_EQ(core_.resources[kDisk3]["properties"], expected);
  EXPECT_EQ(core_.resources[kDisk3]["type"], "disk");
  EXPECT_TRUE(core_.of("inventory").at(0)["complete"]);
  EXPECT_EQ(asked(), 0u) << "a disk with partitions is not read";
}

TEST_F(DiskTest, OnlyDisksAreDisks) {
  plug("sdb", 0, "5000c500a0000001", "DISK01G0", 1);
  for (const char* name : {"loop0", "ram0", "zram0", "dm-0", "md0", "sr0", "zd0", "fd0"}) {
    tree_.file(std::string("/sys/block/") + name + "/serial", "S");
    tree_.file(std::string("/sys/block/") + name + "/size", "100\n");
  }
  tree_.file("/sys/block/sdq/removable", "1\n");  // a card reader without a card
  tree_.file("/sys/block/sdq/size", "0\n");
  tree_.file("/sys/block/sdq/device/serial", "READER\n");
  tree_.file("/sys/block/nvme0c0n1/hidden", "1\n");
  tree_.file("/sys/block/nvme0c0n1/device/serial", "PATH\n");
  tree_.file("/sys/block/vda/size", "100\n");  // neither WWN nor serial
  start();
  EXPECT_EQ(core_.resources.size(), 1u);
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["reason"], "left out: 1 disk without WWN and serial number");
}

TEST_F(DiskTest, TwoPathsAreOneDisk) {
  plug("sdk", 8, "5000c500a0000003", "DISK03G0", 20);
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  partition("sdk", 8);
  start();
  ASSERT_EQ(disks(), 1u);
  EXPECT_EQ(core_.property(kDisk3, "path"), "/dev/sde");
  EXPECT_EQ(core_.property(kDisk3, "paths"), "sde,sdk");
  EXPECT_EQ(core_.property(kDisk3, "content"), "used");
  // Each path has an edge from its controller, since one of the two may be dead.
  size_t led = 0;
  for (const auto& [fmri, r] : core_.resources)
    if (r["type"] == "hba")
      for (const auto& edge : r["edges"]) {
        ++led;
        EXPECT_EQ(core_.resources[edge["to"].get<std::string>()]["type"], "path") << edge;
      }
  EXPECT_EQ(led, 2u);
  pull("sde", 2);
  nudge("remove");
  ASSERT_TRUE(loop_.until([&] { return core_.property(kDisk3, "path") == "/dev/sdk"; }));
  ASSERT_EQ(core_.events.size(), 1u);
  EXPECT_EQ(core_.events[0]["class"], "sysevent.disk.path.removed")
      << "a path lost is no disk lost";
  EXPECT_TRUE(core_.property(kDisk3, "paths").is_null()) << "one path is none to speak of";
}

TEST_F(DiskTest, AMultipathMapIsNoUse) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  tree_.file("/sys/block/dm-0/dm/uuid", "mpath-35000c500a0000003\n");
  tree_.folder("/sys/block/dm-0/slaves/sde");
  start();
  EXPECT_TRUE(content_is(kDisk3, "blank"));
  tree_.folder("/sys/block/dm-1/slaves/dm-0");
  nudge();
  EXPECT_TRUE(content_is(kDisk3, "used"));
}

TEST_F(DiskTest, ADiskOfAnArrayIsUsed) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  tree_.folder("/sys/block/md0/slaves/sde");
  tree_.folder("/sys/class/block/sde10x");  // no number: not a partition
  start();
  EXPECT_TRUE(content_is(kDisk3, "used"));
  tree_.remove("/sys/block/md0");
  nudge();
  EXPECT_TRUE(content_is(kDisk3, "blank"));
}

TEST_F(DiskTest, NvmeMultipathIsOneDisk) {
  const std::string head = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1";
  tree_.file(head + "/wwid", "eui.0025385b91b05321\n");
  tree_.file(head + "/size", "2048\n");
  tree_.link("/sys/block/nvme0n1", head);
  tree_.file("/sys/block/nvme0c0n1/hidden", "1\n");
  tree_.file("/sys/block/nvme0c1n1/hidden", "1\n");
  answer("nvme0n1", "exit 2");
  fill("nvme0n1", "0");
  start();
  ASSERT_EQ(disks(), 1u);
  EXPECT_EQ(core_.property("dev://wwn=0025385b91b05321", "paths"), "nvme0c0n1,nvme0c1n1");
  EXPECT_EQ(core_.property("dev://wwn=0025385b91b05321", "transport"), "nvme");
}

TEST_F(DiskTest, StatesOfNvmePaths) {
  const auto way = [](const char* name, const char* controller, const char* ana) {
    Way one;
    one.name = name;
    one.state = controller;
    one.ana = ana;
    return nvme_state(one);
  };
  EXPECT_EQ(way("nvme0c0n1", "live", "optimized"), "usable");
  EXPECT_EQ(way("nvme0c1n1", "live", "non-optimized"), "usable");
  EXPECT_EQ(way("nvme12c3n2", "live", ""), "usable") << "without ANA";
  EXPECT_EQ(way("nvme0c0n1", "live", "inaccessible"), "standby");
  EXPECT_EQ(way("nvme0c0n1", "live", "persistent-loss"), "lost");
  EXPECT_EQ(way("nvme0c0n1", "live", "change"), "changing");
  for (const char* state : {"dead", "connecting", "resetting", "deleting (no IO)"})
    EXPECT_EQ(way("nvme0c0n1", state, "optimized"), "lost") << state;
  EXPECT_EQ(way("nvme0n1", "dead", ""), "") << "no path";
  EXPECT_EQ(way("sdc", "offline", ""), "");
}

TEST_F(DiskTest, NvmePathsOfADisk) {
  const std::string head = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1";
  tree_.file(head + "/wwid", "eui.0025385b91b05321\n");
  tree_.file(head + "/size", "2048\n");
  tree_.link("/sys/block/nvme0n1", head);
  const auto path = [&](const std::string& n, const char* state, const char* ana) {
    const std::string name = "nvme0c" + n + "n1",
                      controller = "/sys/devices/pci0000:0" + n + "/nvme" + n;
    tree_.file("/sys/block/" + name + "/hidden", "1\n");
    tree_.file("/sys/block/" + name + "/ana_state", std::string(ana) + "\n");
    tree_.file(controller + "/state", std::string(state) + "\n");
    tree_.link("/sys/block/" + name + "/device", controller);
    tree_.link("/sys/class/nvme/nvme" + n, controller);
  };
  path("0", "live", "optimized");
  path("1", "live", "inaccessible");
  answer("nvme0n1", "exit 2");
  fill("nvme0n1", "0");
  start();
  const std::string disk = "dev://wwn=0025385b91b05321";
  EXPECT_TRUE(loop_.until([&] { return core_.property(disk, "nvme_paths") == "usable"; }));
  path("0", "connecting", "optimized");
  nudge();
  EXPECT_TRUE(loop_.until([&] { return core_.property(disk, "nvme_paths") == "none"; }));
  path("1", "live", "non-optimized");
  nudge();
  EXPECT_TRUE(loop_.until([&] { return core_.property(disk, "nvme_paths") == "usable"; }));
}

// With the same diskseq, only changeable properties are read; a new diskseq is another disk.
TEST(ScanDevices, KnownOnesAreNotReadAnew) {
  Loop loop;
  TempTree tree;
  const sdk::Host host{loop, tree.root(), ""};
  tree.file("/sys/block/sda/device/wwid", "naa.5000c500a0000001\n");
  tree.file("/sys/block/sda/diskseq", "7\n");
  tree.file("/sys/block/sda/size", "8\n");
  auto scan = scan_devices(host, {});
  ASSERT_TRUE(scan);
  tree.file("/sys/block/sda/device/wwid", "naa.5000c500a0000002\n");
  tree.file("/sys/block/sda/size", "16\n");
  auto again = scan_devices(host, *scan);
  EXPECT_EQ(again->devices.at("sda").identity.wwn, "5000c500a0000001");
  EXPECT_EQ(again->devices.at("sda").size_bytes, 8192u);
  tree.file("/sys/block/sda/diskseq", "8\n");
  again = scan_devices(host, *scan);
  EXPECT_EQ(again->devices.at("sda").identity.wwn, "5000c500a0000002");
  const auto bytes = from_bytes(to_bytes(again));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->devices.at("sda").identity.wwn, "5000c500a0000002");
  EXPECT_EQ(bytes->devices.at("sda").diskseq, "8");
  EXPECT_FALSE(from_bytes(""));
  EXPECT_FALSE(from_bytes(to_bytes(fail("no /sys/block"))));
}

// udev's links are read again if their folders have changed, or if that is unknown.
TEST(ScanDevices, LinksAreReadWhenOneHasComeOrGone) {
  Loop loop;
  TempTree tree;
  const sdk::Host host{loop, tree.root(), ""};
  tree.file("/sys/block/sda/device/wwid", "naa.5000c500a0000001\n");
  tree.file("/sys/block/sda/diskseq", "7\n");
  const auto changed_at = [&](time_t second) {
    const timespec times[2] = {{second, 0}, {second, 0}};
    for (const char* folder : {"/dev/disk/by-id", "/dev/disk/by-path"})
      utimensat(AT_FDCWD, host.path(folder).c_str(), times, 0);
  };
  tree.link("/dev/disk/by-id/wwn-0x5000c500a0000001", "../../sda");
  tree.link("/dev/disk/by-path/pci-1", "../../sda");
  changed_at(1000);
  const auto scan = scan_devices(host, {});
  EXPECT_EQ(scan->devices.at("sda").by_path, "/dev/disk/by-path/pci-1");
  tree.remove("/dev/disk/by-path/pci-1");
  tree.link("/dev/disk/by-path/pci-2", "../../sda");
  changed_at(1000);
  EXPECT_EQ(scan_devices(host, *scan)->devices.at("sda").by_path, "/dev/disk/by-path/pci-1");
  changed_at(1001);
  const auto again = scan_devices(host, *scan);
  EXPECT_EQ(again->devices.at("sda").by_path, "/dev/disk/by-path/pci-2");
  EXPECT_EQ(again->ways.ways.at("sda").id, "pci-2");
  tree.remove("/dev/disk/by-path/pci-2");
  tree.link("/dev/disk/by-path/pci-3", "../../sda");
  EXPECT_EQ(scan_devices(host, *again)->devices.at("sda").by_path, "/dev/disk/by-path/pci-3")
      << "just now: another may follow in the same instant";
}

// State and counters of a known disk are read at each look.
TEST(ScanDevices, TheStateOfAKnownWayIsReadAnew) {
  Loop loop;
  TempTree tree;
  const sdk::Host host{loop, tree.root(), ""};
  const std::string device = "/sys/devices/host0/0:0:1:0";
  tree.file(device + "/wwid", "naa.5000c500a0000001\n");
  tree.file(device + "/state", "running\n");
  tree.file(device + "/block/sda/diskseq", "7\n");
  tree.link(device + "/block/sda/device", "../../../0:0:1:0");
  tree.link("/sys/block/sda", device + "/block/sda");
  tree.folder("/dev/disk/by-id");
  tree.folder("/dev/disk/by-path");
  const timespec times[2] = {{1000, 0}, {1000, 0}};
  for (const char* folder : {"/dev/disk/by-id", "/dev/disk/by-path"})
    utimensat(AT_FDCWD, host.path(folder).c_str(), times, 0);
  const auto scan = scan_devices(host, {});
  EXPECT_EQ(scan->ways.ways.at("sda").state, "running");
  tree.file(device + "/state", "offline\n");
  tree.file(device + "/ioerr_cnt", "0x3\n");
  const auto again = scan_devices(host, *scan);
  EXPECT_EQ(again->ways.ways.at("sda").state, "offline");
  EXPECT_EQ(again->ways.ways.at("sda").io_errors, 3u);
}

TEST_F(DiskTest, ASwapIsARemovalAndAnAddition) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  partition("sde", 2);
  start();
  pull("sde", 2);
  nudge("remove");
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 1; }));
  EXPECT_EQ(core_.events[0]["class"], "sysevent.disk.removed");
  EXPECT_EQ(core_.events[0]["resource"], kDisk3);
  EXPECT_EQ(core_.events[0]["payload"]["serial"], "DISK03G0");
  EXPECT_EQ(core_.gone[kDisk3], "removed");
  plug("sde", 2, "5000c500a0000103", "DISK03G1", 20);
  nudge();
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 3; }));
  EXPECT_EQ(core_.events[1]["class"], "sysevent.hba.serves") << "it had no disk meanwhile";
  EXPECT_EQ(core_.events[2]["class"], "sysevent.disk.added");
  EXPECT_EQ(core_.events[2]["resource"], kDisk3New);
  EXPECT_TRUE(core_.resources.contains(kDisk3New)) << "the event came before its resource";
  EXPECT_TRUE(content_is(kDisk3New, "blank"));
}

TEST_F(DiskTest, ADiskThatComesBackIsLookedAtAgain) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  start();
  ASSERT_TRUE(content_is(kDisk3, "blank"));
  // Pulled and reinserted between two looks, now with content and under another name.
  pull("sde", 2);
  plug("sdf", 2, "5000c500a0000003", "DISK03G0", 21);
  answer("sdf", "echo TYPE=xfs");
  nudge();
  ASSERT_TRUE(content_is(kDisk3, "used"));
  EXPECT_EQ(core_.property(kDisk3, "path"), "/dev/sdf");
}

// A hang in the kernel ignores SIGTERM.
Result<DeviceScan> hang_while_told(const sdk::Host& host, const DeviceScan& before) {
  signal(SIGTERM, SIG_IGN);
  std::ofstream(host.path("/looks"), std::ios::app) << "x";
  while (host.exists("/hang")) poll(nullptr, 0, 5);
  return scan_devices(host, before);
}

TEST_F(DiskTest, ALookThatHangsIsSaidAndEnds) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  start({.rescan = 50ms, .scan_deadline = 1s, .scan = hang_while_told});
  ASSERT_TRUE(content_is(kDisk3, "blank"));
  const std::string why = "the kernel does not answer for the machine's disks";
  tree_.file("/hang", "");
  std::vector<std::string> looks;
  // One request waits for the hung look, the other arrives meanwhile.
  for (const char* key : {"first", "second"}) {
    const auto id = core_.command("refresh", key, kDisk3);
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    EXPECT_EQ(core_.answers[id]["status"], "failed");
    EXPECT_EQ(core_.answers[id]["reason"], why);
    EXPECT_EQ(core_.of("status").back(), json({{"state", "degraded"}, {"reason", why}}));
    looks.push_back(tree_.read("/looks"));
  }
  EXPECT_EQ(looks[0], looks[1]) << "another look while one hung";
  EXPECT_EQ(core_.property(kDisk3, "content"), "blank") << "what was known stays";
  plug("sdf", 3, "5000c500a0000004", "DISK04G0", 16);
  tree_.remove("/hang");
  EXPECT_TRUE(content_is("dev://wwn=5000c500a0000004", "blank"));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
  const auto id = core_.command("refresh", "third", kDisk3);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.answers[id]["status"], "done");
}

TEST_F(DiskTest, LooksFromTimeToTime) {
  start({.rescan = 50ms, .probe_deadline = 10s});
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  EXPECT_TRUE(content_is(kDisk3, "blank"));
  const size_t said = core_.count("inventory");
  const size_t asked_then = asked();
  pull("sde", 2);
  ASSERT_TRUE(loop_.until([&] { return core_.resources.empty(); }));
  EXPECT_EQ(core_.count("inventory"), said + 1)
      << "said something though nothing had changed: " << json(core_.of("inventory")).dump();
  EXPECT_EQ(asked(), asked_then);
}

TEST_F(DiskTest, TheCoreGetsTheWholeOnEachConnection) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  plug("sdf", 3, "5000c500a0000004", "DISK04G0", 16);
  start();
  core_.stop();
  core_.resources["dev://wwn=left-over"] = json::object();
  pull("sdf", 3);
  nudge("remove");
  loop_.until([] { return false; }, 300ms);  // it looks while fmd is not running
  core_.listen();
  ASSERT_TRUE(loop_.until([&] { return core_.resources.size() == 1; }));
  EXPECT_TRUE(core_.resources.contains(kDisk3));
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 1; }));
  EXPECT_EQ(core_.events[0]["class"], "sysevent.disk.removed");
}

TEST_F(DiskTest, HostileSerialsGoThroughAsTheyAre) {
  const std::string serial = "x\x1b]0;\n\"'$(id)\xe2\x80\xae";
  plug("sde", 2, "5000c500a0000003", serial, 15);
  start();
  EXPECT_EQ(core_.property(kDisk3, "serial"), serial);
}

TEST_F(DiskTest, WithoutSysfsItIsBlind) {
  tree_.remove("/sys");
  plugin_ = std::make_unique<DiskPlugin>(loop_, host_, tree_.root() + "/s", Options{.rescan = 1h});
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded");
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  nudge();
  EXPECT_TRUE(content_is(kDisk3, "blank"));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

}  // namespace
}  // namespace fmd::disk::testing
