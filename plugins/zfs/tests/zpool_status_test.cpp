#include "plugins/zfs/zpool_status.h"

#include <time.h>

#include "plugins/zfs/scan_text.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs::zpool_status_test {
namespace {

using test::fixture;
using test::Names;
using test::status_text;

constexpr int64_t kSecond = 1000000000;

StatusPool read(const std::string& name) {
  auto pools = parse_status(fixture(name));
  EXPECT_TRUE(pools) << (pools ? "" : pools.error().text());
  EXPECT_EQ(pools->size(), 1u);
  return pools->front();
}

// openzfs-2.3.9/90-slow-io: status -s, and -s -p of both, which has numbers everywhere.
TEST(ZpoolStatus, SlowIos) {
  for (const char* of_inner : {"    -", "    0"}) {
    std::string text = status_text("  spare-3 DEGRADED\n    /dev/sda DEGRADED NOTE\n");
    const auto put = [&text](const std::string& old, const std::string& with) {
      const size_t at = text.find(old);
      ASSERT_NE(at, std::string::npos) << old;
      text.replace(at, old.size(), with);
    };
    put("CKSUM\n", "CKSUM  SLOW\n");
    put("DEGRADED       0     0     0\n",
        "DEGRADED       0     0     0 " + std::string(of_inner) + "\n");
    put("     0  NOTE", "     0     6  too many slow I/Os");
    const auto pools = parse_status(text);
    ASSERT_TRUE(pools) << pools.error().text();
    const auto& rows = pools->front().rows;
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[1].note, "");
    EXPECT_EQ(rows[2].slow_ios, 6u);
    EXPECT_EQ(rows[2].note, "too many slow I/Os");
    EXPECT_EQ(rows[0].slow_ios, 0u);
  }
}

TEST(ZpoolStatus, ASpareThatResilvers) {
  const StatusPool pool = read("status-spare.txt");
  EXPECT_EQ(pool.name, "tank");
  EXPECT_EQ(pool.state, "DEGRADED");
  EXPECT_EQ(pool.errors, "No known data errors");
  ASSERT_EQ(pool.rows.size(), 11u);
  EXPECT_EQ(pool.rows[7].name, "spare-5");
  EXPECT_EQ(pool.rows[7].checksum_errors, 153u);
  EXPECT_EQ(pool.rows[7].depth, 2);
  EXPECT_EQ(pool.rows[8].state, "DEGRADED");
  EXPECT_EQ(pool.rows[8].note, "too many errors");
  EXPECT_EQ(pool.rows[8].depth, 3);
  EXPECT_TRUE(pool.rows[9].has_note("(resilvering)"));
  EXPECT_EQ(pool.rows[10].section, "spares");
  EXPECT_EQ(pool.rows[10].state, "INUSE");
  EXPECT_EQ(pool.rows[10].note, "currently in use");
}

TEST(ZpoolStatus, OtherRecordings) {
  EXPECT_EQ(read("status-created.txt").rows.back().state, "AVAIL");
  EXPECT_EQ(read("status-created-guids.txt").rows[2].name, "10626770534384356337");
  const StatusPool faulted = read("status-faulted.txt");
  EXPECT_EQ(faulted.rows[6].state, "FAULTED");
  EXPECT_EQ(faulted.rows[6].read_errors, 4u);
  EXPECT_EQ(faulted.rows[6].write_errors, 39u);
  EXPECT_EQ(read("status-removed.txt").rows[5].state, "REMOVED");
  EXPECT_EQ(read("status-replacing.txt").rows[6].name, "wwn-0x5000c500a0000004");
  EXPECT_TRUE(read("status-scrub.txt").rows[4].has_note("(repairing)"));
}

