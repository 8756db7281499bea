#include "tests/words/random_pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace fmd::test {
namespace {

using zfs::Pool;
using zfs::Vdev;

constexpr int kMostDisks = 24;

class Builder {
 public:
  Builder(Dice& dice, RandomPool& out) : dice_(dice), out_(out) {}

  void build() {
    add(-1, "root", out_.pool.name, "data");
    const int tops = 1 + dice_.roll(3);
    for (int i = 0; i < tops; ++i) add_top(i == 0 || !dice_.one_in(4) ? "data" : "special");
    if (dice_.one_in(3)) add_top("log");
    if (dice_.one_in(4)) add_leaf(0, "cache");
    for (int i = dice_.roll(3); i > 0; --i) add_idle_spare();
    out_.pool.health = dice_.one_in(15) ? "SUSPENDED" : "ONLINE";
    if (dice_.one_in(3)) out_.pool.scan.kind = zfs::Scan::Kind::resilver;
  }

 private:
  int add(int parent, std::string type, std::string name, std::string role) {
    Vdev vdev;
    vdev.guid = next_++ + out_.pool.guid * 1000;
    vdev.type = std::move(type);
    vdev.name = std::move(name);
    vdev.role = std::move(role);
    vdev.parent = parent;
    vdev.state = "ONLINE";
    const int index = static_cast<int>(out_.pool.vdevs.size());
    if (parent >= 0) {
      auto& siblings = out_.pool.vdevs[static_cast<size_t>(parent)].children;
      vdev.index = static_cast<int>(siblings.size());
      siblings.push_back(index);
    }
    out_.pool.vdevs.push_back(std::move(vdev));
    return index;
  }

  void add_leaf(int parent, const std::string& role) {
    static const char* kStates[] = {"DEGRADED", "FAULTED", "OFFLINE", "UNAVAIL", "REMOVED"};
    const int index = add(parent, "disk", "", role);
    Vdev& vdev = out_.pool.vdevs[static_cast<size_t>(index)];
    vdev.name = fmt::format("sd{}", vdev.guid);
    vdev.path = "/dev/" + vdev.name;
    if (dice_.one_in(4)) vdev.state = kStates[dice_.roll(5)];
    vdev.full = !dice_.one_in(8);
    out_.disks[vdev.guid] = fmt::format("dev://wwn={}", dice_.roll(kMostDisks));
  }

  void add_slot(int parent, const std::string& role) {
    if (!dice_.one_in(6)) return add_leaf(parent, role);
    const bool spare = dice_.one_in(2);
    const int pair = add(parent, spare ? "spare" : "replacing",
                         fmt::format("{}-{}", spare ? "spare" : "replacing", next_), role);
    add_leaf(pair, role);
    add_leaf(pair, spare ? "spare" : role);
  }

  void add_top(const std::string& role) {
    const int kind = role == "log" ? dice_.roll(2) : dice_.roll(4);
    if (kind == 0) return add_slot(0, role);
    if (kind == 1) {
      const int top = add(0, "mirror", fmt::format("mirror-{}", next_), role);
      for (int i = 2 + dice_.roll(2); i > 0; --i) add_slot(top, role);
      return;
    }
    const int parity = 1 + dice_.roll(3);
    const std::string type = kind == 2 ? "raidz" : "draid";
    const int top = add(0, type, fmt::format("{}{}-{}", type, parity, next_), role);
    for (int i = parity + 1 + dice_.roll(3); i > 0; --i) add_slot(top, role);
  }

  void add_idle_spare() {
    Vdev spare;
    spare.guid = next_++ + out_.pool.guid * 1000;
    spare.type = "disk";
    spare.role = "spare";
    spare.name = fmt::format("sd{}", spare.guid);
    spare.state = "AVAIL";
    out_.disks[spare.guid] = fmt::format("dev://wwn={}", dice_.roll(kMostDisks));
    out_.pool.spares.push_back(std::move(spare));
  }

