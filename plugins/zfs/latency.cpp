#include "plugins/zfs/latency.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fmd::zfs {
namespace {

constexpr size_t kPeriods = 10;
constexpr double kEnough = 100;     // I/Os; fewer give no reliable average
constexpr size_t kLeastOthers = 4;  // LAT_CHILDREN_MIN in vdev_raidz.c: 5 with itself
// Differences below this are harmless, however similar the siblings are.
constexpr double kLeastIqrMs = 1;

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
      value < 0)
    return {};
  return value;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find('\t', at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return cells;
}

// "-": no value.
Waits waits_of(std::string_view per_second, std::string_view ns, double seconds) {
  const auto rate = number(per_second), wait = number(ns);
  if (!rate || !wait) return {};
  return {*rate * seconds, *wait / 1e6};
}

void add_to(Waits& sum, const Waits& more) {
  const double all = sum.operations + more.operations;
  if (all <= 0) return;
  sum.milliseconds =
      (sum.milliseconds * sum.operations + more.milliseconds * more.operations) / all;
  sum.operations = all;
}

bool comparable(const Vdev& vdev) {
  return vdev.leaf() && vdev.online() && vdev.full && vdev.role != "cache" &&
         (vdev.type == "disk" || vdev.type == "file");
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct Compared {
  double ms = 0, slowness = 0, siblings_ms = 0;
};

std::map<uint64_t, Compared> compare(const std::vector<uint64_t>& group,
                                     const std::map<uint64_t, Waits>& waits) {
  std::vector<std::pair<uint64_t, double>> known;
  for (const uint64_t guid : group)
    if (const auto its = waits.find(guid); its != waits.end() && its->second.operations >= kEnough)
      known.emplace_back(guid, its->second.milliseconds);
  std::map<uint64_t, Compared> compared;
  for (size_t i = 0; i < known.size(); ++i) {
    std::vector<double> others;
    for (size_t j = 0; j < known.size(); ++j)
      if (j != i) others.push_back(known[j].second);
    Compared& its = compared[known[i].first];
    its.ms = known[i].second;
    if (const auto far = slowness(its.ms, others)) {
      its.slowness = *far;
      its.siblings_ms = median(others);
    }
  }
  return compared;
}

}  // namespace

std::map<uint64_t, PeriodWaits> parse_iostat(std::string_view text, double seconds) {
  // name alloc free | operations r w | bandwidth r w | total_wait r w | disk_wait r w | ...
  constexpr size_t kReads = 3, kWrites = 4, kReadWait = 9, kWriteWait = 10;
  std::map<uint64_t, PeriodWaits> periods;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto cells = cells_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (cells.size() <= kWriteWait) continue;
    uint64_t guid = 0;
    const auto [stop, error] =
        std::from_chars(cells[0].data(), cells[0].data() + cells[0].size(), guid);
    if (error != std::errc() || stop != cells[0].data() + cells[0].size() || guid == 0) continue;
    periods[guid] = {waits_of(cells[kReads], cells[kReadWait], seconds),
                     waits_of(cells[kWrites], cells[kWriteWait], seconds)};
  }
  return periods;
}

std::optional<double> slowness(double mine, std::vector<double> others) {
  const size_t n = others.size();
  if (n < kLeastOthers) return {};
  std::sort(others.begin(), others.end());
  const double q1 = others[(n - 1) / 4], q3 = others[(3 * (n - 1) + 3) / 4];
  const double iqr = std::max({q3 - q1, q1 / 4, kLeastIqrMs});
  return std::max(0.0, (mine - q3) / iqr);
}

std::vector<std::vector<uint64_t>> sibling_groups(const Pool& pool) {
  std::map<int, std::vector<uint64_t>> by_top;
  for (size_t i = 1; i < pool.vdevs.size(); ++i)
    if (comparable(pool.vdevs[i]))
      by_top[pool.top_of(static_cast<int>(i))].push_back(pool.vdevs[i].guid);
  std::vector<std::vector<uint64_t>> groups;
  std::map<std::string, std::vector<uint64_t>> small;
  for (auto& [top, leaves] : by_top) {
    const Vdev& whole = at(pool, top);
    const bool alone = whole.type != "raidz" && whole.type != "draid";
    if (!alone) {
      groups.push_back(std::move(leaves));
      continue;
    }
    auto& together = small[whole.role + "/" + whole.type];
    together.insert(together.end(), leaves.begin(), leaves.end());
  }
  for (auto& [kind, leaves] : small) groups.push_back(std::move(leaves));
  return groups;
}

void LatencyWindow::add(std::map<uint64_t, PeriodWaits> period) {
  periods_.push_back(std::move(period));
  if (periods_.size() > kPeriods) periods_.pop_front();
}

std::map<uint64_t, LeafLatency> LatencyWindow::judge(const Pool& pool) const {
  std::map<uint64_t, Waits> reads, writes;
  for (const auto& period : periods_)
    for (const auto& [guid, waits] : period) {
      add_to(reads[guid], waits.reads);
      add_to(writes[guid], waits.writes);
    }
  std::map<uint64_t, LeafLatency> judged;
  for (const Vdev& vdev : pool.vdevs)  // resets leaves that are no longer compared
    if (vdev.leaf()) judged[vdev.guid];
  for (const auto& group : sibling_groups(pool)) {
    for (const auto& [guid, its] : compare(group, reads)) {
      judged[guid].read_ms = its.ms;
      judged[guid].read_slowness = its.slowness;
      judged[guid].read_siblings_ms = its.siblings_ms;
    }
    for (const auto& [guid, its] : compare(group, writes)) {
      judged[guid].write_ms = its.ms;
      judged[guid].write_slowness = its.slowness;
      judged[guid].write_siblings_ms = its.siblings_ms;
    }
  }
  return judged;
}

}  // namespace fmd::zfs
