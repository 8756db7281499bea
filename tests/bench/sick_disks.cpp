#include "sick_disks.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "ereports.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kShelfOf = 50, kRaidzOf = 10;
constexpr uint64_t kCommit = 1000;  // events

std::string disk_of(uint64_t n) {
  return fmt::format("dev://wwn=5000c500d{:07}", n);
}
std::string leaf_of(uint64_t n) {
  return fmt::format("zfs://pool={}/vdev={}", kPool, 7242000000000000000U + n);
}

Resource part(std::string fmri, const char* type, std::vector<Edge> edges = {}) {
  Resource r;
  r.fmri = std::move(fmri);
  r.type = type;
  r.edges = std::move(edges);
  return r;
}

void set(Resource& r, const char* property, Value value) {
  r.properties[property] = std::move(value);
}

}  // namespace

InventoryUpdate hardware(uint64_t disks) {
  InventoryUpdate update;
  update.source = "system";
  std::vector<Edge> shelves;
  uint64_t hbas = 0;
  for (uint64_t shelf = 0; shelf * kShelfOf < disks; ++shelf) {
    const std::string expander = fmt::format("dev://sas=500a098{:09}", shelf);
    std::vector<Edge> behind;
    for (uint64_t n = shelf * kShelfOf; n < std::min(disks, (shelf + 1) * kShelfOf); ++n)
      behind.push_back({Relation::path, disk_of(n)});
    update.resources.push_back(part(expander, "expander", std::move(behind)));
    shelves.push_back({Relation::path, expander});
    if (shelves.size() < 10 && (shelf + 1) * kShelfOf < disks) continue;
    update.resources.push_back(
        part(fmt::format("dev://pci=0000:{:02x}:00.0", hbas++), "hba", std::exchange(shelves, {})));
  }
  return update;
}

InventoryUpdate pools(uint64_t disks) {
  InventoryUpdate update;
  update.source = "zfs";
  Resource pool, raidz;
  for (uint64_t n = 0; n < disks; ++n) {
    update.resources.push_back(part(disk_of(n), "disk"));
    set(update.resources.back(), "serial", fmt::format("S{:07}", n));
    Resource leaf = part(leaf_of(n), "zfs-vdev", {{Relation::redundancy, disk_of(n)}});
    set(leaf, "service", std::string("in-service"));
    raidz.edges.push_back({Relation::redundancy, leaf.fmri});
    update.resources.push_back(std::move(leaf));
    const bool last = n + 1 == disks;
    if ((n + 1) % kRaidzOf != 0 && !last) continue;
    raidz.fmri = leaf_of(5'000'000'000 + n);
    raidz.type = "zfs-vdev";
    set(raidz, "parity", int64_t{2});
    pool.edges.push_back({Relation::redundancy, raidz.fmri});
    update.resources.push_back(std::exchange(raidz, {}));
    if ((n + 1) % 1000 != 0 && !last) continue;
    pool.fmri = fmt::format("zfs://pool={}", kPool + n / 1000);
    pool.type = "zfs-pool";
    set(pool, "name", fmt::format("tank{}", n / 1000));
    update.resources.push_back(std::exchange(pool, {}));
  }
  return update;
}

Event ereport(const char* event_class, uint64_t disk, uint64_t seq, int64_t time_ns) {
  Event event;
  event.seq = seq;
  event.event_class = event_class;
  event.resource = leaf_of(disk);
  event.time_ns = event.received_ns = time_ns;
  event.ena = 0x725c738c4a00401 + seq * 0x100000000;
  event.source = "zfs";
  event.payload.set("vdev_type", Value(std::string("disk")));
  event.payload.set("context", Value(std::string("none")));
  event.payload_json = "{}";
  return event;
}

std::vector<Event> storm(const Story& story, uint64_t disks) {
  std::vector<uint64_t> sick;
  for (uint64_t n = 0; n < disks; n += story.each) sick.push_back(n);
  std::mt19937 random(static_cast<unsigned>(disks));
  std::vector<Event> events;
  const auto apart = kStorm / static_cast<int64_t>(sick.size() * kErrorsEach);
  for (uint64_t i = 0; i < sick.size() * kErrorsEach; ++i) {
    if (i % sick.size() == 0 && !(story.in_turn && i > 0))
      std::shuffle(sick.begin(), sick.end(), random);
    const uint64_t n = sick[story.in_turn ? i / kErrorsEach : i % sick.size()];
    const uint64_t seq = i + 1;
    events.push_back(
        ereport(story.event_class, n, seq, kBegin + static_cast<int64_t>(seq) * apart));
  }
  return events;
}

void pass(Engine& engine, int64_t until) {
  for (auto next = engine.next_deadline_ns(); next && *next <= until;
       next = engine.next_deadline_ns())
    engine.on_time(*next);
}

void weather(Engine& engine, const std::vector<Event>& events) {
  for (const Event& event : events) {
    pass(engine, event.time_ns);
    engine.on_event(event, event.time_ns);
    if (event.seq % kCommit == 0) engine.take_decided();
  }
  pass(engine, kBegin + kAfter);
  engine.take_changes();
  engine.take_news();
}

}  // namespace fmd::bench