  Dice& dice_;
  RandomPool& out_;
  uint64_t next_ = 1;
};

using Gone = std::set<std::string>;

// Which copies count: a DEGRADED disk has returned wrong data, but may have the last copy.
enum class Copies { good, any };

bool has_copy(const RandomPool& p, int index, const Gone& gone, Copies copies) {
  const Vdev& vdev = at(p.pool, index);
  if (vdev.children.empty()) {
    const auto disk = p.disks.find(vdev.guid);
    const bool counts = copies == Copies::good ? vdev.online() : vdev.usable();
    return counts && vdev.full && (disk == p.disks.end() || !gone.contains(disk->second));
  }
  return std::any_of(vdev.children.begin(), vdev.children.end(),
                     [&](int child) { return has_copy(p, child, gone, copies); });
}

bool has_slots(const Vdev& group) {
  return group.type == "mirror" || group.type == "raidz" || group.type == "draid";
}

int slots_with_copy(const RandomPool& p, int top, const Gone& gone, Copies copies) {
  const Vdev& group = at(p.pool, top);
  if (!has_slots(group)) return has_copy(p, top, gone, copies) ? 1 : 0;
  return static_cast<int>(
      std::count_if(group.children.begin(), group.children.end(),
                    [&](int child) { return has_copy(p, child, gone, copies); }));
}

bool group_is_whole(const RandomPool& p, int top, const Gone& gone) {
  const Vdev& group = at(p.pool, top);
  const auto slots = static_cast<int>(group.children.size());
  const int needed =
      !has_slots(group) || group.type == "mirror" ? 1 : slots - (group.name[5] - '0');
  return slots_with_copy(p, top, gone, Copies::good) >= needed;
}

bool is_whole(const RandomPool& p, const Gone& gone, bool with_logs) {
  const auto& tops = p.pool.vdevs.front().children;
  return std::all_of(tops.begin(), tops.end(), [&](int top) {
    const std::string& role = at(p.pool, top).role;
    return role == "cache" || (role == "log" && !with_logs) || group_is_whole(p, top, gone);
  });
}

bool uses(const RandomPool& p, const std::string& disk) {
  return std::any_of(p.pool.vdevs.begin(), p.pool.vdevs.end(), [&](const Vdev& v) {
    const auto at = p.disks.find(v.guid);
    return at != p.disks.end() && at->second == disk && v.role != "cache";
  });
}

// Whether without these disks a group is broken and has lost a copy.
bool breaks_a_group(const RandomPool& p, const Gone& gone) {
  const auto& tops = p.pool.vdevs.front().children;
  return std::any_of(tops.begin(), tops.end(), [&](int top) {
    if (at(p.pool, top).role == "cache" || group_is_whole(p, top, gone)) return false;
    for (const Copies copies : {Copies::good, Copies::any})
      if (slots_with_copy(p, top, gone, copies) < slots_with_copy(p, top, {}, copies)) return true;
    return false;
  });
}

void draw(const RandomPool& p, int index, int depth, std::string& out) {
  const Vdev& v = at(p.pool, index);
  const auto disk = p.disks.find(v.guid);
  out += fmt::format("{:{}}{} {} {}{}{}\n", "", 2 * depth, v.name, v.state, v.role,
                     v.full ? "" : " (resilvering)",
                     disk == p.disks.end() ? "" : "  on " + disk->second);
  for (const int child : v.children) draw(p, child, depth + 1, out);
}

}  // namespace

RandomPool random_pool(Dice& dice, const std::string& name, uint64_t guid) {
  RandomPool out;
  out.pool.name = name;
  out.pool.guid = guid;
  Builder(dice, out).build();
  return out;
}

bool is_harmed_by(const RandomPool& p, const std::set<std::string>& disks) {
  const bool used = std::any_of(disks.begin(), disks.end(),
                                [&](const std::string& disk) { return uses(p, disk); });
  return used && (p.pool.suspended() || breaks_a_group(p, disks));
}

int really_survives(const RandomPool& p) {
  if (p.pool.suspended() || !is_whole(p, {}, false)) return 0;
  std::set<std::string> disks;
  for (const auto& [guid, disk] : p.disks) disks.insert(disk);
  std::set<Gone> losses{{}};
  for (int lost = 0; lost < 4; ++lost) {
    std::set<Gone> more;
    for (const Gone& gone : losses)
      for (const std::string& disk : disks) {
        Gone next = gone;
        if (!next.insert(disk).second) continue;
        if (!is_whole(p, next, false)) return lost;
        more.insert(std::move(next));
      }
    if (more.size() > 3000) return lost;
    losses = std::move(more);
  }
  return 4;
}

std::string described(const RandomPool& p) {
  std::string out = p.pool.name + " " + p.pool.health + "\n";
  draw(p, 0, 1, out);
  for (const Vdev& spare : p.pool.spares)
    out += fmt::format("  spare {} on {}\n", spare.name, p.disks.at(spare.guid));
  return out;
}

}  // namespace fmd::test
