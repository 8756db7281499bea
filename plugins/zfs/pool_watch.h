// PoolWatch: keeps the core's picture of the pools true. Looks (when told, when events come, and
// regularly), joins what is seen with what is remembered, and sends the differences. Single thread,
// on the loop.
//
//   ok         inventory sent; status ok (with a word on ZED when it runs)
//   no_tool, not_loaded    all pools gone "removed"; status not-observed; again each minute
//   no_answer, failed      the last known stays; status degraded; again at the next poll
// The same for a single pool that gives no answer, while the others go on.
//
// sdk::Watcher says when. A look that the clock brings is thorough on an idle machine; one after an event
// is as thorough as its events need. A new connection gets what is known, and needs no look.
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
    // A vdev is as others than fmd have made it: find the record of it.
    std::function<void(uint64_t pool, uint64_t vdev, int64_t since_ns)> record;
    // Counters of ONLINE vdevs went to 0: ask who did it.
    std::function<void(const std::vector<Cleared>&)> cleared;
    // A command of fmd's may have taken effect late: ask who did it.
    std::function<void(const std::vector<LateEffect>&)> late;
    // An event waits until it is known who caused it: what it has changed is not told before it, or the core would take it
    // for the disk's own doing, and undo what a person has just done. release() when it is over.
    std::function<bool()> held;
  };

  PoolWatch(sd_event* loop, sdk::Host& host, Options options, Memory memory, Sinks sinks);
  ~PoolWatch();

  void release();
  void connected();  // the core knows nothing: a complete inventory, when one is known
  // A look begun after this call; what it shows is sent before done() is called, unless it is held
  // back.
  using Done = std::function<void(const Look&)>;
  void refresh(bool thorough, Done done);
  // Less than a second ago, and no event since then says that anything has changed.
  bool just_looked() const;
  void seen(const ZpoolEvent& event, bool fresh);  // of the event stream
  void event_trouble(const std::string& why);      // "" none

  const std::vector<Pool>& pools() const { return pools_; }  // as last seen
  const Pool* find_pool(uint64_t guid) const;
  // What the pool's history has of the vdev's state; "" nobody.
  void recorded(uint64_t vdev, const std::string& record);
  const Options& options() const { return options_; }
  Memory& memory() { return memory_; }
  void save();  // after a change of memory()
  const DiskFinder& disks() const { return disks_; }
  // `zpool set path=`: by its having properties of vdevs at all.
  bool takes_names() const { return !observer_.properties().empty(); }
  std::string disk_of(const Vdev& vdev) { return disks_.disk_of(vdev, memory_.disks); }
  // Name of the block device that it was on when it was last seen in use: "sde"; "" not known.
  const std::string& device_of(uint64_t vdev) const;
  bool misses_a_disk() const;  // a vdev is REMOVED or UNAVAIL
  void devices_changed();      // block devices have come or gone
  bool zed() const { return zed_; }
  // Why the pool was not seen at the last look; "" it was.
  std::string not_observed(uint64_t pool) const;
  // Why nothing may be changed; "" it may.
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
  std::vector<Pool> pools_;                    // as seen last, though not all just now
  std::map<std::string, std::string> unseen_;  // name → why it was not seen just now
  std::set<uint64_t> unknown_;                 // of these, those never seen in this run
  std::map<std::string, nlohmann::json> sent_;
  std::optional<std::map<std::string, nlohmann::json>> held_back_;
  std::set<std::string> gone_sent_;
  std::map<uint64_t, std::string> last_scan_;  // pool → text of the last finished one
  std::set<uint64_t> destroyed_;
  PairErrors pair_errors_;
  struct Made {          // by others than fmd
    std::string state;   // state_value()
    std::string record;  // in the pool's history
    int64_t since_ns = 0, first_seen_ns = 0;
    bool asked = false;
  };
  std::map<uint64_t, Made> made_;            // vdev
  std::map<uint64_t, std::string> devices_;  // vdev → block device
  std::string event_trouble_;
  int64_t previous_ns_ = 0;
  int64_t looked_ns_ = 0;                      // when the last look ended; 0 when it is out of date
  int64_t news_ns_ = 0;                        // when an event last said that something has changed
  int64_t thorough_ns_ = 0;                    // when the last thorough look was
  std::chrono::steady_clock::time_point due_;  // when the clock alone brings the next look
  bool thorough_wanted_ = false, looked_ = false, zed_ = false, complete_owed_ = true;
};

}  // namespace fmd::zfs
