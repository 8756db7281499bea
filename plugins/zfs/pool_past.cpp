#include "plugins/zfs/pool_past.h"

#include <algorithm>
#include <cmath>

#include "plugins/zfs/redundancy.h"

namespace fmd::zfs {
namespace {

bool is_there(const std::vector<Pool>& pools, uint64_t guid) {
  return std::any_of(pools.begin(), pools.end(), [&](const Pool& p) { return p.guid == guid; });
}

uint64_t worst_below(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  uint64_t worst = vdev.leaf() ? vdev.checksum_errors : 0;
  for (const int child : vdev.children) worst = std::max(worst, worst_below(pool, child));
  return worst;
}

}  // namespace

void note_pools(const std::vector<Pool>& pools, Memory& memory, std::string_view boot,
                int64_t now_ns, const std::set<uint64_t>& unseen) {
  for (const Pool& pool : pools) {
    Memory::PoolPast& past = memory.pools[pool.guid];
    past.name = pool.name;
    past.boot = boot;
    if (past.first_seen_ns == 0) past.first_seen_ns = now_ns;
    const Scan& scan = pool.scan;
    // Never scanned: count from the pool's creation.
    if (scan.state == Scan::State::none && past.scrub_ended_ns == 0 && pool.created_ns > 0)
      past.first_seen_ns = std::min(past.first_seen_ns, pool.created_ns);
    if (scan.kind != Scan::Kind::scrub || scan.state != Scan::State::finished) continue;
    if (scan.ended_ns <= past.scrub_ended_ns) continue;
    past.scrub_ended_ns = scan.ended_ns;
    past.scrub_repaired = scan.repaired;
  }
  // It vanished within one boot: it was exported, although the event was missed.
  for (auto& [guid, past] : memory.pools)
    if (past.boot == boot && !is_there(pools, guid) && !unseen.contains(guid)) past.boot.clear();
}

void note_exported(Memory& memory, uint64_t pool) {
  if (const auto past = memory.pools.find(pool); past != memory.pools.end())
    past->second.boot.clear();
}

std::vector<uint64_t> missing_pools(const std::vector<Pool>& pools, const Memory& memory,
                                    std::string_view boot) {
  std::vector<uint64_t> missing;
  for (const auto& [guid, past] : memory.pools)
    if (!past.boot.empty() && past.boot != boot && !is_there(pools, guid)) missing.push_back(guid);
  return missing;
}

std::set<uint64_t> leaves_of(const Memory& memory, uint64_t pool) {
  std::set<uint64_t> leaves;
  for (const auto& [guid, place] : memory.places)
    if (place.pool == pool && place.leaf && !place.slot.empty()) leaves.insert(guid);
  return leaves;
}

// The common part is taken from the lower quartile: the minimum may be a disk that was added later.
// Not every block is on all disks, so counts vary by chance: up to three standard deviations
// (Poisson) above it are common, too.
uint64_t own_checksum_errors(const Pool& pool, int index) {
  const uint64_t all = at(pool, index).checksum_errors;
  const Vdev& whole = at(pool, pool.top_of(index));
  if (parity_of(whole) == 0) return all;
  std::vector<uint64_t> counts;
  for (const int child : whole.children)
    if (const uint64_t count = worst_below(pool, child); count > 0 || at(pool, child).usable())
      counts.push_back(count);
  if (counts.size() < 3) return all;
  std::sort(counts.begin(), counts.end());
  const auto low = static_cast<double>(counts[counts.size() / 4]);
  const double limit = low + 3 * std::sqrt(low);
  uint64_t common = 0;
  for (const uint64_t count : counts)
    if (static_cast<double>(count) <= limit) common = count;
  return all > common ? all - common : 0;
}

}  // namespace fmd::zfs
