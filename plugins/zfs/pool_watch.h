// PoolWatch: keeps fmd's inventory of the pools up to date. Looks on request, after events and
// regularly, combines the result with Memory, and sends the differences. Single thread, on the
// loop.
//
//   ok                     inventory sent; status ok (mentions ZED if it runs)
//   no_tool, not_loaded    all pools gone "removed"; status not-observed; retry each minute
//   no_answer, failed      the last known state stays; status degraded; retry at the next poll
// The same applies to a single pool that does not respond, while the others continue.
//
// sdk::Watcher decides when. A periodic look on an idle machine is thorough; a look after an event
// is as thorough as the event needs. A new connection gets the known state without a look.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/sdk/watcher.h"
#include "plugins/zfs/cleared.h"
#include "plugins/zfs/deeds.h"
#include "plugins/zfs/disk_finder.h"
#include "plugins/zfs/export_check.h"
#include "plugins/zfs/memory.h"
#include "plugins/zfs/observer.h"
#include "plugins/zfs/options.h"
#include "plugins/zfs/pair_errors.h"
#include "plugins/zfs/zpool_events.h"

namespace fmd::zfs {

class PoolWatch {
 public:
  struct Sinks {
    std::function<void(nlohmann::json resources, nlohmann::json gone, bool complete)> inventory;
    std::function<void(std::string_view state, std::string_view reason)> status;
    // A vdev has a state that fmd did not cause: find its record in the history.
    std::function<void(uint64_t pool, uint64_t vdev, int64_t since_ns)> record;
    // Counters of ONLINE vdevs went to 0: find out who cleared them.
    std::function<void(const std::vector<Cleared>&)> cleared;
    // A command of fmd may have taken effect late: find out whether it did.
    std::function<void(const std::vector<LateEffect>&)> late;
    // An event waits for its cause, so its changes are held back: fmd would otherwise take them for
    // the disk's own, and undo what an administrator has just done. release() ends this.
    std::function<bool()> held;
  };

  PoolWatch(sd_event* loop, sdk::Host& host, Options options, Memory memory, Sinks sinks);
  ~PoolWatch();

  void release();
  void connected();  // fmd knows nothing: send a complete inventory, if known
  // Runs a look that begins after this call; its changes are sent before done() is called, unless
  // they are held back.
  using Done = std::function<void(const Look&)>;
  void refresh(bool thorough, Done done);
  // The last look ended less than a second ago, and no event since then reports a change.
  bool just_looked() const;
  void seen(const ZpoolEvent& event, bool fresh);  // from the event stream
  void event_trouble(const std::string& why);      // "": over

  const std::vector<Pool>& pools() const { return pools_; }  // last known state
  const Pool* find_pool(uint64_t guid) const;
  // The history's record of the vdev's state; "" none.
  void recorded(uint64_t vdev, const std::string& record);
  const Options& options() const { return options_; }
  Memory& memory() { return memory_; }
  void save();  // after a change of memory()
  const DiskFinder& disks() const { return disks_; }
  // Whether `zpool set path=` works: if there are vdev properties at all.
  bool takes_names() const { return !observer_.properties().empty(); }
  std::string disk_of(const Vdev& vdev) { return disks_.disk_of(vdev, memory_.disks); }
  bool is_mapped(const Vdev& vdev) {
    return disks_.is_mapped(vdev, memory_.mapped, memory_.disks.contains(vdev.guid));
  }
  // Kernel name of its last block device in use: "sde"; "" unknown.
  const std::string& device_of(uint64_t vdev) const;
  bool misses_a_disk() const;  // a vdev is REMOVED or UNAVAIL
  void devices_changed();      // block devices came or went
  bool zed() const { return zed_; }
  // Why the last look did not see the pool; "" it did.
  std::string not_observed(uint64_t pool) const;
  // Why pools must not be changed; "" they may.
  std::string acting_refusal() const;

 private:
  void soon(std::chrono::milliseconds in, bool thorough);
  void forget_disks();
  void look();
  void took();
  void publish();
  void send_changes(std::map<std::string, nlohmann::json> now);
  void tell_status();
  bool busy() const;
  std::vector<Pool> with_unseen();
  void note_devices();
  void find_records(int64_t now_ns);
  nlohmann::json plugin_resource() const;

  sdk::Host& host_;
  Options options_;
  Memory memory_, saved_;
  Sinks sinks_;
  DiskFinder disks_;
  Observer observer_;
  ExportCheck exports_;
  sdk::Watcher watcher_;
  Look last_;                                  // the last look
  std::vector<Pool> pools_;                    // last known state, some from earlier looks
  std::map<std::string, std::string> unseen_;  // name → why the last look did not see it
  std::set<uint64_t> unknown_;                 // those of them never seen in this run
  std::string import_;                         // process id of the `zpool import` they may wait for
  std::map<std::string, nlohmann::json> sent_;
  std::optional<std::map<std::string, nlohmann::json>> held_back_;
  std::set<std::string> gone_sent_;
  std::map<uint64_t, std::string> last_scan_;  // by pool: text of the last finished scan
  std::set<uint64_t> destroyed_;
  PairErrors pair_errors_;
  struct Made {          // a state that fmd did not cause
    std::string state;   // state_value()
    std::string record;  // in the pool's history
    int64_t since_ns = 0, first_seen_ns = 0;
    bool asked = false;
  };
  std::map<uint64_t, Made> made_;            // vdev
  std::map<uint64_t, std::string> devices_;  // vdev → block device
  std::string event_trouble_;
  int64_t previous_ns_ = 0;
  int64_t looked_ns_ = 0;                      // end of the last look; 0 if it is out of date
  int64_t news_ns_ = 0;                        // when an event last reported a change
  int64_t thorough_ns_ = 0;                    // time of the last thorough look
  std::chrono::steady_clock::time_point due_;  // time of the next periodic look
  bool thorough_wanted_ = false, looked_ = false, zed_ = false, complete_owed_ = true;
};

}  // namespace fmd::zfs
