#include "plugins/zfs/latency_watch.h"

#include <fmt/format.h>

#include <cmath>

#include "fmd/base/json.h"
#include "plugins/zfs/event_convert.h"

namespace fmd::zfs {
namespace {

using nlohmann::json;

double rounded(double value) {
  return std::round(value * 100) / 100;
}

}  // namespace

LatencyWatch::LatencyWatch(sd_event* loop, sdk::Host& host, const PoolWatch& pools, Send send)
    : host_(host), pools_(pools), send_(std::move(send)), timer_(loop) {}

void LatencyWatch::start() {
  if (!pools_.options().latency || std::exchange(started_, true)) return;
  timer_.start(pools_.options().latency_every, [this] { round(); });
}

void LatencyWatch::round() {
  timer_.start(pools_.options().latency_every, [this] { round(); });
  if (stuck_ || !due_.empty()) return;  // the previous round is still running
  std::erase_if(windows_, [this](const auto& window) { return !pools_.find_pool(window.first); });
  for (const Pool& pool : pools_.pools()) due_.push_back(pool.guid);
  next();
}

void LatencyWatch::next() {
  while (!due_.empty()) {
    const Pool* pool = pools_.find_pool(due_.front());
    if (pool && !pool->suspended() && pools_.not_observed(pool->guid).empty()) break;
    due_.pop_front();
  }
  if (due_.empty()) return;
  // Each pool gets an equal share of half of the interval.
  const auto share =
      pools_.options().latency_every / 2 / std::max<size_t>(1, pools_.pools().size());
  const auto seconds =
      std::max<int64_t>(1, std::chrono::duration_cast<std::chrono::seconds>(share).count());
  auto alive = std::weak_ptr<bool>(alive_);
  auto done = [this, alive, seconds](const sdk::CommandOutput& output) {
    if (alive.expired()) return;
    stuck_ = output.end == sdk::CommandOutput::End::deadline;
    const uint64_t pool = due_.front();
    due_.pop_front();
    if (output.ok()) windows_[pool].add(parse_iostat(output.out, static_cast<double>(seconds)));
    if (const Pool* seen = pools_.find_pool(pool); seen && output.ok()) send_(readings(*seen));
    stuck_ ? due_.clear() : next();
  };
  auto gone = [this, alive] {
    if (!alive.expired()) stuck_ = false;
  };
  host_.run({"zpool", "iostat", "-v", "-l", "-g", "-H", "-p", "-y",
             pools_.find_pool(due_.front())->name, std::to_string(seconds), "1"},
            std::chrono::seconds(seconds) + pools_.options().zpool_deadline, std::move(done),
            std::move(gone));
}

json LatencyWatch::readings(const Pool& pool) const {
  json list = json::array();
  const int64_t now_ns = wall_clock_ns();
  for (const auto& [guid, its] : windows_.at(pool.guid).judge(pool))
    for (const auto& [name, value, unit] : {std::tuple{"read_latency_ms", its.read_ms, "ms"},
                                            {"write_latency_ms", its.write_ms, "ms"},
                                            {"read_slowness", its.read_slowness, "iqr"},
                                            {"write_slowness", its.write_slowness, "iqr"},
                                            {"read_siblings_ms", its.read_siblings_ms, "ms"},
                                            {"write_siblings_ms", its.write_siblings_ms, "ms"}})
      list.push_back({{"resource", vdev_fmri(pool.guid, guid)},
                      {"name", name},
                      {"value", rounded(value)},
                      {"unit", unit},
                      {"time", now_ns}});
  return list;
}

}  // namespace fmd::zfs
