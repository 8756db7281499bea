// GoneDevices: tells ZFS that a disk's device is gone. The kernel itself notices only at its next
// write, which may be late on an idle pool; after `fmd-zfs-vdev remove` (as ZED does it) it checks
// at once and marks the vdev REMOVED. Also triggers a look at the pools when devices come or go, so
// that a returned or new disk need not wait for the next poll. Source: udev, verified in sysfs.
// Inactive on a host without udev. Single thread, on the loop.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"
#include "plugins/sdk/udev_monitor.h"
#include "plugins/zfs/pool_watch.h"

namespace fmd::zfs {

class GoneDevices {
 public:
  GoneDevices(sd_event* loop, sdk::Host& host, PoolWatch& watch);
  // Called by the monitor.
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  void look();
  void tell(const Pool& pool, const Vdev& vdev);

  sdk::Host& host_;
  PoolWatch& watch_;
  sdk::Timer soon_;
  std::set<std::string> removed_;  // names of block devices, since the last look
  std::unique_ptr<sdk::UdevMonitor> udev_;
};

}  // namespace fmd::zfs
