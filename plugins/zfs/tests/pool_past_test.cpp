// The past of pools.
#include "plugins/zfs/pool_past.h"

#include "fmd/base/duration.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

using test::fixture;
using test::kPool;
using test::Names;
using test::status_text;

using Guids = std::vector<uint64_t>;

Pool pool(const std::string& scan = "none requested") {
  return Names().pool(
      status_text("  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE", scan));
}

TEST(PoolPast, APoolThatAnEarlierBootHadIsMissing) {
  Memory memory;
  note_pools({pool()}, memory, "one", 5);
  EXPECT_EQ(missing_pools({pool()}, memory, "two"), Guids{});
  EXPECT_EQ(missing_pools({}, memory, "two"), Guids{kPool});
  note_pools({}, memory, "two", 6);
  EXPECT_EQ(missing_pools({}, memory, "two"), Guids{kPool}) << "and stays so";
  EXPECT_EQ(missing_pools({}, memory, "three"), Guids{kPool});
  EXPECT_EQ(memory.pools[kPool].name, "tank");
  note_pools({pool()}, memory, "three", 7);
  EXPECT_EQ(missing_pools({pool()}, memory, "three"), Guids{});
}

TEST(PoolPast, AnExportedOneIsNot) {
  Memory memory;
  note_pools({pool()}, memory, "one", 5);
  note_exported(memory, kPool);
  note_exported(memory, 12345);
  EXPECT_EQ(missing_pools({}, memory, "two"), Guids{});
  note_pools({pool()}, memory, "two", 6);
  note_pools({}, memory, "two", 7);  // it vanished while the machine ran: an export
  EXPECT_EQ(missing_pools({}, memory, "three"), Guids{});
}

TEST(PoolPast, TheLastScrubIsRememberedOverAResilver) {
  Memory memory;
  note_pools({pool()}, memory, "one", 5);
  EXPECT_EQ(memory.pools[kPool].first_seen_ns, 5);
  EXPECT_EQ(memory.pools[kPool].scrub_ended_ns, 0);
  note_pools({pool("scrub repaired 42.2M in 00:03:01 with 0 errors on Sat Nov 21 02:45:22 2026")},
             memory, "one", 6);
  const int64_t ended = memory.pools[kPool].scrub_ended_ns;
  EXPECT_GT(ended, 0);
  EXPECT_EQ(memory.pools[kPool].scrub_repaired, static_cast<uint64_t>(42.2 * 1048576));
  for (const char* scan :
       {"resilvered 31.5M in 00:00:02 with 0 errors on Sat Nov 21 02:57:07 2026",
        "scrub canceled on Sat Nov 21 03:00:00 2026",
        "scrub in progress since Sat Nov 21 04:00:00 2026\n\t188M scanned at 93.8M/s, 1M issued at "
        "1M/s, 188M total\n\t0B repaired, 1.00% done, no estimated completion time"})
    note_pools({pool(scan)}, memory, "one", 7);
  EXPECT_EQ(memory.pools[kPool].scrub_ended_ns, ended);
  note_pools({pool("scrub repaired 0B in 00:03:01 with 0 errors on Sun Nov 22 02:45:22 2026")},
             memory, "one", 8);
  EXPECT_GT(memory.pools[kPool].scrub_ended_ns, ended);
  EXPECT_EQ(memory.pools[kPool].scrub_repaired, 0u);
  EXPECT_EQ(memory.pools[kPool].first_seen_ns, 5);
  EXPECT_EQ(*Memory::from_json(memory.to_json()), memory);
}

// A resilver replaces the scan line, so the pool may have been scrubbed the day before.
TEST(PoolPast, OneThatWasNeverScannedIsAsOldAsItIs) {
  Memory memory;
  Pool never = pool(), resilvered = pool();
  never.created_ns = resilvered.created_ns = 100;
  ASSERT_EQ(never.scan.state, Scan::State::none);
  resilvered.scan.state = Scan::State::finished;
  resilvered.scan.kind = Scan::Kind::resilver;
  note_pools({resilvered}, memory, "one", 5000);
  EXPECT_EQ(memory.pools[kPool].first_seen_ns, 5000);
  note_pools({never}, memory, "one", 6000);
  EXPECT_EQ(memory.pools[kPool].first_seen_ns, 100);
  never.created_ns = 0;
  note_pools({never}, memory, "one", 7000);
  EXPECT_EQ(memory.pools[kPool].first_seen_ns, 100);
}

