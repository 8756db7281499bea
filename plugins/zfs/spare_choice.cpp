#include "plugins/zfs/spare_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "fmd/base/text.h"
#include "plugins/zfs/vdev_words.h"

namespace fmd::zfs {
namespace {

// "draid2:4d:8c:1s-0" has the spares "draid2-0-1": compare the 0.
bool spare_of_draid(const Vdev& top, const Vdev& spare) {
  const size_t first = spare.name.find('-'), last = spare.name.rfind('-');
  return top.type == "draid" && first != last &&
         top.name.substr(top.name.rfind('-') + 1) == spare.name.substr(first + 1, last - first - 1);
}

bool serves(const Pool& pool, int index, const Vdev& spare) {
  return spare.state == "AVAIL" &&
         (spare.type != "dspare" || spare_of_draid(at(pool, pool.top_of(index)), spare));
}

}  // namespace

// As the kernel decides in spa_vdev_attach(): no spare for a log; in a pair with a spare, only a
// spare may be replaced by a spare. (The kernel allows that; fmd leaves such triples to people.)
std::string spare_refusal(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  const std::string name = vdev_words(pool, vdev);
  if (!vdev.leaf()) return fmt::format("{} is no disk: a spare stands in for one", name);
  if (vdev.role == "cache" || vdev.role == "log")
    return fmt::format("{} is a {} device, which cannot have a spare", name, vdev.role);
  if (const int pair = pool.pair_of(index, "spare"); pair >= 0) {
    if (vdev.role == "spare")
      return fmt::format("{} is itself a spare that stands in for another disk", name);
    const Vdev& last = at(pool, at(pool, pair).children.back());
    return fmt::format("{} has the spare {} already, which is {}: 'zpool detach {} {}' makes room",
                       name, vdev_words(pool, last), last.state, display(pool.name),
                       display(last.name));
  }
  if (const int pair = pool.pair_of(index, "replacing");
      pair >= 0 && at(pool, pair).children.back() != index)
    return fmt::format("{} is being replaced", name);
  return "";
}

int spares_available(const Pool& pool, int index) {
  if (!spare_refusal(pool, index).empty()) return 0;
  return static_cast<int>(
      std::count_if(pool.spares.begin(), pool.spares.end(),
                    [&](const Vdev& spare) { return serves(pool, index, spare); }));
}

Result<std::vector<Vdev>> choose_spares(const Pool& pool, int index,
                                        const std::function<DeviceFacts(const Vdev&)>& facts,
                                        SpareOrder order) {
  const DeviceFacts old = facts(at(pool, index));
  using Rank = std::tuple<bool, bool, uint64_t>;  // less is better
  const bool disks_first = order == SpareOrder::disks_first;
  std::vector<std::pair<Rank, Vdev>> ranked;
  int available = 0;
  for (const Vdev& spare : pool.spares) {
    if (!serves(pool, index, spare)) continue;
    ++available;
    if (spare.type == "dspare") {
      ranked.push_back({Rank{disks_first, false, 0}, spare});
      continue;
    }
    const DeviceFacts its = facts(spare);
    if (old.size_bytes && its.size_bytes && its.size_bytes < old.size_bytes) continue;
    const bool other_kind = old.rotational && its.rotational && *old.rotational != *its.rotational;
    ranked.push_back(
        {Rank{!disks_first, other_kind, its.size_bytes ? its.size_bytes : UINT64_MAX}, spare});
  }
  if (available == 0)
    return fail(
        fmt::format("no spare of pool '{}' is available; 'zpool add POOL spare DISK' adds one",
                    display(pool.name)));
  if (ranked.empty())
    return fail(fmt::format("no available spare of pool '{}' is big enough", display(pool.name)));
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Vdev> result;
  for (auto& entry : ranked) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace fmd::zfs
