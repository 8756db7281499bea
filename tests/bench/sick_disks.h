// Machines with very many disks, and storms of errors in which they fail together.
#pragma once
#include <cstdint>
#include <vector>

#include "fmd/diagnosis/engine.h"

namespace fmd::bench {

inline constexpr uint64_t kErrorsEach = 12;                              // per sick disk
inline constexpr int64_t kStorm = 60'000'000'000, kAfter = 20 * kStorm;  // ns

struct Story {
  const char* name;
  const char* event_class;
  uint64_t each;  // one disk in this many fails
  bool paths;     // the disks' paths are known
  bool in_turn;   // each disk has all its errors before the next one has any
  const char* note;
};

inline constexpr Story kStories[] = {
    {"checksums", "ereport.fs.zfs.checksum", 1, true, false, "wrong checksums of all disks"},
    {"no_path", "ereport.fs.zfs.checksum", 1, false, false,
     "the same, of disks that hang on nothing known"},
    {"io", "ereport.fs.zfs.io", 1, true, false, "I/O errors of all disks"},
    {"tenth", "ereport.fs.zfs.checksum", 10, true, false, "wrong checksums of each tenth disk"},
    {"in_turn", "ereport.fs.zfs.checksum", 10, true, true, "the same, one disk after the other"},
};

// In shelves of fifty; ten shelves per controller.
InventoryUpdate hardware(uint64_t disks);
// In raidz2 vdevs of ten; one pool per thousand disks.
InventoryUpdate pools(uint64_t disks);
Event ereport(const char* event_class, uint64_t disk, uint64_t seq, int64_t time_ns);
// The errors of all sick disks, within kStorm.
std::vector<Event> storm(const Story& story, uint64_t disks);
void pass(Engine& engine, int64_t until);  // runs each deadline at its time
// Runs such a storm and its aftermath, with all verdicts and the rows of each commit.
void weather(Engine& engine, const std::vector<Event>& events);

}  // namespace fmd::bench