TEST(ZpoolStatus, ARaidzThatGrows) {
  const StatusPool pool = read("status-expanding.txt");
  EXPECT_EQ(pool.expand,
            "expansion of raidz1-0 in progress since Sun Nov 22 05:57:18 2026\n"
            "4.37M / 53.7M copied at 373K/s, 8.14% done, 00:02:15 to go");
  EXPECT_TRUE(pool.scans.empty());
  EXPECT_EQ(pool.rows.size(), 8u);
  const Scan scan = parse_expand(pool.expand);
  EXPECT_EQ(scan.state, Scan::State::running);
  EXPECT_EQ(busy_word(scan), "expand");
  EXPECT_DOUBLE_EQ(scan.percent, 8.14);
  EXPECT_DOUBLE_EQ(scan.rate_bytes, 373 * 1024);
  EXPECT_EQ(scan.seconds_left, 135);
  EXPECT_GT(scan.started_ns, 0);
}

TEST(ZpoolStatus, AnExpansionPausedOrOver) {
  const Scan paused = parse_expand(
      "expansion of raidz1-0 in progress since Sun Nov 22 05:57:18 2026\n"
      "9.84M / 53.8M copied at 136K/s, 18.30% done, paused for resilver or clear");
  EXPECT_EQ(paused.state, Scan::State::paused);
  EXPECT_EQ(busy_word(paused), "") << "what it waits for must not wait for it";
  EXPECT_DOUBLE_EQ(paused.percent, 18.3);
  const Scan over =
      parse_expand("expanded raidz1-0 copied 53.7M in 00:05:11, on Sun Nov 22 06:02:29 2026");
  EXPECT_FALSE(over.active());
  EXPECT_FALSE(parse_expand("").active());
}

TEST(ZpoolStatus, LostData) {
  using Found = std::vector<std::string>;
  EXPECT_EQ(parse_data_errors("No known data errors"), 0u);
  EXPECT_EQ(parse_data_errors("17 data errors, use '-v' for a list"), 17u);
  EXPECT_EQ(parse_data_errors("List of errors unavailable: permission denied"), std::nullopt);
  EXPECT_EQ(parse_data_errors(""), std::nullopt);
  EXPECT_EQ(parse_data_errors("99999999999999999999999 data errors"), std::nullopt);
  const std::string head = "  pool: tank\n state: ONLINE\nconfig:\n\n\ttank  ONLINE  0  0  0\n\n";
  EXPECT_EQ(parse_damaged(head + "errors: No known data errors\n"), Found());
  EXPECT_EQ(
      parse_damaged(head +
                    "errors: Permanent errors have been detected in the following files:\n\n"
                    "        /tank/a file\n        tank/home:<0x12>\n        <metadata>:<0x0>\n"
                    "        /tank/two\nlines\n        /tank/last\n"),
      (Found{"/tank/a file", "tank/home:<0x12>", "<metadata>:<0x0>", "/tank/two", "/tank/last"}));
}

