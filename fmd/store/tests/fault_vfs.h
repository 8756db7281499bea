// A VFS layer under SQLite that counts file operations, and at a chosen one ends the process
// halfway or reports a full disk. Register it once per process; it is then SQLite's default.
#pragma once
#include <cstdint>

namespace fmd::test {

enum class Fault { none, die, full, sync_no_space };

struct FaultPlan {
  Fault fault = Fault::none;
  int64_t at = 0;    // 1: the first operation after arming
  bool once = true;  // false: from then on
  // Counters.
  int64_t operations = 0;       // writes, syncs, truncations and deletions since arming
  int64_t unsynced_writes = 0;  // to write-ahead logs since their last sync
};

inline constexpr int kDied = 77;  // exit status of a process that a Fault::die ended

FaultPlan& fault_plan();
void register_fault_vfs();
void arm(Fault fault, int64_t at, bool once = true);

}  // namespace fmd::test
