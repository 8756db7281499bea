#include "plugins/zfs/cleared.h"

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

Pool with_errors(const std::string& state, uint64_t errors) {
  test::Names names;
  Pool pool = names.pool(
      test::status_text("  mirror-0 ONLINE\n    /dev/sda1 " + state + "\n    /dev/sdb1 ONLINE\n"));
  pool.vdevs[2].checksum_errors = errors;
  return pool;
}

size_t steps(std::vector<Pool> looks) {
  Memory memory;
  size_t found = 0;
  int64_t now_ns = 100;
  for (const Pool& pool : looks) found += note_counters({pool}, memory, now_ns += 10).size();
  return found;
}

TEST(ClearedOnline, IsSeenByTheCounters) {
  Memory memory;
  const Pool bad = with_errors("ONLINE", 3), well = with_errors("ONLINE", 0);
  EXPECT_TRUE(note_counters({bad}, memory, 100).empty());
  EXPECT_TRUE(note_counters({bad}, memory, 200).empty());
  const Memory restarted = *Memory::from_json(memory.to_json());
  EXPECT_EQ(restarted, memory);
  const auto cleared = note_counters({well}, memory, 300);
  ASSERT_EQ(cleared.size(), 1u);
  EXPECT_EQ(cleared[0].vdev, bad.vdevs[2].guid);
  EXPECT_EQ(cleared[0].since_ns, 200);
  EXPECT_TRUE(note_counters({well}, memory, 400).empty());  // reported once
  const auto event = cleared_event(well, cleared[0].vdev, 300);
  EXPECT_EQ(event.payload["vdev_type"], "disk");
  EXPECT_EQ(event.payload["by"], "administrator");
}

TEST(ClearedOnline, WhatIsNone) {
  const Pool bad = with_errors("ONLINE", 3), fewer = with_errors("ONLINE", 1),
             well = with_errors("ONLINE", 0);
  EXPECT_EQ(steps({well, well}), 0u);
  EXPECT_EQ(steps({bad, fewer}), 0u);
  EXPECT_EQ(steps({with_errors("DEGRADED", 3), well}), 0u);  // ZFS itself posts an event
  EXPECT_EQ(steps({bad, with_errors("FAULTED", 0), well}), 0u);
  EXPECT_EQ(steps({bad, well, bad, well}), 2u);  // counts again
}

// A slow disk has no other counter, and its "zpool clear" posts no event either.
TEST(ClearedOnline, SlowIosCountAsErrorsDo) {
  Pool slow = with_errors("ONLINE", 0);
  slow.vdevs[2].slow_ios = 12;
  EXPECT_EQ(steps({slow, slow, with_errors("ONLINE", 0)}), 1u);
}

// After an export and import the counters start at 0, and the history names nobody.
TEST(ClearedOnline, APoolThatIsAwayIsNotForgotten) {
  Memory memory;
  (void)note_counters({with_errors("ONLINE", 3)}, memory, 100);
  EXPECT_TRUE(note_counters({}, memory, 200).empty());
  EXPECT_EQ(note_counters({with_errors("ONLINE", 0)}, memory, 300).size(), 1u);
}

}  // namespace
}  // namespace fmd::zfs
