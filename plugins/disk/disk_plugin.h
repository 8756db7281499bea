// DiskPlugin: the disks there are, to the core. Looks when udev says so, from time to time in any
// case, and when asked (refresh). What comes and goes are sysevent.disk.added and .removed; the
// inventory is diffed, so a quiet machine sends nothing. Single thread.
//
//   udev, timer, refresh ──▶ rescan() ──▶ known_ ──▶ publish(): what has changed
//                               │ new, or changed        ▲
//                               └──▶ ContentProbe ───────┘
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "plugins/disk/content_probe.h"
#include "plugins/disk/disk_scan.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/sdk/udev_monitor.h"

namespace fmd::disk {

struct Options {
  std::chrono::milliseconds rescan{30000};
  std::chrono::milliseconds probe_deadline{10000};
};

class DiskPlugin {
 public:
  DiskPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  // udev's news, also from a test.
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  struct Known {
    Disk disk;
    std::string content = "unknown";
  };
  void rescan();
  void appear(const std::string& fmri, const Disk& disk);
  void update(const std::string& fmri, Known& known, const Disk& disk);
  void disappear(const std::string& fmri);
  void probe(const std::string& fmri, std::function<void()> then = {});
  void publish(bool complete);
  void tell(std::string_view event_class, const std::string& fmri, const Disk& disk);
  void tell_status(const Result<DiskScan>& scan);
  void on_command(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);

  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  ContentProbe content_;
  sdk::Timer periodic_, soon_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  std::map<std::string, Known> known_;
  std::set<std::string> touched_;    // device names udev saw change since the last look
  std::vector<sdk::OutEvent> news_;  // of the look under way
  bool looked_ = false;
};

}  // namespace fmd::disk
