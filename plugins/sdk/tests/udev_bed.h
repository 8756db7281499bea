// UdevBed: a machine simulated by umockdev: for this process and its children, /sys and /dev are
// the bed's, and udev's messages come from the test. So the real Host and the real UdevMonitor are
// tested. Runs inside umockdev-wrapper. Single thread: a message is received when the loop runs,
// and sysfs is then as the call left it. Ten messages may wait (the kernel's
// net.unix.max_dgram_qlen); those that the monitor does not subscribe to do not count.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "plugins/sdk/host.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::sdk::testing {

class UdevBed {
 public:
  UdevBed();
  ~UdevBed();
  UdevBed(const UdevBed&) = delete;
  UdevBed& operator=(const UdevBed&) = delete;

  // The devices of beds/NAME.umockdev (umockdev-record's format, and "#" comments) come: udev says
  // "add" of each, what holds a device before the device. Who does not listen yet finds them there.
  // Dumps leave out the nodes ("N:", DEVNAME) of character devices: umockdev makes a terminal of
  // each, and cannot do so again when the device comes back.
  void plug(const std::string& name);
  // Takes a device and all below it out: "remove" of each, leaves first.
  void unplug(const std::string& device);
  // device: "/sys/devices/…".
  void uevent(const std::string& device, const std::string& action);

  // What the kernel shows beside devices: attributes, slots, links between devices.
  void file(const std::string& path, std::string_view text) const;
  void link(const std::string& path, const std::string& target) const;
  void remove(const std::string& path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What the beds hold: the disk of scsi-disk and where it is, the one that scsi-disk-new puts in its
// place, and the drive of nvme-drive.
inline constexpr const char* kDisk = "dev://wwn=5000c500a0000003";
inline constexpr const char* kNewDisk = "dev://wwn=5000c500a0000103";
inline constexpr const char* kTarget =
    "/sys/devices/pci0000:00/0000:00:02.0/virtio1/host0/target0:0:2";
inline constexpr const char* kDrive = "dev://serial=QEMU%20NVMe%20Ctrl:NVME11";
inline constexpr const char* kDrivePort = "/sys/devices/pci0000:00/0000:00:05.0";

// A plugin in a bed: the core and the tools are the test's own.
class InBed : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  UdevBed bed_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  Host host_{loop_, "/", tree_.root() + "/tools"};

  std::string socket() const { return tree_.root() + "/s"; }
  // When it has looked for a request of ours it looks no more by itself: what is seen from then on
  // is udev's doing.
  void let_look() {
    ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
    const auto id = core_.command("refresh", "start", "any://x");
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  }
};

}  // namespace fmd::sdk::testing
