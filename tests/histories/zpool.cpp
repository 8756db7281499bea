// How the kernel and zpool(8) change vdevs.
#include <fmt/format.h>

#include <algorithm>

#include "world.h"

namespace fmd::histories {

// All vdev changes go through here: the actor that changes the state becomes its owner.
void World::change(int leaf, const Hand& hand, const std::function<void(Leaf&)>& how) {
  Leaf& l = leafs[idx(leaf)];
  const VdevState before = state(leaf);
  how(l);
  touch(Source::zfs);
  const VdevState after = state(leaf);
  if (before == after) return;
  const bool taken =
      hand.who == Hand::Who::fmd && (after == VdevState::degraded || after == VdevState::faulted);
  l.retired_by = taken ? hand.key : "";
  l.retired_by_person = taken && hand.ordered;
  l.offlined_too = false;
  // A disk that was out of service, however briefly, has missed writes.
  if (before != VdevState::online && before != VdevState::degraded && after != VdevState::offline &&
      after != VdevState::faulted && after != VdevState::removed && after != VdevState::unavail)
    l.full = l.full && l.spare && !spare_in_use(leaf);
  look_at_pools();
}

void World::look_at_pools() {
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].suspended || !data_lost(static_cast<int>(i))) continue;
    pools[i].suspended = true;
  }
}

void World::reopen(Leaf& l) {
  l.removed = false;
  l.missing = disks[idx(l.disk)].bay < 0;
}

std::string World::offline(int leaf, const Hand& hand) {
  if (pools[idx(leafs[idx(leaf)].pool)].suspended) return "the pool is suspended";
  const Top* top = top_of(leaf);
  if (!top) return "it is no vdev in use";
  if (readable(leaf) && lost(*top, leaf)) return "no valid replicas";
  if (hand.who == Hand::Who::person) leafs[idx(leaf)].offlined_too = true;
  change(leaf, hand, [](Leaf& l) { l.offline = true; });
  return "";
}

std::string World::online(int leaf, const Hand& hand, bool unspare) {
  if (pools[idx(leafs[idx(leaf)].pool)].suspended) return "the pool is suspended";
  if (!slot_of(leaf)) return "it is no vdev in use";
  const VdevState before = state(leaf);
  change(leaf, hand, [&](Leaf& l) {
    l.offline = false;
    l.unspare = l.unspare || unspare;
    reopen(l);
  });
  const VdevState after = state(leaf);
  const bool came = after != before && (after == VdevState::online || after == VdevState::degraded);
  const bool missed = after == VdevState::unavail && before != VdevState::unavail;
  // ZED uses CHECKREMOVE, for which a missing device is no error.
  if (missed && hand.who != Hand::Who::zed)
    notices.push_back({"ereport.fs.zfs.vdev.open_failed", leaf, "", ""});
  // The plugin omits events caused by fmd's own commands.
  if (came && hand.who != Hand::Who::fmd)
    notices.push_back({"sysevent.fs.zfs.vdev_online", leaf,
                       hand.who == Hand::Who::person ? "administrator" : "unknown", ""});
  return "";
}

std::string World::clear(int leaf, const Hand& hand) {
  if (!slot_of(leaf)) return "it is no vdev in use";
  const VdevState before = state(leaf);
  const bool matters = before != VdevState::online;
  change(leaf, hand, [&](Leaf& l) {
    if (matters) {
      l.faulted = l.degraded = l.forced = false;
      reopen(l);
    }
    l.unspare = kernel_unspares;
  });
  if (state(leaf) == VdevState::unavail && before != VdevState::unavail)
    notices.push_back({"ereport.fs.zfs.vdev.open_failed", leaf, "", ""});
  if (matters && hand.who != Hand::Who::fmd)
    notices.push_back({"sysevent.fs.zfs.vdev_clear", leaf,
                       hand.who == Hand::Who::person ? "administrator" : "unknown", ""});
  return "";
}

