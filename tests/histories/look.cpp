#include "look.h"

#include "names.h"

namespace fmd::histories {
namespace {

Value text(std::string value) {
  return Value(std::move(value));
}
Value number(int value) {
  return Value(static_cast<int64_t>(value));
}

std::string service_of(VdevState state) {
  switch (state) {
    case VdevState::online:
    case VdevState::avail:
    case VdevState::inuse:
      return "in-service";
    case VdevState::degraded:
      return "degraded";
    case VdevState::faulted:
    case VdevState::offline:
    case VdevState::unavail:
      return "out-of-service";
    case VdevState::removed:
      return "removed";
  }
  return "unknown";
}

const char* scan_word(Scan::Kind kind) {
  return kind == Scan::Kind::scrub ? "scrub" : kind == Scan::Kind::resilver ? "resilver" : "";
}

class ZfsLook {
 public:
  explicit ZfsLook(const World& world) : world_(world) {}

  Picture all() {
    for (size_t i = 0; i < world_.pools.size(); ++i) pool(static_cast<int>(i));
    return std::move(out_);
  }

 private:
  Resource& add(const std::string& fmri, const char* type) {
    Resource& r = out_[fmri];
    r.fmri = fmri;
    r.type = type;
    return r;
  }

  void pool(int at) {
    const Pool& p = world_.pools[static_cast<size_t>(at)];
    Resource& r = add(pool_fmri(at), "zfs-pool");
    r.properties = {
        {"name", text(p.name)},
        {"health", text(p.suspended ? "SUSPENDED" : "ONLINE")},
        {"scan", text(p.scan.kind == Scan::Kind::none ? "none" : scan_word(p.scan.kind))},
        {"spares_available", number(world_.spares_available(at))}};
    for (size_t i = 0; i < p.tops.size(); ++i) {
      const Top& top = p.tops[i];
      const bool single = top.shape.type == TopShape::Type::single;
      const std::string fmri = top_fmri(at, static_cast<int>(i));
      r.edges.push_back({Relation::redundancy, single ? slot_fmri(at, top.slots[0]) : fmri});
      const char* type = top.shape.type == TopShape::Type::mirror ? "mirror" : "raidz";
      if (!single) {
        Resource& t = add(fmri, "zfs-vdev");
        t.properties = {{"name", text(fmt::format("{}-{}", type, i))},
                        {"pool", text(p.name)},
                        {"vdev_type", text(type)},
                        {"role", text("data")},
                        {"state", text("ONLINE")},
                        {"group", text(pool_fmri(at))}};
        for (const Slot& slot : top.slots)
          t.edges.push_back({Relation::redundancy, slot_fmri(at, slot)});
      }
      for (const Slot& slot : top.slots) members(at, slot);
    }
    for (const int spare : p.spares)
      if (!world_.spare_in_use(spare)) idle_spare(at, spare);
  }

  // A slot with several members is a pair, an interior vdev with its own GUID.
  static bool pair(const Slot& slot) { return slot.spare >= 0 || slot.newcomer >= 0; }
  static std::string slot_fmri(int pool, const Slot& slot) {
    return leaf_fmri(pool,
                     slot.leaf + (pair(slot) ? 100000 + slot.spare * 1000 + slot.newcomer : 0));
  }

  void members(int pool, const Slot& slot) {
    if (pair(slot)) {
      Resource& r = add(slot_fmri(pool, slot), "zfs-vdev");
      r.properties = {{"name", text("pair")}, {"vdev_type", text("spare")}, {"role", text("data")}};
      for (const int leaf : {slot.leaf, slot.newcomer, slot.spare})
        if (leaf >= 0) r.edges.push_back({Relation::redundancy, leaf_fmri(pool, leaf)});
    }
    leaf(pool, slot.leaf, &slot);
    if (slot.newcomer >= 0) leaf(pool, slot.newcomer, &slot);
    if (slot.spare >= 0) leaf(pool, slot.spare, nullptr);
  }

  Resource& common(int pool, int at, const char* role) {
    const Leaf& l = world_.leafs[static_cast<size_t>(at)];
    const Pool& p = world_.pools[static_cast<size_t>(pool)];
    Resource& r = add(leaf_fmri(pool, at), "zfs-vdev");
    const VdevState state = world_.state(at);
    r.properties = {{"name", text(world_.disks[static_cast<size_t>(l.disk)].serial)},
                    {"pool", text(p.name)},
                    {"vdev_type", text("disk")},
                    {"role", text(role)},
                    {"state", text(state_word(state))},
                    {"service", text(service_of(state))},
                    {"busy", text(scan_word(p.scan.kind))},
                    {"spare", text("none")},
                    {"group", text(pool_fmri(pool))}};
    if (std::string refusal = world_.refusal(at); !refusal.empty())
      r.properties["retire_refusal"] = text(std::move(refusal));
    if (std::string refusal = world_.degrade_refusal(at); !refusal.empty())
      r.properties["degrade_refusal"] = text(std::move(refusal));
    if (!l.retired_by.empty()) r.properties["retired_by"] = text(l.retired_by);
    if (state == VdevState::degraded || state == VdevState::faulted || state == VdevState::offline)
      r.properties["state_by"] =
          text(!l.retired_by.empty() ? "fmd"
               : state == VdevState::offline || (state == VdevState::faulted && l.forced)
                   ? "administrator"
                   : "zfs");
    r.edges.push_back({Relation::redundancy, disk_fmri(l.disk)});
    return r;
  }

