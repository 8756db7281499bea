// PoolWatch: keeps the core's picture of the pools true. Looks (when told, when events come, and
// regularly), joins what is seen with what is remembered, and sends the differences. Single thread,
// on the loop.
//
//   ok         inventory sent; status ok (with a word on ZED when it runs)
//   no_tool, not_loaded    all pools gone "removed"; status not-observed; again each minute
//   no_answer, failed      the last known stays; status degraded; again at the next poll
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
#include "plugins/sdk/timer.h"
#include "plugins/zfs/deeds.h"
#include "plugins/zfs/disk_finder.h"
#include "plugins/zfs/memory.h"
#include "plugins/zfs/observer.h"
#include "plugins/zfs/options.h"
#include "plugins/zfs/zpool_events.h"

namespace fmd::zfs {

class PoolWatch {
 public:
  struct Sinks {
    std::function<void(nlohmann::json resources, nlohmann::json gone, bool complete)> inventory;
    std::function<void(std::string_view state, std::string_view reason)> status;
    // A command of fmd's may have taken effect late: ask who did it.
    std::function<void(const std::vector<LateEffect>&)> late;
  };

  PoolWatch(sd_event* loop, sdk::Host& host, Options options, Memory memory, Sinks sinks);
  ~PoolWatch();

  void connected();  // the core knows nothing: a complete inventory, when one is known
  // A fresh look at once; what it shows is sent before done() is called.
  void refresh(bool thorough, Observer::Done done);
  // Less than a second ago, and no event since then says that anything has changed.
  bool just_looked() const;
  void seen(const ZpoolEvent& event, bool fresh);  // of the event stream
  void event_trouble(const std::string& why);      // "" none

  const std::vector<Pool>& pools() const { return pools_; }  // as last seen
  const Pool* find_pool(uint64_t guid) const;
  Memory& memory() { return memory_; }
  void save();  // after a change of memory()
  const DiskFinder& disks() const { return disks_; }
  std::string disk_of(const Vdev& vdev) { return disks_.disk_of(vdev, memory_.disks); }
  bool zed() const { return zed_; }
  // Why nothing may be changed; "" it may.
  std::string acting_refusal() const;

 private:
  void soon(std::chrono::milliseconds in, bool thorough);
  void forget_disks();
  void look_again();
  void took(const Look& look);
  void publish(const Look& look);
  void send_changes(std::map<std::string, nlohmann::json> now);
  void tell_status();
  bool busy() const;
  nlohmann::json plugin_resource() const;

  sdk::Host& host_;
  Options options_;
  Memory memory_, saved_;
  Sinks sinks_;
  DiskFinder disks_;
  Observer observer_;
  sdk::Timer poll_, soon_;
  std::vector<Pool> pools_;
  std::map<std::string, nlohmann::json> sent_;
  std::set<std::string> gone_sent_;
  std::map<uint64_t, std::string> last_scan_;  // pool → text of the last finished one
  std::set<uint64_t> destroyed_;
  Look::Kind kind_ = Look::Kind::ok;
  std::string reason_, event_trouble_;
  int64_t previous_ns_ = 0;
  int64_t looked_ns_ = 0;    // when the last look ended; 0 when it is out of date
  int64_t thorough_ns_ = 0;  // when the last thorough look was
  std::chrono::milliseconds soon_in_{0};
  bool soon_thorough_ = false, looked_ = false, zed_ = false, complete_owed_ = true;
};

}  // namespace fmd::zfs
