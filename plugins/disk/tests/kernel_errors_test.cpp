// The plugin reading kernel messages: FIFOs play trace_pipe and /dev/kmsg.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugins/disk/tests/disk_rig.h"

namespace fmd::disk::testing {
namespace {

constexpr const char* kInstance = "/sys/kernel/tracing/instances/fmd-disk";
constexpr const char* kPath = "dev://path=pci-0000:00:02.0-scsi-0:0:2:0";
constexpr const char* kOtherPath = "dev://path=pci-0000:00:02.0-scsi-0:0:8:0";

class KernelErrorsTest : public DiskTest {
 protected:
  int trace_ = -1, log_ = -1;

  void SetUp() override {
    DiskTest::SetUp();
    tree_.file("/proc/sys/kernel/random/boot_id", "b007\n");
    tree_.file(std::string(kInstance) + "/trace_clock", "[local] global boot\n");
    for (const char* file :
         {"buffer_percent", "buffer_size_kb", "tracing_on", "events/block/block_rq_error/enable",
          "events/scsi/scsi_dispatch_cmd_done/filter", "events/scsi/scsi_dispatch_cmd_done/enable"})
      tree_.file(std::string(kInstance) + "/" + file, "");
    trace_ = fifo(std::string(kInstance) + "/trace_pipe");
    tree_.folder("/dev");
    log_ = fifo("/dev/kmsg");
    plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
    named("sde", 2, "8:64", "0x3", "0x0");
  }
  void TearDown() override {
    close(trace_);
    close(log_);
  }
  int fifo(const std::string& path) {
    mkfifo((tree_.root() + path).c_str(), 0600);
    return open((tree_.root() + path).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  void named(const std::string& name, int target, const std::string& dev, const std::string& errors,
             const std::string& timeouts) {
    tree_.file(folder(target) + "/block/" + name + "/dev", dev + "\n");
    tree_.file(folder(target) + "/ioerr_cnt", errors + "\n");
    tree_.file(folder(target) + "/iotmo_cnt", timeouts + "\n");
  }
  void second_path() {
    plug("sdk", 8, "5000c500a0000003", "DISK03G0", 20);
    named("sdk", 8, "8:160", "0x0", "0x0");
  }
  void begin() { start({.rescan = 1h, .probe_deadline = 10s, .episode = 20ms}); }
  void traced(const std::string& text) {
    timespec up{};
    clock_gettime(CLOCK_BOOTTIME, &up);
    const std::string line =
        fmt::format("  <idle>-0  [000] ..s1.  {}.{:06}: {}\n", up.tv_sec, up.tv_nsec / 1000, text);
    ASSERT_EQ(write(trace_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  void logged(int sequence, const std::string& text, int64_t seconds_ago = 0) {
    timespec up{};
    clock_gettime(CLOCK_MONOTONIC, &up);
    const std::string line =
        "3," + std::to_string(sequence) + "," +
        std::to_string((up.tv_sec - seconds_ago) * 1'000'000 + up.tv_nsec / 1000) + ",-;" + text +
        "\n SUBSYSTEM=scsi\n";
    ASSERT_EQ(write(log_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  bool told(size_t events) {
    return loop_.until([&] { return core_.events.size() >= events; });
  }
};

TEST_F(KernelErrorsTest, AMediumErrorIsTheDisks) {
  begin();
  traced("block_rq_error: 8,64 R () 4656 + 8 [-61]");
  logged(812, "sd 0:0:2:0: [sde] tag#2 Sense Key : Medium Error [current] ");
  logged(813, "critical medium error, dev sde, sector 4656 op 0x0:(READ) flags 0x0 phys_seg 1");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.io.medium");
  EXPECT_EQ(core_.events[0]["resource"], kDisk3);
  const auto& payload = core_.events[0]["payload"];
  EXPECT_EQ(payload["device"], "sde");
  EXPECT_EQ(payload["serial"], "DISK03G0");
  EXPECT_EQ(payload["sector"], 4656);
  EXPECT_EQ(payload["times"], 3);
  EXPECT_EQ(core_.cursor, "b007:813");
  EXPECT_EQ(core_.property(kPath, "device"), "/dev/sde") << "told of from now on";
  EXPECT_EQ(core_.property(kPath, "io_errors"), 3);
  EXPECT_EQ(core_.property(kPath, "errors_by"), "trace");
  loop_.drain();
  EXPECT_EQ(core_.events.size(), 1u);
}

TEST_F(KernelErrorsTest, ACrcErrorIsThePaths) {
  begin();
  traced(
      "scsi_dispatch_cmd_done: host_no=0 channel=0 id=2 lun=0 data_sgl=1 cmnd=(READ_10 lba=8 "
      "txlen=8) result=(driver=DRIVER_OK host=DID_OK message=COMMAND_COMPLETE "
      "status=SAM_STAT_CHECK_CONDITION) sense=(key=0xb asc=0x47 ascq=0x3)");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.path.transport");
  EXPECT_EQ(core_.events[0]["resource"], kPath);
  EXPECT_EQ(core_.resources[kPath]["edges"][0]["to"], kDisk3);
}

TEST_F(KernelErrorsTest, AnUnmappedUnitIsThePaths) {
  begin();
  traced("block_rq_error: 8,64 W () 4656 + 8 [-121]");
  traced(
      "scsi_dispatch_cmd_done: host_no=0 channel=0 id=2 lun=0 data_sgl=1 prot_sgl=0 "
      "prot_op=SCSI_PROT_NORMAL driver_tag=5 scheduler_tag=8 cmnd=(WRITE_16 lba=4656 txlen=8 "
      "protect=0 raw=8a) result=(driver=DRIVER_OK host=DID_OK message=COMMAND_COMPLETE "
      "status=SAM_STAT_CHECK_CONDITION) sense=(key=0x5 asc=0x25 ascq=0x0)");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.path.unmapped");
  EXPECT_EQ(core_.events[0]["resource"], kPath);
  loop_.drain();
  EXPECT_EQ(core_.events.size(), 1u);
}

// What nobody explains: with one path the disk's or the path's, with two never the disk's.
TEST_F(KernelErrorsTest, UnexplainedOnOnePath) {
  begin();
  traced("block_rq_error: 8,64 R () 4656 + 8 [-5]");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.io.unspecific");
  EXPECT_EQ(core_.events[0]["resource"], kDisk3);
}

TEST_F(KernelErrorsTest, UnexplainedOnOneOfTwoPaths) {
  second_path();
  begin();
  EXPECT_EQ(core_.property(kOtherPath, "name"), "pci-0000:00:02.0-scsi-0:0:8:0");
  traced("block_rq_error: 8,160 R () 4656 + 8 [-5]");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.path.unspecific");
  EXPECT_EQ(core_.events[0]["resource"], kOtherPath);
}

TEST_F(KernelErrorsTest, OfNobodysDiskNothing) {
  begin();
  traced("block_rq_error: 8,99 R () 4656 + 8 [-61]");
  traced("block_rq_error: 8,64 R () 4656 + 8 [-61]");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events.size(), 1u);
}

TEST_F(KernelErrorsTest, APathThatGoesAndComes) {
  second_path();
  begin();
  pull("sdk", 8);
  nudge("remove");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "sysevent.disk.path.removed");
  EXPECT_EQ(core_.events[0]["resource"], kOtherPath);
  second_path();
  nudge("add");
  ASSERT_TRUE(told(2));
  EXPECT_EQ(core_.events[1]["class"], "sysevent.disk.path.added");
}

TEST_F(KernelErrorsTest, DeviceMappersWord) {
  second_path();
  begin();
  sdk::UdevMonitor::Event event{"change", "block", "dm-0"};
  event.properties = {{"DM_ACTION", "PATH_FAILED"}, {"DM_PATH", "8:160"}, {"DM_NAME", "mpatha"}};
  plugin_->on_udev(event);
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.path.failed");
  EXPECT_EQ(core_.events[0]["resource"], kOtherPath);
  event.properties["DM_ACTION"] = "PATH_REINSTATED";
  plugin_->on_udev(event);
  ASSERT_TRUE(told(2));
  EXPECT_EQ(core_.events[1]["class"], "sysevent.disk.path.reinstated");
}

// After a restart, reported log records are skipped, and newer ones are reported.
TEST_F(KernelErrorsTest, GoesOnWhereItWas) {
  core_.cursor = "b007:813";
  logged(813, "critical medium error, dev sde, sector 4656 op 0x0:(READ) flags 0x0 phys_seg 1");
  logged(814, "critical medium error, dev sde, sector 9999 op 0x0:(READ) flags 0x0 phys_seg 1");
  begin();
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["payload"]["sector"], 9999);
  EXPECT_EQ(core_.events[0]["payload"]["times"], 1);
  EXPECT_EQ(core_.cursor, "b007:814");
}

// At the first start, existing log records are history; the next look stores the cursor.
TEST_F(KernelErrorsTest, TheFirstDay) {
  const std::string bad = "critical medium error, dev sde, sector 1 op 0x0:(READ) flags 0x0";
  logged(700, bad, 3);
  begin();
  logged(701, "usb 1-1: new device");
  ASSERT_TRUE(loop_.until([&] {
    nudge();
    return core_.cursor.starts_with("b007:70");  // the look may have come before record 701
  }));
  EXPECT_TRUE(core_.events.empty());
  logged(702, bad);
  ASSERT_TRUE(told(1));
}

// Two disks behind a port multiplier: SCSI channel and id are libata's link and device.
class PortMultiplierTest : public KernelErrorsTest {
 protected:
  static std::string place(int link) {
    const std::string n = std::to_string(link);
    return "/sys/devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:" + n + ":0/2:" + n + ":0:0";
  }
  // Has its own SCSI directory instead of that of the rig's host.
  void plug_behind(const std::string& name, int link, const std::string& wwn,
                   const std::string& serial) {
    const std::string device = place(link), block = device + "/block/" + name;
    tree_.file(device + "/vendor", "ATA     \n");
    tree_.file(device + "/model", "EXAMPLE 8TB     \n");
    tree_.file(device + "/wwid", "naa." + wwn + "\n");
    tree_.file(
        device + "/vpd_pg80",
        std::string({0, static_cast<char>(0x80), 0, static_cast<char>(serial.size())}) + serial);
    tree_.file(block + "/size", "524288\n");
    tree_.file(block + "/diskseq", std::to_string(40 + link) + "\n");
    tree_.file(block + "/removable", "0\n");
    tree_.file(block + "/dev", "65:" + std::to_string(16 * link) + "\n");
    tree_.folder(block + "/holders");
    tree_.link(block + "/device", "../../../2:" + std::to_string(link) + ":0:0");
    tree_.link("/sys/block/" + name, block);
    answer(name, "exit 2");
    fill(name, std::string(kBytes, '\0'));
  }
  void SetUp() override {
    KernelErrorsTest::SetUp();
    plug_behind("sdp", 0, "5000c500a0000010", "DISK10G0");
    plug_behind("sdq", 1, "5000c500a0000011", "DISK11G0");
  }
};

TEST_F(PortMultiplierTest, TheDiskThatIsMeant) {
  begin();
  traced(
      "ata_eh_link_autopsy_qc: ata_port=3 ata_dev=1 tag=5 flags=QCFLAG_ACTIVE "
      "err_mask=9{ DEV MEDIA }");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.io.medium");
  EXPECT_EQ(core_.events[0]["resource"], "dev://wwn=5000c500a0000011");
  logged(900, "ata3.00: error: { UNC }");
  ASSERT_TRUE(told(2));
  EXPECT_EQ(core_.events[1]["resource"], "dev://wwn=5000c500a0000010");
}

TEST_F(PortMultiplierTest, OfTheWholePortNobodyIsAccused) {
  begin();
  logged(900, "ata3: hard resetting link");
  logged(901, "ata3.15: hard resetting link");  // the multiplier's own port
  traced("ata_link_hardreset_begin: ata_port=3 deadline=1 classes=[]");
  traced("block_rq_error: 8,64 R () 4656 + 8 [-61]");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events.size(), 1u);
  EXPECT_EQ(core_.events[0]["resource"], kDisk3);
}

TEST_F(PortMultiplierTest, AloneOnItsPort) {
  tree_.remove("/sys/block/sdq");
  begin();
  logged(900, "ata3: hard resetting link");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.path.reset");
  EXPECT_EQ(core_.events[0]["payload"]["serial"], "DISK10G0");
}

// The clock of an existing instance is not set again, since that empties its buffer. An event that
// comes with each request is enabled only if the kernel takes its filter.
TEST_F(KernelErrorsTest, TheInstance) {
  begin();
  ASSERT_TRUE(
      loop_.until([&] { return !tree_.read(std::string(kInstance) + "/tracing_on").empty(); }));
  EXPECT_EQ(tree_.read(std::string(kInstance) + "/trace_clock"), "boot");
  EXPECT_EQ(tree_.read(std::string(kInstance) + "/events/block/block_rq_error/enable"), "1");
  EXPECT_EQ(tree_.read(std::string(kInstance) + "/events/scsi/scsi_dispatch_cmd_done/filter"),
            "sense_key > 1 || result & 0xff0000");
}

TEST_F(KernelErrorsTest, NoFilterNoEvent) {
  tree_.remove(std::string(kInstance) + "/events/scsi/scsi_dispatch_cmd_done/filter");
  begin();
  ASSERT_TRUE(
      loop_.until([&] { return !tree_.read(std::string(kInstance) + "/tracing_on").empty(); }));
  EXPECT_EQ(tree_.read(std::string(kInstance) + "/events/scsi/scsi_dispatch_cmd_done/enable"), "");
}

TEST_F(KernelErrorsTest, WithoutTraceTheLogDoes) {
  tree_.remove("/sys/kernel/tracing");
  begin();
  logged(1, "critical medium error, dev sde, sector 4656 op 0x0:(READ) flags 0x0 phys_seg 1");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.property(kPath, "errors_by"), "log");
}

// ext4 on a logical volume: the disks below it, and its error counter.
TEST_F(KernelErrorsTest, FileSystems) {
  tree_.folder("/sys/class/block/dm-0/slaves/sde");
  tree_.file("/sys/class/block/dm-0/dev", "254:0\n");
  tree_.file("/sys/fs/ext4/dm-0/errors_count", "2\n");
  tree_.folder("/sys/fs/ext4/features");
  tree_.file("/proc/self/mountinfo",
             "36 25 254:0 / /srv rw,relatime shared:1 - ext4 /dev/mapper/vg-srv rw\n");
  tree_.link("/dev/disk/by-uuid/1b2c-3d", "../../dm-0");
  begin();
  constexpr const char* kFs = "fs://uuid=1b2c-3d";
  EXPECT_EQ(core_.property(kFs, "name"), "/srv");
  EXPECT_EQ(core_.property(kFs, "errors"), 2);
  EXPECT_EQ(core_.property(kFs, "disks"), "DISK03G0");
  logged(5,
         "EXT4-fs error (device dm-0): ext4_find_entry:1455: inode #2: reading directory lblock 0");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.fs.kernel_error");
  EXPECT_EQ(core_.events[0]["resource"], kFs);
}

// Of an md array, an LVM volume, and what is built on them, the layer below knows the redundancy.
TEST_F(KernelErrorsTest, FileSystemsDirectlyOnADisk) {
  struct One {
    const char* what;
    std::vector<std::pair<std::string, std::string>> files;  // below /sys/class/block
    bool direct;
  };
  const std::string dm = "dm-0/dm/uuid", slave = "dm-0/slaves/";
  const std::vector<One> all{
      {"a LUKS volume", {{dm, "CRYPT-LUKS2-1"}, {slave + "sde/x", ""}}, true},
      {"a LUKS volume on a multipath map",
       {{dm, "CRYPT-LUKS2-1"},
        {slave + "dm-1/x", ""},
        {"dm-1/dm/uuid", "mpath-3500"},
        {"dm-1/slaves/sde/x", ""}},
       true},
      {"a logical volume", {{dm, "LVM-abc"}, {slave + "sde/x", ""}}, false},
      {"a LUKS volume on a logical volume",
       {{dm, "CRYPT-LUKS2-1"},
        {slave + "dm-1/x", ""},
        {"dm-1/dm/uuid", "LVM-abc"},
        {"dm-1/slaves/sde/x", ""}},
       false},
      {"a LUKS volume on an array",
       {{dm, "CRYPT-LUKS2-1"},
        {slave + "md0/x", ""},
        {"md0/md/level", "raid1"},
        {"md0/slaves/sde/x", ""}},
       false}};
  begin();
  const DeviceScan scan = *scan_devices(host_, {});
  for (const One& one : all) {
    for (const char* device : {"dm-0", "dm-1", "md0"})
      tree_.remove(std::string("/sys/class/block/") + device);
    tree_.file("/sys/class/block/dm-0/dev", "254:0\n");
    for (const auto& [file, text] : one.files) tree_.file("/sys/class/block/" + file, text + "\n");
    tree_.file("/proc/self/mountinfo", "36 25 254:0 / /srv rw - xfs /dev/dm-0 rw\n");
    tree_.file("/dev/dm-0", "");
    const Ways ways = ways_from(to_json(scan_ways(host_, scan.devices, {}, {})));
    ASSERT_EQ(ways.file_systems.size(), 1u) << one.what;
    EXPECT_EQ(ways.file_systems[0].disks.size(), 1u) << one.what;
    EXPECT_EQ(!ways.file_systems[0].direct_disks.empty(), one.direct) << one.what;
  }
}

// btrfs has its own device number in mountinfo.
TEST_F(KernelErrorsTest, AFileSystemThatTheKernelMadeReadOnly) {
  tree_.file("/sys/class/block/sde/dev", "8:64\n");
  tree_.file("/dev/sde", "");
  const auto mounted = [&](const char* options) {
    tree_.file("/proc/self/mountinfo", std::string("36 25 0:41 / /srv rw,relatime shared:1 - btrfs "
                                                   "/dev/sde ") +
                                           options + "\n");
  };
  mounted("ro,space_cache=v2");
  begin();
  constexpr const char* kFs = "fs://device=sde";
  EXPECT_EQ(core_.property(kFs, "fs_type"), "btrfs");
  EXPECT_EQ(core_.property(kFs, "read_only"), "forced");
  logged(5,
         "BTRFS: error (device sde state A) in __btrfs_unlink_inode:4144: errno=-2 No such entry");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.fs.kernel_error");
  EXPECT_EQ(core_.events[0]["resource"], kFs);
}

// The unit's own namespace has only read-only mounts; in the host's, forced ones are reported.
TEST_F(KernelErrorsTest, WhichMountsAreForcedReadOnly) {
  struct One {
    const char *type, *options, *super;
    bool forced;
  };
  const std::vector<One> all{{"vfat", "rw,relatime", "ro,errors=remount-ro", true},
                             {"f2fs", "rw", "ro", true},
                             {"ext4", "rw,noatime", "rw,emergency_ro", true},
                             {"xfs", "ro,relatime", "ro", false},
                             {"ext4", "rw", "rw", false},
                             {"squashfs", "rw,nodev", "ro", false}};
  tree_.file("/sys/class/block/sde/dev", "8:64\n");
  tree_.file("/dev/sde", "");
  for (const One& one : all) {
    tree_.file(
        "/proc/self/mountinfo",
        fmt::format("36 25 8:64 / /srv ro,relatime - {} /dev/sde {}\n", one.type, one.super));
    tree_.file("/proc/1/mountinfo", fmt::format("36 25 8:64 / /srv {} - {} /dev/sde {}\n",
                                                one.options, one.type, one.super));
    const Ways ways = scan_ways(host_, {}, {}, {});
    ASSERT_EQ(ways.file_systems.size(), 1u);
    EXPECT_EQ(ways.file_systems[0].forced_read_only, one.forced) << one.type << " " << one.options;
  }
}

TEST_F(KernelErrorsTest, ATraceThatCannotBeReadIsShown) {
  begin();
  traced("block_rq_error: device 8 32 sector 4656 error 61");
  ASSERT_TRUE(loop_.until([&] {
    const auto all = core_.of("status");
    return !all.empty() && all.back()["state"] == "degraded" &&
           std::string(all.back()["reason"])
                   .find("1 line of the kernel's trace could not be read") != std::string::npos;
  }));
}

}  // namespace
}  // namespace fmd::disk::testing