  // slot: null for a spare.
  void leaf(int pool, int at, const Slot* slot) {
    Resource& r = common(pool, at, world_.leafs[static_cast<size_t>(at)].spare ? "spare" : "data");
    // ZFS does not replace a spare in use with another: such commands address the original disk.
    const bool stands_in = world_.leafs[static_cast<size_t>(at)].spare;
    r.properties["spares_available"] = number(stands_in ? 0 : world_.spares_available(pool));
    if (!slot) return;
    if (slot->spare >= 0) {
      const bool full = world_.leafs[static_cast<size_t>(slot->spare)].full;
      r.properties["spare"] = text(full ? "active" : "resilvering");
      r.properties["spare_by"] = text(leaf_fmri(pool, slot->spare));
      if (!slot->spare_key.empty() && at == slot->leaf)
        r.properties["spare_key"] = text(slot->spare_key);
    }
    if (slot->newcomer >= 0 && at != slot->newcomer)
      r.properties["replacing"] = text(leaf_fmri(pool, slot->newcomer));
  }

  void idle_spare(int pool, int at) {
    common(pool, at, "spare").properties["spares_available"] = number(0);
  }

  const World& world_;
  Picture out_;
};

Picture disk_look(const World& world) {
  Picture out;
  for (size_t i = 0; i < world.disks.size(); ++i) {
    const Disk& d = world.disks[i];
    if (d.bay < 0) continue;
    Resource r;
    r.fmri = disk_fmri(static_cast<int>(i));
    r.type = "disk";
    r.properties = {{"serial", text(d.serial)},
                    {"model", text("MODEL")},
                    {"path", text(disk_path(static_cast<int>(i)))},
                    {"content", text(d.blank ? "blank" : "used")},
                    {"size_bytes", number(d.small ? 500 : 1000)}};
    out.emplace(r.fmri, std::move(r));
  }
  return out;
}

Picture enclosure_look(const World& world) {
  Picture out;
  const auto word = [](const Bay& bay, bool on) {
    return text(bay.led == LedShape::cannot_drive ? "cannot-drive" : on ? "on" : "off");
  };
  for (size_t i = 0; i < world.bays.size(); ++i) {
    const Bay& bay = world.bays[i];
    if (!bay.known) continue;
    Resource r;
    r.fmri = bay_fmri(static_cast<int>(i));
    r.type = "bay";
    r.properties = {{"label", text(fmt::format("SLOT {:02}", i))},
                    {"slot", number(static_cast<int>(i))}};
    if (bay.led != LedShape::none) {
      r.properties["led.fault"] = word(bay, bay.fault);
      r.properties["led.locate"] = word(bay, bay.locate);
    }
    const int disk = world.disk_in(static_cast<int>(i));
    r.properties["occupied"] = Value(disk >= 0);
    r.properties["tells_empty"] = Value(true);
    if (disk >= 0) r.edges.push_back({Relation::contains, disk_fmri(disk)});
    out.emplace(r.fmri, std::move(r));
  }
  return out;
}

Picture smart_look(const World& world) {
  Picture out;
  for (size_t i = 0; i < world.disks.size(); ++i) {
    const Disk& d = world.disks[i];
    if (d.bay < 0) continue;
    Resource r;
    r.fmri = disk_fmri(static_cast<int>(i));
    r.type = "disk";
    r.properties = {{"smart.state", text("observed")},
                    {"smart.protocol", text("ata")},
                    {"smart.status", text(d.smart_failed ? "failed" : "passed")},
                    {"smart.reallocated", number(d.reallocated)}};
    out.emplace(r.fmri, std::move(r));
  }
  return out;
}

}  // namespace

Picture look(const World& world, Source source) {
  switch (source) {
    case Source::zfs:
      return ZfsLook(world).all();
    case Source::disk:
      return disk_look(world);
    case Source::enclosure:
      return enclosure_look(world);
    case Source::smart:
      return smart_look(world);
  }
  return {};
}

namespace {

InventoryUpdate::Gone gone(const World& world, Source source, const std::string& fmri) {
  if (source != Source::zfs) return {fmri, "removed", ""};
  const int at = leaf_in(fmri);
  if (at < 0 || at >= static_cast<int>(world.leafs.size())) return {fmri, "detached", ""};
  const Leaf& leaf = world.leafs[static_cast<size_t>(at)];
  if (leaf.replaced_by >= 0) return {fmri, "replaced", leaf_fmri(leaf.pool, leaf.replaced_by)};
  return {fmri, "detached", ""};
}

bool same(const Resource& a, const Resource& b) {
  return a.properties == b.properties && a.edges == b.edges;
}

}  // namespace

InventoryUpdate as_update(const World& world, Source source, const Picture& before,
                          const Picture& now, bool complete) {
  InventoryUpdate update;
  update.source = source_name(source);
  update.complete = complete;
  for (const auto& [fmri, r] : now) {
    const auto old = before.find(fmri);
    if (complete || old == before.end() || !same(old->second, r)) update.resources.push_back(r);
  }
  // The plugin remembers which parts left a pool in its absence; its first message reports them.
  if (complete && source == Source::zfs)
    for (size_t i = 0; i < world.leafs.size(); ++i)
      if (!world.leafs[i].in_pool)
        update.gone.push_back(
            gone(world, source, leaf_fmri(world.leafs[i].pool, static_cast<int>(i))));
  for (const auto& [fmri, r] : before)
    if (!now.contains(fmri) && !complete) update.gone.push_back(gone(world, source, fmri));
  return update;
}

}  // namespace fmd::histories
