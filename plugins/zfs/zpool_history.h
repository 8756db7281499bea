// ZpoolHistory: finds who changed a vdev. zpool(8) writes each successful command into the pool's
// history, and so does fmd's helper; ZED, which uses libzfs, and the kernel do not.
//
//   2026-11-21.02:57:05 zpool clear tank sdb [user 0 (root) on host:linux]
//
// The time is local, in whole seconds, and is that of the command's end or of the following txg: on
// a busy pool many seconds after the event. Times are compared as text, so that the time zone does
// not matter. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/zpool_events.h"

namespace fmd::zfs {

struct HistoryRecord {
  std::string time;     // as printed
  std::string command;  // "zpool clear tank sdb"
  bool operator==(const HistoryRecord&) const = default;
};
// nullopt if the line is not a command record.
std::optional<HistoryRecord> parse_history_line(std::string_view line);
std::string history_time(int64_t time_ns);  // as the history prints it

// Asks for zpool commands with these verbs about this vdev in that time.
struct HistoryQuestion {
  std::string ask;                 // current name of the pool
  std::string pool;                // the pool's name in the records
  std::vector<std::string> names;  // all names that zpool accepts for the vdev or a vdev above it
  std::vector<std::string_view> verbs;
  int64_t from_ns = 0, to_ns = 0;
};
bool concerns(const HistoryRecord& record, const HistoryQuestion& question);
// Whether a record is not of fmd's own commands; each of these accounts for one record.
bool any_foreign(const std::vector<HistoryRecord>& records, const std::vector<OwnCommand>& own);

// Who cleared or onlined the vdev of this event. pool: null if unknown.
HistoryQuestion who_caused(const ZpoolEvent& event, const Pool* pool);
// Whether such an event, caused by an administrator, ends the faults of its vdev. Not if the disk
// still does not work, or is being replaced: `zpool clear POOL` posts an event for each such disk.
bool ends_faults(const ZpoolEvent& event, const Pool* pool);
bool is_being_replaced(const Pool& pool, uint64_t vdev);
// Whose command, not undone since, took the vdev out of service or degraded it.
HistoryQuestion who_made_it_so(const Pool& pool, uint64_t vdev, int64_t since_ns, int64_t now_ns);
bool undoes(const HistoryRecord& record);
// Who else has used these verbs on a vdev since then.
HistoryQuestion who_else(const Pool& pool, uint64_t vdev, std::vector<std::string_view> verbs,
                         int64_t since_ns, int64_t now_ns);

}  // namespace fmd::zfs
