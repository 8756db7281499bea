// ZpoolHistory: who has done something to a vdev. zpool(8) writes each command that succeeded into
// the pool's history, and fmd's own helper writes what it has done; ZED, which uses libzfs, and the kernel write nothing there.
//
//   2026-11-21.02:57:05 zpool clear tank sdb [user 0 (root) on host:linux]
//
// The time is local, in whole seconds, and that of the command's end or of the txg behind it: on a
// busy pool many seconds after the event. Lines are compared as text, so no time zone is guessed.
// Pure.
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
// Nothing when it is no record of a command.
std::optional<HistoryRecord> parse_history_line(std::string_view line);
std::string history_time(int64_t time_ns);  // as the history prints it

// Whether a zpool command of these verbs was about this vdev in that time.
struct HistoryQuestion {
  std::string ask;                 // the pool's name now
  std::string pool;                // the pool's name in the records
  std::vector<std::string> names;  // all that zpool would take for the vdev, or for what it is in
  std::vector<std::string_view> verbs;
  int64_t from_ns = 0, to_ns = 0;
};
bool concerns(const HistoryRecord& record, const HistoryQuestion& question);
// Whether one of the records is not of fmd's own commands: each of these accounts for one.
bool any_foreign(const std::vector<HistoryRecord>& records, const std::vector<OwnCommand>& own);

// Who cleared or onlined the vdev of this event. pool: null when it is not known (any more).
HistoryQuestion who_caused(const ZpoolEvent& event, const Pool* pool);
// Whose command took the vdev out of service or degraded it, since then, and was not undone by a later one.
HistoryQuestion who_made_it_so(const Pool& pool, uint64_t vdev, int64_t since_ns, int64_t now_ns);
bool undoes(const HistoryRecord& record);
// Who else has used these verbs on a vdev since.
HistoryQuestion who_else(const Pool& pool, uint64_t vdev, std::vector<std::string_view> verbs,
                         int64_t since_ns, int64_t now_ns);

}  // namespace fmd::zfs
