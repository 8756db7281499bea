#include "world.h"

#include <fmt/format.h>

#include <algorithm>

namespace fmd::histories {

const char* state_word(VdevState state) {
  switch (state) {
    case VdevState::online:
      return "ONLINE";
    case VdevState::degraded:
      return "DEGRADED";
    case VdevState::faulted:
      return "FAULTED";
    case VdevState::offline:
      return "OFFLINE";
    case VdevState::removed:
      return "REMOVED";
    case VdevState::unavail:
      return "UNAVAIL";
    case VdevState::avail:
      return "AVAIL";
    case VdevState::inuse:
      return "INUSE";
  }
  return "";
}

World::World(const Shape& shape) : kernel_unspares(shape.kernel_unspares) {
  const auto add_disk = [&](bool blank, bool small, int bay) {
    disks.push_back({fmt::format("S{:03}", disks.size()), bay, blank, small});
    return static_cast<int>(disks.size()) - 1;
  };
  const auto add_leaf = [&](int pool, bool spare) {
    Leaf leaf;
    leaf.disk = add_disk(false, false, static_cast<int>(disks.size()));
    leaf.pool = pool;
    leaf.spare = spare;
    leafs.push_back(leaf);
    return static_cast<int>(leafs.size()) - 1;
  };
  for (const PoolShape& p : shape.pools) {
    const int pool = static_cast<int>(pools.size());
    Pool made;
    made.name = pool == 0 ? "tank" : pool == 1 ? "dozer" : "scratch";
    made.resilver_s = p.resilver_s;
    for (const TopShape& t : p.tops) {
      Top top{t, {}};
      for (int i = 0; i < t.slots; ++i) top.slots.push_back({add_leaf(pool, false), -1, -1, ""});
      made.tops.push_back(std::move(top));
    }
    for (int i = 0; i < p.spares; ++i) made.spares.push_back(add_leaf(pool, true));
    pools.push_back(std::move(made));
  }
  for (int i = 0; i < shape.blank_disks; ++i) add_disk(true, false, -1);
  for (int i = 0; i < shape.used_disks; ++i) add_disk(false, false, -1);
  for (int i = 0; i < shape.small_disks; ++i) add_disk(true, true, -1);
  for (size_t i = 0; i < idx(shape.bays()); ++i)
    bays.push_back({shape.bay_known[i], shape.leds[i], false, false, LitBy::nobody, false, false});
  changed.fill(true);
}

VdevState World::state(int leaf) const {
  const Leaf& l = leafs[idx(leaf)];
  if (l.spare && !spare_in_use(leaf))
    return l.removed ? VdevState::removed : l.missing ? VdevState::unavail : VdevState::avail;
  if (l.faulted && !l.removed) return VdevState::faulted;
  if (l.offline) return VdevState::offline;
  if (l.removed) return VdevState::removed;
  if (l.missing) return VdevState::unavail;
  return l.degraded ? VdevState::degraded : VdevState::online;
}

std::string World::leaf_name(int leaf) const {
  const Leaf& l = leafs[idx(leaf)];
  return fmt::format("{}/{}", pools[idx(l.pool)].name, disks[idx(l.disk)].serial);
}

int World::leaf_on(int disk) const {
  for (size_t i = leafs.size(); i-- > 0;)
    if (leafs[i].disk == disk && leafs[i].in_pool) return static_cast<int>(i);
  return -1;
}

int World::disk_in(int bay) const {
  for (size_t i = 0; i < disks.size(); ++i)
    if (disks[i].bay == bay) return static_cast<int>(i);
  return -1;
}

const Slot* World::slot_of(int leaf) const {
  for (const Top& top : pools[idx(leafs[idx(leaf)].pool)].tops)
    for (const Slot& slot : top.slots)
      if (slot.leaf == leaf || slot.spare == leaf || slot.newcomer == leaf) return &slot;
  return nullptr;
}

Slot* World::my_slot(int leaf) {
  return const_cast<Slot*>(static_cast<const World*>(this)->slot_of(leaf));
}

const Top* World::top_of(int leaf) const {
  for (const Top& top : pools[idx(leafs[idx(leaf)].pool)].tops)
    for (const Slot& slot : top.slots)
      if (slot.leaf == leaf || slot.spare == leaf || slot.newcomer == leaf) return &top;
  return nullptr;
}

int World::original_of(int leaf) const {
  const Slot* slot = leafs[idx(leaf)].spare ? slot_of(leaf) : nullptr;
  return slot ? slot->leaf : leaf;
}

int World::spares_available(int pool) const {
  const std::vector<int>& spares = pools[idx(pool)].spares;
  return static_cast<int>(std::count_if(
      spares.begin(), spares.end(), [&](int spare) { return state(spare) == VdevState::avail; }));
}

// --- Redundancy: the plugin's view (good copies only) and the kernel's (readable ones) ---------------------------

bool World::good(int leaf) const {
  return leaf >= 0 && state(leaf) == VdevState::online && leafs[idx(leaf)].full;
}

bool World::slot_good(const Slot& slot, int without) const {
  return (slot.leaf != without && good(slot.leaf)) || (slot.spare != without && good(slot.spare)) ||
         (slot.newcomer != without && good(slot.newcomer));
}

bool World::readable_state(int leaf) const {
  const VdevState s = state(leaf);
  return s == VdevState::online || s == VdevState::degraded;
}

bool World::readable(int leaf) const {
  return leaf >= 0 && leafs[idx(leaf)].full && readable_state(leaf);
}

bool World::slot_readable(const Slot& slot, int without) const {
  return (slot.leaf != without && readable(slot.leaf)) ||
         (slot.spare != without && readable(slot.spare)) ||
         (slot.newcomer != without && readable(slot.newcomer));
}

namespace {

int tolerance(const Top& top) {
  switch (top.shape.type) {
    case TopShape::Type::mirror:
      return static_cast<int>(top.slots.size()) - 1;
    case TopShape::Type::raidz:
      return top.shape.parity;
    case TopShape::Type::single:
      return 0;
  }
  return 0;
}

}  // namespace

bool World::lost(const Top& top, int without) const {
  int gone = 0;
  for (const Slot& slot : top.slots)
    if (!slot_readable(slot, without)) ++gone;
  return gone > tolerance(top);
}

bool World::data_lost(int pool) const {
  const std::vector<Top>& tops = pools[idx(pool)].tops;
  return std::any_of(tops.begin(), tops.end(), [&](const Top& top) { return lost(top, -1); });
}

std::string World::degrade_refusal(int leaf) const {
  if (pools[idx(leafs[idx(leaf)].pool)].suspended) return "the pool is suspended";
  return slot_of(leaf) ? "" : "a spare that is not in use cannot be taken out of service";
}

std::string World::refusal(int leaf) const {
  if (std::string refusal = degrade_refusal(leaf); !refusal.empty()) return refusal;
  const Slot* mine = slot_of(leaf);
  if (slot_good(*mine, leaf)) return "";
  const Top& top = *top_of(leaf);
  int bad = 0;
  for (const Slot& slot : top.slots)
    if (&slot != mine && !slot_good(slot, -1)) ++bad;
  if (tolerance(top) - bad > 0) return "";
  return fmt::format("last copy: {} others are bad, {} bearable", bad, tolerance(top));
}

bool World::is_last_copy(int leaf) const {
  const VdevState now = state(leaf);
  const bool works =
      now == VdevState::online || now == VdevState::degraded || now == VdevState::inuse;
  return slot_of(leaf) && works && refusal(leaf).starts_with("last copy");
}

// --- Disks, bays, lights ------------------------------------------------------------------------------------------

void World::pull(int disk) {
  Disk& d = disks[idx(disk)];
  if (d.bay < 0) return;
  d.bay = -1;
  touch(Source::disk);
  touch(Source::enclosure);
  const int leaf = leaf_on(disk);
  if (leaf < 0) return;
  const VdevState was = state(leaf);
  if (was == VdevState::unavail) return;
  if (was == VdevState::faulted) return touch(Source::zfs);  // not open, so not noticed
  change(leaf, {}, [](Leaf& l) { l.removed = true; });
  notices.push_back({"resource.fs.zfs.removed", leaf, "", ""});
}

bool World::put(int disk, int bay) {
  if (disks[idx(disk)].bay >= 0 || disk_in(bay) >= 0) return false;
  disks[idx(disk)].bay = bay;
  touch(Source::disk);
  touch(Source::enclosure);
  touch(Source::smart);
  const int leaf = leaf_on(disk);
  // ZFS notices an unused spare only at the next look.
  if (leaf >= 0 && leafs[idx(leaf)].spare && !spare_in_use(leaf))
    change(leaf, {}, [](Leaf& l) { l.removed = l.missing = false; });
  return true;
}

void World::reboot() {
  for (size_t i = 0; i < leafs.size(); ++i) {
    if (!leafs[i].in_pool) continue;
    change(static_cast<int>(i), {}, [&](Leaf& l) {
      l.faulted = l.faulted && l.forced;  // the kernel clears only its own FAULTED state
      reopen(l);
    });
  }
  for (size_t i = 0; i < pools.size(); ++i)
    if (!data_lost(static_cast<int>(i))) pools[i].suspended = false;
  changed.fill(true);
}

void World::unanswered_light(int bay) {
  if (bay >= 0) bays[idx(bay)].asked_in_vain = true;
}

void World::doubt_light(int bay) {
  if (bay >= 0 && bays[idx(bay)].fault_by == LitBy::fmd) bays[idx(bay)].fault_by = LitBy::unclear;
}

void World::forget_lights() {
  for (Bay& bay : bays) {
    if (bay.fault) bay.fault_by = LitBy::unclear;
    bay.asked_in_vain = bay.asked_in_vain || bay.fault;
  }
}

void World::set_led(int bay, bool locate, bool on, const Hand& hand) {
  Bay& b = bays[idx(bay)];
  touch(Source::enclosure);
  if (locate) {
    b.locate = on;
    return;
  }
  const bool was = b.fault;
  b.fault = on;
  const bool ours = hand.who == Hand::Who::fmd;
  if (!on) {
    b.fault_by = LitBy::nobody;
    if (was) b.off_unseen = true;
    return;
  }
  if (!was)
    // Switched off and on again between two looks: the plugin cannot tell who lit it.
    b.fault_by = b.off_unseen || (b.asked_in_vain && !ours) ? LitBy::unclear
                 : ours                                     ? LitBy::fmd
                                                            : LitBy::other;
  else if (ours && b.fault_by == LitBy::other)
    b.fault_by = LitBy::unclear;
}

}  // namespace fmd::histories