void World::clear_pool(int pool, const Hand& hand) {
  Pool& p = pools[idx(pool)];
  if (p.suspended) {
    // Resumes once enough disks can be opened again.
    p.suspended = false;
    for (size_t i = 0; i < leafs.size(); ++i)
      if (leafs[i].pool == pool && leafs[i].in_pool && slot_of(static_cast<int>(i)))
        change(static_cast<int>(i), hand, [&](Leaf& l) {
          l.faulted = l.degraded = l.forced = false;
          reopen(l);
          l.full = true;  // no writes have happened
        });
    p.suspended = data_lost(pool);
    touch(Source::zfs);
    return;
  }
  for (size_t i = 0; i < leafs.size(); ++i)
    if (leafs[i].pool == pool && leafs[i].in_pool) (void)clear(static_cast<int>(i), hand);
}

std::string World::degrade(int leaf, const Hand& hand) {
  if (pools[idx(leafs[idx(leaf)].pool)].suspended) return "the pool is suspended";
  const VdevState was = state(leaf);
  if (was != VdevState::online) return fmt::format("it is {}", state_word(was));
  change(leaf, hand, [](Leaf& l) { l.degraded = true; });
  return "";
}

// The last readable copy becomes only DEGRADED. If the disk is already FAULTED, only the reason
// shown by `zpool status` changes.
std::string World::fault(int leaf, const Hand& hand) {
  const Top* top = top_of(leaf);
  if (!top || pools[idx(leafs[idx(leaf)].pool)].suspended) return "it is no vdev in use";
  if (readable(leaf) && lost(*top, leaf)) return degrade(leaf, hand);
  const bool forced = hand.who == Hand::Who::fmd || hand.who == Hand::Who::person;
  if (leafs[idx(leaf)].forced != forced) leafs[idx(leaf)].retired_by.clear();
  if (hand.who == Hand::Who::person) leafs[idx(leaf)].offlined_too = true;
  change(leaf, hand, [&](Leaf& l) {
    l.faulted = true;
    l.degraded = false;
    l.forced = forced;
  });
  return "";
}

void World::forget_hand(int leaf, bool spare) {
  if (spare) {
    if (Slot* slot = my_slot(leaf)) slot->spare_key.clear();
  } else {
    leafs[idx(leaf)].retired_by.clear();
  }
  touch(Source::zfs);
}

void World::errors(int leaf, const std::string& event_class, const std::string& scan) {
  const VdevState s = state(leaf);
  if ((s != VdevState::online && s != VdevState::degraded) || !slot_of(leaf)) return;
  notices.push_back({event_class, leaf, "", scan});
}

// --- Spares, replacements, scans ----------------------------------------------------------------------------------

std::string World::spare_in(int leaf, const Hand& hand, Ns now) {
  Slot* slot = my_slot(leaf);
  const int pool = leafs[idx(leaf)].pool;
  if (!slot || pools[idx(pool)].suspended) return "it is no vdev in use";
  if (slot->spare >= 0) return "it has a spare";
  for (const int spare : pools[idx(pool)].spares) {
    if (state(spare) != VdevState::avail) continue;
    slot->spare = spare;
    slot->spare_key = hand.who == Hand::Who::fmd ? hand.key : "";
    leafs[idx(spare)].full = false;
    leafs[idx(slot->leaf)].unspare = false;
    touch(Source::zfs);
    resilver(pool, now, true);
    return "";
  }
  return "no spare is available";
}

void World::release_spare(Slot& slot) {
  Leaf& spare = leafs[idx(slot.spare)];
  const bool there = disks[idx(spare.disk)].bay >= 0;
  slot.spare = -1;
  slot.spare_key.clear();
  spare.full = true;
  spare.offline = spare.faulted = spare.degraded = spare.forced = spare.unspare = false;
  spare.retired_by.clear();
  spare.missing = !there && !spare.removed;
  touch(Source::zfs);
}

std::string World::detach_spare(int leaf, const Hand&) {
  Slot* slot = my_slot(leaf);
  if (!slot || slot->spare < 0 || pools[idx(leafs[idx(leaf)].pool)].suspended)
    return "no spare is in";
  if (readable(slot->spare) && lost(*top_of(leaf), slot->spare)) return "no valid replicas";
  release_spare(*slot);
  look_at_pools();
  return "";
}

