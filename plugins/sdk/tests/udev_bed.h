// UdevBed: a machine played by umockdev: to this process, and to the programs it starts, /sys and
// /dev are the bed's, and udev's messages are the test's. So the real Host and the real UdevMonitor
// are under test. Runs inside umockdev-wrapper. Single thread: what a call sends is heard when the
// loop runs, and by then sysfs is as the call left it. Ten messages may wait unheard (the kernel's
// net.unix.max_dgram_qlen); those that the monitor does not ask for do not count.
#pragma once
#include <memory>
#include <string>
#include <string_view>

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

}  // namespace fmd::sdk::testing
