// LatencyWatch: asks each pool now and then how long its vdevs' I/O took in the half minute since (one zpool iostat at a time, and
// none for a pool that gives no answer), and tells it as readings. Single thread, on the loop.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"
#include "plugins/zfs/latency.h"
#include "plugins/zfs/pool_watch.h"

namespace fmd::zfs {

class LatencyWatch {
 public:
  using Send = std::function<void(nlohmann::json readings)>;
  LatencyWatch(sd_event* loop, sdk::Host& host, const PoolWatch& pools, Send send);
  void start();  // nothing when it runs, or is not wished

 private:
  void round();
  void next();
  void took(uint64_t pool, const std::string& text);
  nlohmann::json readings(const Pool& pool) const;

  sdk::Host& host_;
  const PoolWatch& pools_;
  Send send_;
  sdk::Timer timer_;
  bool started_ = false;
  bool stuck_ = false;  // a zpool that ran out of time is still there
  std::deque<uint64_t> due_;
  std::map<uint64_t, LatencyWindow> windows_;  // by pool
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