TEST(PoolPast, AScrubOfKnownErrorsIsBusyAndNoWholeOne) {
  const Scan scan = parse_error_scrub(
      "error scrub in progress since Sun Nov 22 05:57:18 2026\n27.50% done, issued I/O for 12 "
      "error blocks");
  EXPECT_EQ(busy_word(scan), "scrub");
  EXPECT_DOUBLE_EQ(scan.percent, 27.5);
  EXPECT_FALSE(
      parse_error_scrub("scrubbed 12 error blocks in 0 days 00:00:01 on Sun Nov 22 05:57:18 2026")
          .active());
  std::string text = status_text("  /dev/sda ONLINE");
  text.insert(text.find("config:"),
              " scrub: error scrub in progress since Sun Nov 22 05:57:18 2026\n"
              "\t27.50% done, issued I/O for 12 error blocks\n");
  const Pool scrubbed = Names().pool(text);
  EXPECT_EQ(busy_word(scrubbed.work()), "scrub");
  Memory memory;
  note_pools({scrubbed}, memory, "one", 5);
  EXPECT_EQ(memory.pools[kPool].scrub_ended_ns, 0);
}

uint64_t own(const Pool& pool, const std::string& name) {
  for (size_t i = 0; i < pool.vdevs.size(); ++i)
    if (pool.vdevs[i].name == name) return own_checksum_errors(pool, static_cast<int>(i));
  ADD_FAILURE() << name;
  return 0;
}

Pool counted(const std::string& top, const std::vector<std::pair<std::string, int>>& rows) {
  std::string text =
      "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME                STATE     READ WRITE CKSUM\n"
      "\ttank                ONLINE       0     0     0\n";
  const auto row = [&](std::string name, int count) {
    name.resize(20, ' ');
    text += "\t" + name + "ONLINE       0     0     " + std::to_string(count) + "\n";
  };
  row("  " + top, 0);
  for (const auto& [name, count] : rows) row(name, count);
  return Names().pool(text + "\nerrors: No known data errors\n");
}

// Recorded on OpenZFS 2.3.9 during an expansion: one bad disk, and errors of two blocks on all.
TEST(PoolPast, WhatAllDisksOfARaidzShowIsNobodysOwn) {
  const Pool raidz = counted("raidz1-0", {{"    /dev/sda", 82},
                                          {"    /dev/sdb", 3099},
                                          {"    /dev/sdc", 81},
                                          {"    /dev/sdd", 82},
                                          {"    spare-4", 0},
                                          {"      /dev/sde", 80},
                                          {"      /dev/sdg", 0}});
  EXPECT_EQ(own(raidz, "sdb"), 3017u);
  for (const char* healthy : {"sda", "sdc", "sdd", "sde", "sdg"})
    EXPECT_EQ(own(raidz, healthy), 0u);
}

std::string owns(const std::string& top, const std::vector<int>& counts) {
  std::vector<std::pair<std::string, int>> rows;
  for (size_t i = 0; i < counts.size(); ++i)
    rows.emplace_back(std::string("    /dev/sd") + static_cast<char>('a' + i), counts[i]);
  const Pool pool = counted(top, rows);
  std::string out;
  for (const auto& [name, count] : rows)
    out += (out.empty() ? "" : " ") + std::to_string(own(pool, name.substr(9)));
  return out;
}

TEST(PoolPast, SeveralBadDisksEachHaveTheirOwn) {
  EXPECT_EQ(owns("raidz2-0", {0, 0, 60, 60}), "0 0 60 60");
  EXPECT_EQ(owns("raidz1-0", {0, 0, 0, 60, 60}), "0 0 0 60 60");
  EXPECT_EQ(owns("raidz1-0", {0, 60, 60}), "0 60 60");
  EXPECT_EQ(owns("raidz2-0", {1, 0, 0, 0, 0, 0}), "1 0 0 0 0 0");
}

TEST(PoolPast, HealthyOnesDifferByChance) {
  EXPECT_EQ(owns("raidz1-0", {82, 3099, 81, 84, 80}), "0 3015 0 0 0");
  EXPECT_EQ(owns("raidz1-0", {82, 3099, 81, 84, 0}), "0 3015 0 0 0") << "one was put in later";
  EXPECT_EQ(owns("raidz2-0", {1, 1, 2, 1, 2, 1}), "0 0 0 0 0 0");
  EXPECT_EQ(owns("raidz2-0", {80, 84, 900, 700}), "0 0 816 616");
}

TEST(PoolPast, EachCopyOfAMirrorStandsForItself) {
  const Pool mirror =
      counted("mirror-0", {{"    /dev/sda", 7}, {"    /dev/sdb", 7}, {"    /dev/sdc", 7}});
  EXPECT_EQ(own(mirror, "sda"), 7u);
  EXPECT_EQ(own(counted("raidz1-0", {{"    /dev/sda", 7}, {"    /dev/sdb", 0}}), "sda"), 7u);
}

}  // namespace
}  // namespace fmd::zfs
