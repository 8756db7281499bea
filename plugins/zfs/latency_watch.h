// LatencyWatch: regularly measures each pool's vdev I/O times over half a minute (one zpool iostat
// at a time, none for a hung pool) and reports them as readings. Single thread, on the loop.
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
  void start();  // no effect if it is running or disabled

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
  bool stuck_ = false;  // a zpool that timed out is still running
  std::deque<uint64_t> due_;
  std::map<uint64_t, LatencyWindow> windows_;  // by pool
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
