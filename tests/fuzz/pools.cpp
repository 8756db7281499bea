// Output of zpool(8) and zdb(8). Names and paths in it may come from any machine.
#include "corpus.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/export_check.h"
#include "plugins/zfs/latency.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/zpool_events.h"
#include "plugins/zfs/zpool_history.h"
#include "plugins/zfs/zpool_json.h"
#include "plugins/zfs/zpool_status.h"
#include "targets.h"

namespace fmd::fuzz {
namespace {

void read_status(std::string_view text) {
  if (const auto pools = zfs::parse_status(text)) {
    const auto names = zfs::collect_names(*pools, *pools);
    for (const auto& pool : *pools) {
      (void)zfs::parse_data_errors(pool.errors);
      (void)zfs::parse_scans(pool.scans);
      (void)zfs::parse_expand(pool.expand);
      (void)zfs::build_pools({{pool.name, "ONLINE", 1}}, {pool}, names);
    }
  }
  (void)zfs::parse_damaged(text);
  (void)zfs::parse_pool_list(text);
}

void read_json(std::string_view text) {
  if (const auto status = zfs::parse_status_json(text, 0))
    (void)zfs::build_pools({{status->pool.name, "ONLINE", status->guid}}, {status->pool},
                           status->names);
}

void read_events(std::string_view text) {
  for (const auto& event : zfs::parse_zpool_events(text)) {
    must(event.eid != 0 && !event.event_class.empty() && event.time_ns >= 0,
         "no event is like that");
    (void)zfs::to_event(
        event, {[](uint64_t, uint64_t) { return std::string("disk"); },
                [](uint64_t) { return true; }, [](uint64_t, uint64_t) { return uint64_t{7}; }});
  }
}

constexpr const char* kHistory =
    "2026-11-21.02:57:00 (12ms) zfs program tank snap.lua [user 0 (root) on host:linux]\n";
constexpr const char* kClear =
    "2026-11-21.02:57:05 zpool clear tank wwn-0xB [user 0 (root) on host:linux]";

constexpr const char* kLabel =
    "------------------------------------\nLABEL 0 \n------------------------------------\n"
    "    version: 5000\n    name: 'tank'\n    state: 1\n    txg: 40\n    pool_guid: 99\n"
    "    hostname: 'fmrig'\n    top_guid: 7\n    guid: 1\n    vdev_tree:\n        type: 'mirror'\n"
    "        guid: 7\n        children[0]:\n            guid: 1\n            state: 5\n"
    "    labels = 0 1 2 3 \n";

}  // namespace

std::vector<Target> pool_targets(const std::string& tree) {
  const std::string fixtures = tree + "/plugins/zfs/tests/fixtures";
  return {{"zpool-status", "zpool status", files({fixtures}, ".txt", "status-"), read_status},
          {"zpool-json", "zpool status -j", files({fixtures}, ".json", "json-"), read_json},
          {"zpool-events", "zpool events -v", files({fixtures}, ".txt", "events-"), read_events},
          {"zpool-history",
           "zpool history",
           {kHistory, kClear},
           [](std::string_view line) {
             if (const auto record = zfs::parse_history_line(line))
               (void)zfs::concerns(*record, {"tank", "tank", {"wwn-0xB"}, {"clear"}, 0, INT64_MAX});
           }},
          {"zpool-iostat", "zpool iostat -l", files({fixtures}, ".txt", "iostat-"),
           [](std::string_view text) {
             for (const auto& [guid, waits] : zfs::parse_iostat(text, 10))
               for (const zfs::Waits& one : {waits.reads, waits.writes})
                 must(one.operations >= 0 && one.milliseconds >= 0, "a disk is faster than time");
           }},
          {"zdb-label", "zdb -l", {kLabel}, [](std::string_view text) {
             (void)zfs::parse_label(text);
           }}};
}

}  // namespace fmd::fuzz
