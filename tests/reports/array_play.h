// ArrayPlay: replays a report about an md array on a Machine. The sysfs tree goes through
// fmd-volumes's scan, memory and model. `@DEV2@` in a text is the kernel's name of disk 2.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "plugins/sdk/tests/support.h"
#include "plugins/volumes/md_known.h"
#include "tests/reports/machine.h"

namespace fmd::reports {

class ArrayPlay {
 public:
  explicit ArrayPlay(int disks = 4);

  // "array md127=raid1:1,2" (the UUID is derived from the text after "="), "set
  // sys/block/md127/md/level raid1", "rm sys/block/md127/md/dev-sdc", "link
  // dev/disk/by-uuid/aa-bb ../../md127", "usb 1,2" (USB disks), "start" (the first scan), "sleep
  // 14". Other lines do not affect the array.
  void line(const std::string& text);
  void report(const std::string& file);  // a file of plugins/volumes/tests/fixtures/field
  void look();
  void reboot();  // the machine restarts; fmd-volumes keeps what it has on disk
  // Lets an hour pass in which nothing changes.
  void settle();

  Machine machine;

 private:
  void plug(int n, const std::string& host = "/sys/devices/pci0000:00/host0");
  void make_array(const std::string& name, const std::string& level, const std::vector<int>& disks);

  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};
  volumes::MdScan scan_;
  volumes::MdMemory memory_;
  int boot_ = 1;
};

}  // namespace fmd::reports
