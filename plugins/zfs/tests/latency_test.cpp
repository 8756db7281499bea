#include "plugins/zfs/latency.h"

#include <algorithm>
#include <random>

#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

TEST(Latency, TheRecordingOfAPoolThatIsReadAndWritten) {
  const auto period = parse_iostat(test::fixture("iostat-2.1.11.txt"), 10);
  ASSERT_EQ(period.size(), 7u);  // the raidz and its six disks; the pool has a name
  const PeriodWaits& first = period.at(367254309358637848);
  EXPECT_EQ(first.reads.operations, 110);
  EXPECT_NEAR(first.reads.milliseconds, 11.289523, 1e-9);
  EXPECT_EQ(first.writes.operations, 200);
  EXPECT_NEAR(first.writes.milliseconds, 6.500177, 1e-9);
}

TEST(Latency, WhatIsNotUnderstoodIsLeftOut) {
  for (const char* text : {"", "\n\n", "12", "tank\t1\t2\t3", "12\t0\t0\t1\t1\t0\t0\t1\t1",
                           "x\t0\t0\t1\t1\t0\t0\t1\t1\t1\t1", "0\t0\t0\t1\t1\t0\t0\t1\t1\t1\t1"})
    EXPECT_TRUE(parse_iostat(text, 1).empty()) << text;
  const auto idle = parse_iostat("12\t0\t0\t0\t0\t0\t0\t-\t-\t-\t-\t-\n", 1);
  EXPECT_EQ(idle.at(12).reads.operations, 0);
  EXPECT_EQ(parse_iostat("12\t0\t0\t1\t1\t0\t0\t1\t1\tnan\tinf\n", 1).at(12).reads.milliseconds, 0)
      << "what is no number cannot be sorted";
  EXPECT_EQ(parse_iostat("12\t0\t0\tnan\t-1\t0\t0\t-\t-\t5\t5\n", 1).at(12).writes.operations, 0);
}

TEST(Slowness, IsCountedInIqrAboveTheOthers) {
  EXPECT_EQ(slowness(8, {8, 8, 8, 8}), 0);
  EXPECT_EQ(slowness(4, {8, 8, 8, 8}), 0);
  EXPECT_EQ(slowness(108, {8, 8, 8, 8}), 50);            // IQR: a quarter of Q1, 2 ms
  EXPECT_EQ(slowness(10.1, {0.1, 0.1, 0.1, 0.1}), 10);   // at least 1 ms
  EXPECT_EQ(slowness(60, {4, 6, 8, 10, 10}), 50.0 / 4);  // Q1 6, Q3 10
  EXPECT_LT(*slowness(900, {8, 8, 8, 900}), 2);          // two slow disks: suspect what they share
  for (const std::vector<double>& few : {std::vector<double>{}, {8}, {8, 8}, {8, 8, 8}})
    EXPECT_EQ(slowness(1000, few), std::nullopt);
}

Pool raidz(size_t disks) {
  test::Names names;
  std::string rows = "  raidz2-0 ONLINE\n";
  for (size_t i = 0; i < disks; ++i) rows += "    /dev/disk" + std::to_string(i) + " ONLINE\n";
  return names.pool(test::status_text(rows));
}

// One period with these average times, by leaf.
std::map<uint64_t, PeriodWaits> period(const Pool& pool, const std::vector<double>& ms,
                                       double operations = 1000) {
  std::map<uint64_t, PeriodWaits> all;
  size_t next = 0;
  for (const Vdev& vdev : pool.vdevs)
    if (vdev.leaf()) {
      all[vdev.guid] = {{operations, ms[next]}, {operations, ms[next]}};
      ++next;
    }
  return all;
}