std::string World::replace(int leaf, int disk, bool force, Ns now) {
  Slot* slot = my_slot(leaf);
  const int pool = leafs[idx(leaf)].pool;
  if (!slot || slot->leaf != leaf || pools[idx(pool)].suspended) return "it is no vdev in use";
  const bool room = slot->newcomer < 0 || !readable_state(slot->newcomer);
  if (!room) return "it is being replaced already";
  if (disks[idx(disk)].bay < 0) return "the disk is not there";
  if (leaf_on(disk) >= 0) return "the disk is in use";
  if (disks[idx(disk)].small) return "the disk is too small";
  if (!disks[idx(disk)].blank && !force) return "the disk is not blank";
  if (slot->newcomer >= 0)
    leafs[idx(slot->newcomer)].in_pool = false;  // detached first, as fmd-zfs does
  Leaf fresh;
  fresh.disk = disk;
  fresh.pool = pool;
  fresh.full = false;
  disks[idx(disk)].blank = false;
  leafs.push_back(fresh);
  slot->newcomer = static_cast<int>(leafs.size()) - 1;
  touch(Source::zfs);
  touch(Source::disk);
  resilver(pool, now, true);
  return "";
}

void World::scrub(int pool, Ns until) {
  Pool& p = pools[idx(pool)];
  if (p.scan.kind != Scan::Kind::none || p.suspended) return;
  p.scan = {Scan::Kind::scrub, until};
  touch(Source::zfs);
}

void World::resilver(int pool, Ns now, bool whole) {
  Pool& p = pools[idx(pool)];
  const Ns takes = whole ? p.resilver_s * kSec : 2 * kSec;
  const Ns ends = now + takes;
  if (p.scan.kind == Scan::Kind::resilver && p.scan.ends >= ends) return;
  p.scan = {Scan::Kind::resilver, ends};  // replaces a running scrub
  touch(Source::zfs);
}

std::optional<Ns> World::next_scan_end() const {
  std::optional<Ns> next;
  for (const Pool& pool : pools)
    if (pool.scan.kind != Scan::Kind::none && (!next || pool.scan.ends < *next))
      next = pool.scan.ends;
  return next;
}

void World::finish_resilver(Pool& pool) {
  for (Top& top : pool.tops) {
    for (Slot& slot : top.slots) {
      for (const int leaf : {slot.leaf, slot.spare, slot.newcomer})
        if (leaf >= 0 && (state(leaf) == VdevState::online || state(leaf) == VdevState::degraded))
          leafs[idx(leaf)].full = true;
      if (slot.newcomer >= 0 && good(slot.newcomer)) {
        leafs[idx(slot.leaf)].in_pool = false;
        leafs[idx(slot.leaf)].replaced_by = slot.newcomer;
        slot.leaf = slot.newcomer;
        slot.newcomer = -1;
        if (slot.spare >= 0) release_spare(slot);
      }
    }
  }
}

void World::tick(Ns now) {
  for (size_t i = 0; i < pools.size(); ++i) {
    Pool& pool = pools[i];
    if (pool.scan.kind != Scan::Kind::none && pool.scan.ends <= now) {
      const bool resilvered = pool.scan.kind == Scan::Kind::resilver;
      pool.scan = {};
      touch(Source::zfs);
      if (resilvered && !pool.suspended) finish_resilver(pool);
    }
    if (pool.suspended || pool.scan.kind == Scan::Kind::resilver) continue;
    for (Top& top : pool.tops)
      for (Slot& slot : top.slots)
        if (slot.spare >= 0 && leafs[idx(slot.leaf)].unspare && good(slot.leaf))
          release_spare(slot);
    for (const Top& top : pool.tops)
      for (const Slot& slot : top.slots)
        for (const int leaf : {slot.leaf, slot.spare, slot.newcomer})
          if (leaf >= 0 && !leafs[idx(leaf)].full &&
              (state(leaf) == VdevState::online || state(leaf) == VdevState::degraded))
            resilver(static_cast<int>(i), now, leaf != slot.leaf);
  }
}

}  // namespace fmd::histories