// Found by the fuzzer: a damaged label may contain any time.
TEST(ZpoolStatus, AYearThatNanosecondsCannotCountToIsNoDate) {
  const std::string ended = "resilvered 1M in 00:00:20 with 0 errors on Sat Nov 21 02:56:55 ";
  const Scan far = parse_scan(ended + "9999");
  EXPECT_EQ(far.state, Scan::State::finished);
  EXPECT_EQ(far.ended_ns, 0);
  EXPECT_EQ(far.started_ns, 0);
  EXPECT_GT(parse_scan(ended + "2026").ended_ns, 0);
  const Scan ages = parse_scan(
      "scrub repaired 0B in 9999999 days 00:00:20 with 0 errors on Sat Nov 21 02:56:55 2026");
  EXPECT_GT(ages.ended_ns, 0);
  EXPECT_EQ(ages.started_ns, 0);
  EXPECT_EQ(date_of_seconds(INT64_MAX), 0);
  EXPECT_EQ(date_of_seconds(-1), 0);
  EXPECT_EQ(date_of_seconds(1), 1'000'000'000);
}

TEST(ZpoolStatus, SectionsBlanksAndOddNames) {
  auto pools = parse_status(
      "  pool: my pool\n state: ONLINE\n  scan: none requested\nconfig:\n\n"
      "\tNAME                      STATE     READ WRITE CKSUM\n"
      "\tmy pool                   ONLINE       0     0     0\n"
      "\t  draid2:4d:8c:1s-0       ONLINE       0     0     0\n"
      "\t    /srv/a file  ONLINE   ONLINE       0     0  1.2K\n"
      "\t    123                   UNAVAIL      0     0     0  was /dev/disk/by-id/x y-part1\n"
      "\tspecial\t\n"
      "\t  mirror-1                ONLINE       0     0     0\n"
      "\tdedup\t\n"
      "\t  /dev/sdq1               ONLINE       0     0     0  (non-allocating)\n"
      "\tlogs\t\n"
      "\t  /dev/nvme0n1p1          ONLINE       0     0     0\n"
      "\tcache\n"
      "\t  /dev/nvme1n1p1          ONLINE       0     0     0\n"
      "\tspares\n"
      "\t  draid2-0-0              AVAIL   \n"
      "\t  /dev/sdz1               INUSE     in use by pool 'other'\n"
      "\nerrors: 8 data errors, use '-v' for a list\n");
  ASSERT_TRUE(pools) << pools.error().text();
  const auto& rows = pools->front().rows;
  EXPECT_EQ(pools->front().name, "my pool");
  EXPECT_EQ(rows[0].name, "my pool");
  EXPECT_EQ(rows[2].name, "/srv/a file  ONLINE");
  EXPECT_EQ(rows[2].checksum_errors, 1229u);
  EXPECT_EQ(rows[3].note, "was /dev/disk/by-id/x y-part1");
  EXPECT_EQ(rows[4].section, "special");
  EXPECT_EQ(rows[5].section, "dedup");
  EXPECT_EQ(rows[6].section, "logs");
  EXPECT_EQ(rows[7].section, "cache");
  EXPECT_EQ(rows[9].note, "in use by pool 'other'");
  EXPECT_EQ(pools->front().errors, "8 data errors, use '-v' for a list");
}

TEST(ZpoolStatus, WhatIsNotUnderstoodIsAnError) {
  const std::string head =
      "  pool: t\n state: ONLINE\nconfig:\n\n\tNAME  STATE\n\tt     ONLINE  0 0 0\n";
  EXPECT_TRUE(parse_status(head));
  EXPECT_FALSE(parse_status(head + "\t   odd  ONLINE\n"));
  EXPECT_FALSE(parse_status(head + "\t      deep  ONLINE\n"));
  EXPECT_FALSE(parse_status(head + "\t  a\n"));
  EXPECT_FALSE(parse_status(head + "\tsecond ONLINE\n"));
  EXPECT_FALSE(parse_status("  pool: t\n state: ONLINE\n"));
  ASSERT_TRUE(parse_status("no pools available\n"));
  EXPECT_TRUE(parse_status("no pools available\n")->empty());
}

// An unknown state gives a row of unknown state: the rest of the pool is still read.
TEST(ZpoolStatus, StatesOfOtherVersions) {
  const auto pools =
      parse_status(status_text("  mirror-0 DEGRADED\n    /dev/sda ONLINE\n"
                               "    /dev/sdb SPLIT split into new pool\n    /dev/sdc PARKED\n"));
  ASSERT_TRUE(pools) << pools.error().text();
  const auto& rows = pools->front().rows;
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[3].state, "SPLIT");
  EXPECT_EQ(rows[3].note, "split into new pool");
  EXPECT_EQ(rows[4].state, "UNKNOWN");
  EXPECT_EQ(rows[4].note, "PARKED");
  EXPECT_EQ(rows[4].name, "/dev/sdc");
  for (const std::string word : {"Offline", "unknown-7", "(null)", "-"}) {
    const auto others = parse_status(status_text(
        "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb " + word + " 0 0 0 was /dev/sdc1\n"));
    ASSERT_TRUE(others) << word << ": " << others.error().text();
    const auto& row = others->front().rows.back();
    EXPECT_EQ(row.name, "/dev/sdb") << word;
    EXPECT_EQ(row.state, "UNKNOWN") << word;
    EXPECT_TRUE(row.note.starts_with(word)) << row.note;
    EXPECT_EQ(others->front().rows[2].state, "ONLINE") << word;
  }
}

