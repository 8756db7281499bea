// VolumesPlugin: reports storage made of several disks without ZFS. Scans on udev events,
// periodically, often during a rebuild, and on request. The inventory is sent as differences;
// changes become events for the log, but rules use the inventory. Single thread.
//
//   watcher_ ──▶ look(): a child ──▶ scanned() ──▶ dmsetup status, if there are maps
//                                                     │
//                answers ◀── memory, events, publish() ◀── take_in()
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/flight.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/udev_monitor.h"
#include "plugins/sdk/watcher.h"
#include "plugins/volumes/btrfs.h"
#include "plugins/volumes/dm_model.h"
#include "plugins/volumes/hardware_raid.h"
#include "plugins/volumes/md_commands.h"
#include "plugins/volumes/needs.h"
#include "plugins/volumes/options.h"
#include "plugins/volumes/volumes_memory.h"

namespace fmd::volumes {

// Whether udev reports every change: true for multipath paths, but not for md, LVM's raid and
// btrfs, which fail members without an event (md_error() in drivers/md/md.c notifies sysfs only).
bool udev_tells_all(const MdScan& md, const std::vector<DmMap>& dm,
                    const std::vector<BtrfsFileSystem>& btrfs,
                    const std::vector<RaidVolume>& hardware);

class VolumesPlugin {
 public:
  VolumesPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  // Handles a udev event; public for tests.
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  void look(bool asked);
  struct Look {
    MdScan md;
    std::vector<DmMap> dm;
    std::vector<BtrfsFileSystem> btrfs;
    std::vector<RaidVolume> hardware;
    Needs needs;
  };
  // anew: identifies the devices below maps again.
  static nlohmann::json look_at(const sdk::Host& host, const Look& before, bool anew);
  void scanned(const sdk::CommandOutput& output, bool same);
  // look: empty if the scan found no changes.
  void ask_dmsetup(std::optional<Look> look);
  void told(std::optional<Look> look, const std::optional<std::string>& dmsetup,
            const std::string& trouble);
  void looked(const std::string& trouble);
  void take_in(Look look);
  void publish(bool complete);
  void answer(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);
  void tell_status(const std::string& trouble);

  sdk::Host& host_;
  Options options_;
  VolumesMemory memory_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  std::shared_ptr<sdk::Flight> scan_;
  sdk::Watcher watcher_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  MdCommands md_commands_;
  FlushedMaps flushed_;
  Look now_;
  MdScan before_;
  std::vector<DmMap> before_dm_;        // of the look before
  std::optional<DmStatus> dm_told_;     // dmsetup's, of this look
  std::optional<std::string> dm_text_;  // as it was told
  std::string dm_trouble_;
  bool looked_ = false;
  bool acted_ = false;  // a command has ended since, which may have changed memory_
};

}  // namespace fmd::volumes
