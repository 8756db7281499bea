// GoneDevices: tells ZFS of a disk whose device is no more. The kernel finds out by itself at its next
// write, which on an idle pool may be long after; asked to (`fmd-zfs-vdev remove`, as ZED does it), it
// looks now and calls the vdev REMOVED. And has the pools looked at when devices come and go: a disk that
// is back, or a new one in its place, is not to wait for the next poll.
// Source: udev, with sysfs as the word that counts. Not on a host without udev. Single thread, on the loop.
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
  // What the monitor calls.
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