// Names and positions do not matter: the verdict follows the latency.
TEST(LatencyWindow, RelabelledSiblingsChangeNothing) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const Pool pool = raidz(2 + random() % 9);
    std::vector<double> ms;
    for (size_t i = 1; i < pool.vdevs.size(); ++i)
      if (pool.vdevs[i].leaf()) ms.push_back(random() % 20 ? 1.0 + random() % 2000 / 100.0 : 5000);
    std::vector<size_t> order(ms.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> relabelled(ms.size());
    for (size_t i = 0; i < order.size(); ++i) relabelled[order[i]] = ms[i];
    LatencyWindow a, b;
    a.add(period(pool, ms));
    b.add(period(pool, relabelled));
    std::vector<LeafLatency> first, second;
    for (const auto& [guid, its] : a.judge(pool)) first.push_back(its);
    for (const auto& [guid, its] : b.judge(pool)) second.push_back(its);
    ASSERT_EQ(first.size(), ms.size());
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(first[i].read_ms, second[order[i]].read_ms);
      ASSERT_EQ(first[i].read_slowness, second[order[i]].read_slowness) << "round " << round;
      ASSERT_EQ(first[i].write_slowness, second[order[i]].write_slowness);
    }
  }
}

TEST(LatencyWindow, TooFewToCompareSayNothing) {
  for (const size_t disks : {2u, 3u, 4u}) {
    const Pool pool = raidz(disks);
    LatencyWindow window;
    std::vector<double> ms(disks, 8);
    ms[0] = 9000;
    window.add(period(pool, ms));
    for (const auto& [guid, its] : window.judge(pool)) EXPECT_EQ(its.read_slowness, 0);
  }
}

TEST(LatencyWindow, OneBadMinuteIsLevelledByTheOthers) {
  const Pool pool = raidz(6);
  const uint64_t slow = pool.vdevs[2].guid;
  LatencyWindow window;
  for (int minute = 0; minute < 9; ++minute) window.add(period(pool, {8, 8, 8, 8, 8, 8}));
  window.add(period(pool, {400, 8, 8, 8, 8, 8}));
  EXPECT_LT(window.judge(pool).at(slow).read_slowness, 50);
  for (int minute = 0; minute < 9; ++minute) window.add(period(pool, {400, 8, 8, 8, 8, 8}));
  EXPECT_EQ(window.judge(pool).at(slow).read_slowness, 196);  // (400 - 8) / 2
  EXPECT_EQ(window.judge(pool).at(slow).read_siblings_ms, 8);
  for (int minute = 0; minute < 10; ++minute) window.add(period(pool, {8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(window.judge(pool).at(slow).read_slowness, 0);
  for (int minute = 0; minute < 10; ++minute) window.add(period(pool, {900, 8, 8, 8, 8, 8}, 9));
  EXPECT_EQ(window.judge(pool).at(slow).read_ms, 0);  // too few reads for an average
}

// An earlier verdict must not stay forever.
TEST(LatencyWindow, WhoIsComparedNoMoreIsNotSlow) {
  Pool pool = raidz(6);
  LatencyWindow window;
  window.add(period(pool, {400, 8, 8, 8, 8, 8}));
  const uint64_t slow = pool.vdevs[2].guid;
  EXPECT_GT(window.judge(pool).at(slow).read_slowness, 50);
  pool.vdevs[2].state = "DEGRADED";
  EXPECT_EQ(window.judge(pool).at(slow).read_slowness, 0);
}

// Mirrors are compared with each other; resilvering, broken and cache devices are not compared.
TEST(LatencyWindow, WhoIsCompared) {
  test::Names names;
  const Pool pool = names.pool(test::status_text(
      "  mirror-0 ONLINE\n    /dev/a ONLINE\n    /dev/b ONLINE\n  mirror-1 ONLINE\n    /dev/c "
      "ONLINE\n    /dev/d DEGRADED\n"
      "  raidz1-2 DEGRADED\n    /dev/e ONLINE\n    /dev/f FAULTED\n    replacing-2 ONLINE\n      "
      "/dev/g ONLINE\n"
      "      /dev/h ONLINE (resilvering)\nlogs\n  /dev/i ONLINE\ncache\n  /dev/j ONLINE\n"));
  std::vector<std::string> groups;
  for (const auto& group : sibling_groups(pool)) {
    std::string words;
    for (const uint64_t guid : group) words += pool.find(guid)->name;
    groups.push_back(words);
  }
  std::sort(groups.begin(), groups.end());
  EXPECT_EQ(groups, (std::vector<std::string>{"abc", "eg", "i"}));
}

}  // namespace
}  // namespace fmd::zfs