// Before OpenZFS 2.2, `state:` is UNAVAIL for a suspended pool.
TEST(PoolModel, ThePoolsErrorsLineSaysThatItIsSuspended) {
  Names names;
  std::string text = status_text("  /dev/sda UNAVAIL\n", "none requested", "UNAVAIL");
  const std::string none = "No known data errors";
  text.replace(text.find(none), none.size(),
               "List of errors unavailable: pool I/O is currently suspended");
  EXPECT_TRUE(names.pool(text).suspended());
  EXPECT_FALSE(
      names.pool(status_text("  /dev/sda UNAVAIL\n", "none requested", "UNAVAIL")).suspended());
}

TEST(ZpoolStatus, PoolList) {
  auto pools = parse_pool_list("tank\t18240000000000000001\tONLINE\na b\t2\tDEGRADED\n");
  ASSERT_TRUE(pools);
  ASSERT_EQ(pools->size(), 2u);
  EXPECT_EQ((*pools)[0].guid, 18240000000000000001u);
  EXPECT_EQ((*pools)[1].name, "a b");
  EXPECT_FALSE(parse_pool_list("tank\tx\tONLINE\n"));
  pools = parse_pool_list("tank\t1\tONLINE\t12\ton\nb\t2\tONLINE\t-\toff\nc\t3\tONLINE\t7\n");
  ASSERT_TRUE(pools);
  EXPECT_TRUE((*pools)[0].autoreplace);
  EXPECT_EQ((*pools)[0].capacity, 12);
  EXPECT_FALSE((*pools)[1].autoreplace);
  EXPECT_FALSE((*pools)[2].autoreplace);
}

class ScanText : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

TEST_F(ScanText, InProgress) {
  const Scan scan = parse_scans(read("status-replacing.txt").scans);
  EXPECT_EQ(scan.kind, Scan::Kind::resilver);
  EXPECT_EQ(scan.state, Scan::State::running);
  EXPECT_DOUBLE_EQ(scan.percent, 99.99);
  EXPECT_NEAR(scan.rate_bytes, 93.8 * 1048576, 1);
  EXPECT_EQ(scan.seconds_left, 0);
  EXPECT_EQ(scan.started_ns, 1795229825 * kSecond);
  EXPECT_EQ(scan.text,
            "resilver in progress since Sat Nov 21 02:57:05 2026 188M scanned at 93.8M/s, 188M "
            "issued at 93.8M/s, "
            "188M total 31.5M resilvered, 99.99% done, 00:00:00 to go");
}

TEST_F(ScanText, ItsOwnEstimateWhenZpoolGivesNone) {
  const Scan scan = parse_scans(read("status-scrub.txt").scans);
  EXPECT_EQ(scan.kind, Scan::Kind::scrub);
  EXPECT_DOUBLE_EQ(scan.percent, 51.56);
  ASSERT_TRUE(scan.seconds_left);
  EXPECT_EQ(*scan.seconds_left, static_cast<int64_t>((378 - 195) / 1.57));
  const Scan newer = parse_scan(
      "scrub in progress since Sat Nov 21 02:42:21 2026\n377M / 378M scanned at 3.04M/s, 195M / "
      "378M issued at 1.57M/s\n"
      "27.4M repaired, 51.56% done, no estimated completion time");
  EXPECT_EQ(newer.seconds_left, scan.seconds_left);
}

