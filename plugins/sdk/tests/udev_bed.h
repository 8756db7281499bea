// UdevBed: a machine simulated by umockdev. For this process and its children, /sys and /dev are
// the bed's, and the test sends udev's messages, so that the real Host and UdevMonitor are tested.
// Runs inside umockdev-wrapper. Single thread: a message is received when the loop runs, and sysfs
// is then as the call left it. Ten messages can be queued (net.unix.max_dgram_qlen); those that the
// monitor does not subscribe to do not count.
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

  // Adds the devices of beds/NAME.umockdev (umockdev-record's format, with "#" comments) and sends
  // "add" for each, parents first. A monitor opened later does not get these messages. Dumps leave
  // out the nodes ("N:", DEVNAME) of character devices: umockdev makes a terminal for each, and
  // cannot do so again when the device returns.
  void plug(const std::string& name);
  // Removes a device and all devices below it, and sends "remove" for each, leaves first.
  void unplug(const std::string& device);
  // device: "/sys/devices/…".
  void uevent(const std::string& device, const std::string& action);

  // Other parts of sysfs: attributes, slots, links between devices.
  void file(const std::string& path, std::string_view text) const;
  void link(const std::string& path, const std::string& target) const;
  void remove(const std::string& path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Devices of the beds: the disk of scsi-disk and its location, the disk by which scsi-disk-new
// replaces it, and the drive of nvme-drive.
inline constexpr const char* kDisk = "dev://wwn=5000c500a0000003";
inline constexpr const char* kNewDisk = "dev://wwn=5000c500a0000103";
inline constexpr const char* kTarget =
    "/sys/devices/pci0000:00/0000:00:02.0/virtio1/host0/target0:0:2";
inline constexpr const char* kDrive = "dev://serial=QEMU%20NVMe%20Ctrl:NVME11";
inline constexpr const char* kDrivePort = "/sys/devices/pci0000:00/0000:00:05.0";

// Runs a plugin in a bed, with a fake core and fake tools.
class InBed : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  UdevBed bed_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  Host host_{loop_, "/", tree_.root() + "/tools"};

  std::string socket() const { return tree_.root() + "/s"; }
  // After a requested look the plugin does not look again by itself: later looks come from udev's
  // messages.
  void let_look() {
    ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
    const auto id = core_.command("refresh", "start", "any://x");
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  }
};

}  // namespace fmd::sdk::testing
