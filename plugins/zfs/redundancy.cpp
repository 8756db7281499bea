#include "plugins/zfs/redundancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/last_copy.h"
#include "plugins/zfs/spare_choice.h"
#include "plugins/zfs/vdev_words.h"

namespace fmd::zfs {
namespace {

// Whether the subtree, without one leaf, has a member with all data. One is enough for a pair, and
// for the rare mirror below a pair.
bool good_without(const Pool& pool, int index, int without) {
  const Vdev& vdev = at(pool, index);
  if (vdev.leaf()) return index != without && vdev.online() && vdev.full;
  return std::any_of(vdev.children.begin(), vdev.children.end(),
                     [&](int child) { return good_without(pool, child, without); });
}

bool has_degraded_leaf(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  if (vdev.leaf()) return vdev.state == "DEGRADED";
  return std::any_of(vdev.children.begin(), vdev.children.end(),
                     [&](int child) { return has_degraded_leaf(pool, child); });
}

// Whether the slot's disk has failed or is gone and has no spare. One taken offline needs none.
bool wants_spare(const Pool& pool, int slot) {
  const Vdev& vdev = at(pool, slot);
  return vdev.leaf() && !vdev.usable() && vdev.state != "OFFLINE" &&
         spare_refusal(pool, slot).empty();
}

bool is_filled(const Vdev& vdev) {
  return vdev.leaf() && vdev.usable() && !vdev.full;
}

// A spare (spare-N) or new disk (replacing-N) resilvers below a pair, not directly in the group.
bool fills_below(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  return is_filled(vdev) || std::any_of(vdev.children.begin(), vdev.children.end(),
                                        [&](int child) { return fills_below(pool, child); });
}

// A resilver runs, but zpool(8) does not mark its target: after a restart, or in earlier versions.
bool resilvers_unnamed(const Pool& pool) {
  return pool.scan.active() && pool.scan.kind == Scan::Kind::resilver &&
         std::none_of(pool.vdevs.begin(), pool.vdevs.end(), is_filled);
}

// Whether the subtree has a member with all data, though it may be DEGRADED.
bool holds_all(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  if (vdev.leaf()) return vdev.usable() && vdev.full;
  return std::any_of(vdev.children.begin(), vdev.children.end(),
                     [&](int child) { return holds_all(pool, child); });
}

int tolerance_of(const Vdev& top) {
  if (top.type == "mirror") return static_cast<int>(top.children.size()) - 1;
  return parity_of(top);
}

std::string stopped_words(const Pool& pool) {
  if (pool.by_multihost)
    return fmt::format("pool '{}' is suspended because another host may use it",
                       display(pool.name));
  return fmt::format("pool '{0}' is {1}: bring its disks back, then run 'zpool clear {0}'",
                     display(pool.name), pool.suspended() ? "suspended" : pool.health);
}

std::string bad_slots(int bad) {
  return bad == 1 ? "1 disk" : fmt::format("{} disks", bad);
}

}  // namespace

int parity_of(const Vdev& vdev) {
  const bool has_it = (vdev.type == "raidz" || vdev.type == "draid") && vdev.name.size() > 5;
  return has_it ? vdev.name[5] - '0' : 0;
}

Redundancy redundancy_of(const Pool& pool, int index) {
  Redundancy result;
  const int top = pool.top_of(index), slot = pool.slot_of(index);
  const Vdev& group = at(pool, top);
  result.covered = slot != index && good_without(pool, slot, index);
  int bad = 0;
  if (slot != top)
    for (const int child : group.children)
      if (child != slot && !good_without(pool, child, -1)) ++bad;
  const int tolerated = slot == top ? 0 : tolerance_of(group);
  result.losses_left = std::max(0, tolerated - bad);
  result.beyond_tolerance = bad > tolerated;
  const std::string where = display(pool.name);
  // A disk that has come back looks full until zpool(8) shows that something was written to it, which in
  // a large pool takes minutes.
  if (!result.covered && result.losses_left > 0 && resilvers_unnamed(pool)) {
    result.losses_left = 0;
    result.refusal = fmt::format(
        "{}a resilver of pool '{}' runs, and ZFS does not report yet which disks it fills",
        kLastCopy, where);
    return result;
  }
  if (result.covered || result.losses_left > 0) return result;
  if (group.role == "log" && !pool.stopped())
    return result;  // a running pool does not depend on it
  if (tolerated == 0)
    result.refusal = fmt::format("{}pool '{}' has no redundancy", kLastCopy, where);
  else
    result.refusal = fmt::format(
        "{}{} of pool '{}' already has {} out of service, degraded or not yet resilvered",
        kLastCopy, display(group.name), where, bad_slots(bad));
  return result;
}

int failures_left(const Pool& pool, int index) {
  const Redundancy left = redundancy_of(pool, index);
  return left.covered ? left.losses_left : std::max(0, left.losses_left - 1);
}

std::vector<uint64_t> readable_leaves(const Pool& pool, uint64_t pair) {
  const int top = pool.index_of(pair);
  if (top < 0 || !at(pool, top).pair()) return {};
  std::vector<uint64_t> found;
  std::vector<int> below = at(pool, top).children;
  while (!below.empty()) {
    const Vdev& vdev = at(pool, below.back());
    below.pop_back();
    below.insert(below.end(), vdev.children.begin(), vdev.children.end());
    if (vdev.leaf() && vdev.usable() && vdev.full) found.push_back(vdev.guid);
  }
  return found;
}

uint64_t read_leaf(const Pool& pool, uint64_t pair) {
  const auto leaves = readable_leaves(pool, pair);
  return leaves.size() == 1 ? leaves.front() : 0;
}

std::string replace_refusal(const Pool& pool, int index) {
  const std::string where = display(pool.name), name = vdev_words(pool, at(pool, index));
  if (pool.stopped()) return stopped_words(pool);
  const int top = pool.top_of(index), slot = pool.slot_of(index);
  const Vdev& group = at(pool, top);
  if (group.role == "log" || group.role == "cache") return "";
  if (!group.usable())
    return fmt::format(
        "{} of pool '{}' is {}: {} may hold the only copy of its data; bring it back",
        display(group.name), where, group.state, name);
  const Redundancy left = redundancy_of(pool, index);
  if (!at(pool, index).usable() || left.covered || left.losses_left > 0) return "";
  if (left.beyond_tolerance)
    return fmt::format(
        "more disks of {} of pool '{}' are degraded or out of service than it tolerates: find what "
        "they share",
        display(group.name), where);
  const bool others_resilver =
      resilvers_unnamed(pool) ||
      std::any_of(group.children.begin(), group.children.end(),
                  [&](int child) { return child != slot && fills_below(pool, child); });
  return others_resilver ? fmt::format("another disk of {} of pool '{}' is being resilvered",
                                       display(group.name), where)
                         : "";
}

std::string only_copy_refusal(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  const int top = pool.top_of(index), slot = pool.slot_of(index);
  const Vdev& group = at(pool, top);
  if (pool.stopped() || vdev.usable() || slot == top || group.role == "log" ||
      holds_all(pool, slot))
    return "";
  // ZFS has taken it out for its errors, and its successor is being filled.
  if (slot != index && vdev.state == "FAULTED") return "";
  const auto lacking = std::count_if(group.children.begin(), group.children.end(), [&](int child) {
    return child != slot && !holds_all(pool, child);
  });
  if (tolerance_of(group) == 0 || lacking < tolerance_of(group)) return "";
  return fmt::format(
      "{} of {} of pool '{}' {} not hold all data yet: {} may hold the only copy of some of it; "
      "bring it back",
      lacking == 1 ? std::string("another disk") : fmt::format("{} other disks", lacking),
      display(group.name), display(pool.name), lacking == 1 ? "does" : "do",
      vdev_words(pool, vdev));
}

std::string spare_hold(const Pool& pool, int index) {
  const int top = pool.top_of(index), slot = pool.slot_of(index);
  if (slot == top || !at(pool, index).usable()) return "";
  const Vdev& group = at(pool, top);
  const auto out = std::count_if(group.children.begin(), group.children.end(),
                                 [&](int child) { return wants_spare(pool, child); });
  if (out > 0 && spares_available(pool, index) <= out)
    return fmt::format("{} of {} of pool '{}' {} out of service and {} first",
                       out == 1 ? std::string("a disk") : fmt::format("{} disks", out),
                       display(group.name), display(pool.name), out == 1 ? "is" : "are",
                       out == 1 ? "gets a spare" : "get the spares");
  if (at(pool, index).state != "DEGRADED") return "";
  const auto marked = std::count_if(group.children.begin(), group.children.end(), [&](int child) {
    return !good_without(pool, child, -1) && has_degraded_leaf(pool, child);
  });
  if (marked < 2 || marked <= tolerance_of(group)) return "";
  return fmt::format(
      "{} disks of {} of pool '{}' are DEGRADED, more than it tolerates: find what they share",
      marked, display(group.name), display(pool.name));
}

std::string stuck_beside(const Pool& pool, int spare) {
  const bool resilvers = pool.scan.active() && pool.scan.kind == Scan::Kind::resilver;
  if (at(pool, spare).role != "spare" || pool.pair_of(spare, "spare") < 0 || resilvers) return "";
  std::vector<int> below{pool.slot_of(spare)};
  while (!below.empty()) {
    const Vdev& vdev = at(pool, below.back());
    below.pop_back();
    below.insert(below.end(), vdev.children.begin(), vdev.children.end());
    if (vdev.leaf() && vdev.role != "spare" && vdev.online() && vdev.full) return vdev.name;
  }
  return "";
}

bool is_superseded(const Pool& pool, int index) {
  const int pair = pool.pair_of(index, "replacing");
  if (pair < 0) return false;
  const int newest = at(pool, pair).children.back();
  for (int up = index; up != pair; up = at(pool, up).parent)
    if (up == newest) return false;
  return good_without(pool, newest, -1);
}

std::string degrade_refusal(const Pool& pool, uint64_t guid) {
  if (pool.stopped()) return stopped_words(pool);
  const int index = pool.index_of(guid);
  if (index < 0)
    return fmt::format(
        "a spare that is not in use cannot be taken out of service; 'zpool remove {} SPARE' takes "
        "it "
        "away",
        display(pool.name));
  const Vdev& vdev = at(pool, index);
  if (vdev.role == "cache")
    return fmt::format(
        "a cache device cannot be taken out of service; 'zpool remove {} {}' takes it away",
        display(pool.name), display(vdev.name));
  if (!vdev.leaf()) return "only a disk or file can be taken out of service";
  return "";
}

std::string retire_refusal(const Pool& pool, uint64_t guid) {
  if (std::string refusal = degrade_refusal(pool, guid); !refusal.empty()) return refusal;
  return redundancy_of(pool, pool.index_of(guid)).refusal;
}

std::optional<int> losses_left_without(const Pool& pool, int index) {
  if (!retire_refusal(pool, at(pool, index).guid).empty()) return std::nullopt;
  const Redundancy rest = redundancy_of(pool, index);
  const int left = rest.covered ? rest.losses_left : rest.losses_left - 1;
  return left < 0 ? std::nullopt : std::optional(left);
}

}  // namespace fmd::zfs
