// DiskPlugin: reports the machine's disks to fmd. Scans after udev events, at intervals, and on
// request (refresh). Changes are sysevent.disk.added and .removed events; only inventory changes
// are sent, so a quiet machine sends nothing. Single thread.
//
// KernelErrors reports the kernel's errors of failing disks.
//
//   watcher_ ──▶ look(): a child ──▶ scanned() ──▶ known_ ──▶ publish() changes
//                                        │ new, or changed       ▲
//                                        └──▶ ContentProbe ──────┘
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/disk/disk_scan.h"
#include "plugins/disk/kernel_errors.h"
#include "plugins/hardware/content_probe.h"
#include "plugins/sdk/flight.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/udev_monitor.h"
#include "plugins/sdk/watcher.h"

namespace fmd::disk {

struct Options {
  std::chrono::milliseconds rescan{30000};
  std::chrono::milliseconds probe_deadline{10000};
  std::chrono::milliseconds scan_deadline{60000};
  decltype(&scan_devices) scan = scan_devices;  // a test's scan may hang
  hardware::ContentProbe::Read read = hardware::sample_disk;
  std::chrono::milliseconds episode{1000};  // errors within this time are one failure
};

class DiskPlugin {
 public:
  DiskPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  // Handles a udev event; public for tests.
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  struct Known {
    Disk disk;
    hardware::Content content;
  };
  void look(bool asked);
  void scanned(const sdk::CommandOutput& output, bool same);
  void look_over(DeviceScan scan);
  void take_in(const std::map<std::string, Disk>& disks);
  void appear(const std::string& fmri, const Disk& disk);
  void update(const std::string& fmri, Known& known, const Disk& disk);
  void disappear(const std::string& fmri);
  void probe(const std::string& fmri, std::function<void()> then = {});
  void publish(bool complete);
  void add_ways(std::map<std::string, nlohmann::json>& resources) const;
  void compare_ways(const Ways& now);
  bool is_told(const Way& way) const;
  void begin_listening();
  void tell(std::string_view event_class, const std::string& fmri, const Disk& disk);
  void tell_status();
  void answer(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);

  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  std::shared_ptr<sdk::Flight> scan_;
  hardware::ContentProbe content_;
  sdk::Watcher watcher_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  std::map<std::string, Known> known_;
  // Devices with udev change events: before the current look, and since it began.
  std::set<std::string> touched_, touched_next_;
  std::vector<sdk::OutEvent> news_;        // events of the current look
  DeviceScan before_;                      // result of the last successful look
  std::string trouble_;                    // of the last look, "" if it succeeded
  std::map<std::string, size_t> ways_to_;  // by disk FMRI: number of paths
  KernelErrors errors_;
  std::optional<std::string> cursor_;  // fmd's position in the kernel's log; nullopt until received
  bool looked_ = false;
};

}  // namespace fmd::disk