TEST_F(ScanText, AllForms) {
  struct Case {
    const char* text;
    Scan::Kind kind;
    Scan::State state;
    int64_t ended, left;  // -1: none
  };
  for (const Case& c : {
           Case{"none requested", Scan::Kind::none, Scan::State::none, 0, -1},
           Case{"scrub repaired 42.2M in 00:03:01 with 0 errors on Sat Nov 21 02:45:22 2026",
                Scan::Kind::scrub, Scan::State::finished, 1795229122, -1},
           Case{"resilvered 31.5M in 1 days 00:00:02 with 3 errors on Sat Nov 21 02:57:07 2026",
                Scan::Kind::resilver, Scan::State::finished, 1795229827, -1},
           Case{"resilvered (mirror-0) 31.5M in 00:00:02 with 0 errors on Sat Nov 21 02:57:07 2026",
                Scan::Kind::resilver, Scan::State::finished, 1795229827, -1},
           Case{"scrub canceled on Sat Nov 21 02:57:07 2026", Scan::Kind::scrub,
                Scan::State::canceled, 1795229827, -1},
           Case{"scrub paused since Sat Nov 21 02:57:07 2026\nscrub started on Sat Nov 21 02:45:22 "
                "2026\n1T scanned, "
                "1T issued, 2T total\n0B repaired, 50.00% done",
                Scan::Kind::scrub, Scan::State::paused, 0, -1},
           Case{"resilver (draid2:4d:8c:1s-0) in progress since Sat Nov 21 02:57:07 2026\n1T "
                "scanned at 1G/s, 1T "
                "issued at 1G/s, 2T total\n1T resilvered, 50.00% done, 2 days 03:04:05 to go",
                Scan::Kind::resilver, Scan::State::running, 0, 2 * 86400 + 3 * 3600 + 4 * 60 + 5},
       }) {
    const Scan scan = parse_scan(c.text);
    EXPECT_EQ(scan.kind, c.kind) << c.text;
    EXPECT_EQ(scan.state, c.state) << c.text;
    EXPECT_EQ(scan.ended_ns, c.ended * kSecond) << c.text;
    EXPECT_EQ(scan.seconds_left.value_or(-1), c.left) << c.text;
  }
  EXPECT_EQ(
      parse_scan("resilvered 1M in 00:00:02 with 3 errors on Sat Nov 21 02:57:07 2026").errors, 3u);
  EXPECT_EQ(
      parse_scan(
          "scrub paused since Sat Nov 21 02:57:07 2026\nscrub started on Sat Nov 21 02:45:22 2026")
          .started_ns,
      1795229122 * kSecond);
  EXPECT_EQ(
      parse_scan("resilvered 1M in 00:01:00 with 0 errors on Sat Nov 21 02:57:07 2026").started_ns,
      1795229767 * kSecond);
}

TEST_F(ScanText, OfSeveralTheActiveOne) {
  const Scan scan = parse_scans(
      {"scrub repaired 0B in 00:03:01 with 0 errors on Sat Nov 21 02:59:22 2026",
       "resilver (mirror-1) in progress since Sat Nov 21 02:57:07 2026",
       "resilvered (mirror-0) 1M in 00:00:02 with 0 errors on Sat Nov 21 02:57:07 2026"});
  EXPECT_EQ(scan.state, Scan::State::running);
}

TEST(PoolModel, TreeOfASparedPool) {
  Names names;
  const Pool pool = names.pool(fixture("status-spare.txt"));
  const int bad = pool.index_of(names.guid("wwn-0x5000c500a0000006"));
  const int spare = pool.index_of(names.guid("wwn-0x5000c500a0000007"));
  ASSERT_GT(bad, 0);
  ASSERT_GT(spare, 0);
  EXPECT_EQ(pool.vdevs[1].type, "raidz");
  EXPECT_EQ(pool.vdevs[static_cast<size_t>(pool.slot_of(bad))].type, "spare");
  EXPECT_EQ(pool.slot_of(bad), pool.slot_of(spare));
  EXPECT_EQ(pool.spare_for(bad), spare);
  EXPECT_EQ(pool.spare_for(spare), -1);
  EXPECT_EQ(pool.vdevs[static_cast<size_t>(spare)].role, "spare");
  EXPECT_FALSE(pool.vdevs[static_cast<size_t>(spare)].full);
  ASSERT_EQ(pool.spares.size(), 1u);
}

