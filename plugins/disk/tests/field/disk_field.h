// The rig of the tests with kernel log lines: through the plugin and the shipped rules to the cases.
// The machine has no trace, so the plugin reads the log.
#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugins/disk/tests/disk_rig.h"
#include "tests/lib/told_cases.h"

namespace fmd::disk::testing {

using Cases = std::vector<std::string>;
using Lines = std::vector<std::string>;

inline constexpr const char* kFsErrors = "Major fault.fs.kernel.errors fs://device=sde";

struct AdapterLines {
  const char* driver;  // the SCSI host's proc_name
  const char* number;  // its unique_id
  Lines lines;
};

class DiskField : public DiskTest {
 protected:
  int log_ = -1;
  uint64_t sequence_ = 100;

  void SetUp() override {
    DiskTest::SetUp();
    tree_.file("/proc/sys/kernel/random/boot_id", "b007\n");
    tree_.folder("/dev");
    const std::string log = tree_.root() + "/dev/kmsg";
    mkfifo(log.c_str(), 0600);
    log_ = open(log.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    core_.cursor = "b007:1";  // fmd has already run in this boot, so the log is not history
  }
  void TearDown() override { close(log_); }

  struct FileSystemLines {
    const char* type;
    Lines lines;
  };
  // Each time, a file system on sde is mounted and these lines are logged about it.
  void each_is_a_case(std::initializer_list<FileSystemLines> all) {
    for (const auto& [type, lines] : all) {
      core_.events.clear();
      core_.messages.clear();
      plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
      mounted("sde", type, "rw");
      begin();
      logged(lines);
      ASSERT_TRUE(told(1)) << lines[0];
      EXPECT_EQ(cases(), Cases{kFsErrors}) << lines[0];
      plugin_.reset();
      core_.cursor = "b007:1";
    }
  }

  // Adds a SATA disk alone on its port, "ata1".
  void sata(int port, const std::string& name) {
    const std::string n = std::to_string(port), hctl = n + ":0:0:0";
    const std::string device = "/sys/devices/pci0000:00/0000:00:1f.2/ata" + n + "/host" + n +
                               "/target" + n + ":0:0/" + hctl;
    const std::string block = device + "/block/" + name;
    tree_.file(device + "/vendor", "ATA     \n");
    tree_.file(device + "/model", "EXAMPLE 8TB     \n");
    tree_.file(device + "/wwid", "naa.5000c500a00000f" + n + "\n");
    tree_.file(block + "/size", "524288\n");
    tree_.file(block + "/diskseq", "4" + n + "\n");
    tree_.file(block + "/removable", "0\n");
    tree_.file(block + "/dev", "65:" + std::to_string(16 * port) + "\n");
    tree_.folder(block + "/holders");
    tree_.link(block + "/device", "../../../" + hctl);
    tree_.link("/sys/block/" + name, block);
    answer(name, "exit 2");
    fill(name, std::string(kBytes, '\0'));
  }
  // The SCSI host of the controller that plug() puts disks behind.
  void adapter(const std::string& driver, const std::string& number) {
    const std::string host = "/sys/devices/pci0000:00/0000:00:02.0/host0/scsi_host/host0";
    tree_.file(host + "/proc_name", driver + "\n");
    tree_.file(host + "/unique_id", number + "\n");
    tree_.link("/sys/class/scsi_host/host0", host);
  }
  void adapter_is(const AdapterLines& row, const std::string& expected) {
    SCOPED_TRACE(row.lines[0]);
    core_.events.clear();
    core_.messages.clear();
    adapter(row.driver, row.number);
    plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
    begin();
    logged(row.lines);
    ASSERT_TRUE(told(1));
    EXPECT_EQ(core_.events.size(), 1u);
    EXPECT_EQ(cases(), Cases{expected});
    plugin_.reset();
    core_.cursor = "b007:1";
  }
  // Adds an NVMe drive with one namespace.
  void nvme(const std::string& controller) {
    const std::string device = "/sys/devices/pci0000:00/0000:01:00.0/nvme/" + controller,
                      block = device + "/" + controller + "n1";
    tree_.file(device + "/model", "EXAMPLE NVME\n");
    tree_.file(device + "/serial", "NVME7\n");
    tree_.file(block + "/wwid", "eui.0025385b71b00001\n");
    tree_.file(block + "/size", "524288\n");
    tree_.file(block + "/diskseq", "77\n");
    tree_.file(block + "/removable", "0\n");
    tree_.file(block + "/dev", "259:0\n");
    tree_.folder(block + "/holders");
    tree_.link(block + "/device", "../../" + controller);
    tree_.link("/sys/block/" + controller + "n1", block);
    answer(controller + "n1", "exit 2");
    fill(controller + "n1", std::string(kBytes, '\0'));
  }
  void mounted(const std::string& name, const char* type, const char* options) {
    tree_.file("/sys/class/block/" + name + "/dev", "8:64\n");
    tree_.file("/dev/" + name, "");
    tree_.file("/proc/self/mountinfo",
               fmt::format("36 25 8:64 / /srv rw,relatime shared:1 - {} /dev/{} {}\n", type, name,
                           options));
  }
  void begin() { start({.rescan = 1h, .probe_deadline = 10s, .episode = 20ms}); }
  // Writes lines as dmesg prints them, without the time.
  void logged(const Lines& lines, int64_t seconds_ago = 0) {
    timespec up{};
    clock_gettime(CLOCK_MONOTONIC, &up);
    for (const std::string& text : lines) {
      const std::string record =
          fmt::format("3,{},{},-;{}\n", ++sequence_,
                      (up.tv_sec - seconds_ago) * 1'000'000 + up.tv_nsec / 1000, text);
      ASSERT_EQ(write(log_, record.data(), record.size()), static_cast<ssize_t>(record.size()));
    }
  }
  bool told(size_t events) {
    return loop_.until([&] { return core_.events.size() >= events; });
  }
  Cases cases() const { return cases_after_two_hours("disk", core_.messages); }
};

}  // namespace fmd::disk::testing