TEST(PoolModel, TypesRolesAndNames) {
  Names names;
  const Pool pool = names.pool(
      status_text("  draid2:4d:8c:1s-0 ONLINE\n    /dev/disk/by-id/wwn-0x1-part1 ONLINE\n"
                  "    spare-1 DEGRADED\n      9 UNAVAIL was /dev/disk/by-id/wwn-0x2-part1\n"
                  "      draid2-0-0 ONLINE\n    /srv/mirror-0 ONLINE\nlogs\n"
                  "  /dev/nvme0n1p1 ONLINE\ncache\n  /dev/sdb1 ONLINE\n"
                  "  /dev/sdc2 ONLINE\nspares\n  draid2-0-0 INUSE\n"));
  std::map<std::string, std::string> types, roles;
  for (const Vdev& vdev : pool.vdevs) types[vdev.name] = vdev.type, roles[vdev.name] = vdev.role;
  EXPECT_EQ(types["draid2:4d:8c:1s-0"], "draid");
  EXPECT_EQ(types["draid2-0-0"], "dspare");
  EXPECT_EQ(types["/srv/mirror-0"], "file");
  EXPECT_EQ(types["wwn-0x2"], "disk");
  EXPECT_EQ(roles["nvme0n1"], "log");
  EXPECT_EQ(roles["sdb"], "cache");
  EXPECT_EQ(roles["sdc2"], "cache") << "not partition 1: not ZFS's own";
  EXPECT_EQ(roles["draid2-0-0"], "spare");
}

// Only the kernel's names and udev's "-part1" tell the disk of a partition: the device without the
// last character may be another one.
TEST(PoolModel, NamesThatOnlyLookLikePartitions) {
  for (const char* path :
       {"/dev/mapper/vdev1", "/dev/mapper/sdcrypt1", "/dev/vg0/sdata1", "/dev/mapper/luks1",
        "/dev/disk/by-partlabel/tank-part1", "/dev/disk/by-partuuid/0fc63daf-part1",
        "/dev/zvol/tank/vda1", "/dev/nvme0n1", "/dev/dm-1", "/dev/loop1", "/dev/md1"})
    EXPECT_EQ(whole_disk_path(path), path);
  EXPECT_EQ(whole_disk_path("/dev/xvdb1"), "/dev/xvdb");
  EXPECT_EQ(whole_disk_path("/dev/md127p1"), "/dev/md127");
  EXPECT_EQ(whole_disk_path("/dev/mapper/mpatha-part1"), "/dev/mapper/mpatha");
  EXPECT_FALSE(is_one_of_partitions("/dev/vg0/sdata2"));
  EXPECT_FALSE(is_one_of_partitions("/dev/mapper/sda3"));
}

// "sda" may be another disk now.
TEST(PoolModel, ANameOfAnEarlierBootIsNoName) {
  Names names;
  const Pool pool = names.pool(
      status_text("  mirror-0 DEGRADED\n    /dev/sdx ONLINE\n    77123 UNAVAIL was /dev/sda1\n"
                  "    9 UNAVAIL was /dev/disk/by-id/wwn-0x2-part1\n"));
  ASSERT_EQ(pool.vdevs.size(), 5u);
  EXPECT_EQ(pool.vdevs[3].name, "77123");
  EXPECT_EQ(pool.vdevs[3].path, "/dev/sda1");
  EXPECT_TRUE(pool.vdevs[3].former);
  EXPECT_EQ(pool.vdevs[4].name, "wwn-0x2");
  EXPECT_FALSE(pool.vdevs[4].former);
}

TEST(PoolModel, AChangeInBetweenIsSeen) {
  Names names;
  auto a =
      parse_status(status_text("  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n"));
  auto b = parse_status(status_text("  mirror-0 ONLINE\n    /dev/sda ONLINE\n"));
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(same_shape(*a, *a));
  EXPECT_FALSE(same_shape(*a, *b));
  EXPECT_FALSE(build_pools({{"tank", "ONLINE", 1}}, names.as_guids(*a), {}))
      << "a guid without a name";
  EXPECT_FALSE(build_pools({{"other", "ONLINE", 1}}, names.as_guids(*a),
                           collect_names(names.as_guids(*a), *a)));
}

}  // namespace
}  // namespace fmd::zfs::zpool_status_test
