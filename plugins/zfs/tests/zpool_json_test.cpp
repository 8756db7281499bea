#include "plugins/zfs/zpool_json.h"

#include <time.h>

#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs::zpool_json_test {
namespace {

using test::fixture;

constexpr int64_t kSecond = 1000000000;

class ZpoolJson : public testing::Test {
 protected:
  void SetUp() override {  // time zone of the recordings
    setenv("TZ", "UTC", 1);
    tzset();
  }
  static Pool built(const StatusPool& status, uint64_t guid, const VdevNames& names) {
    auto pools = build_pools({{status.name, "ONLINE", guid}}, {status}, names);
    EXPECT_TRUE(pools) << (pools ? "" : pools.error().text());
    return pools ? pools->front() : Pool();
  }
  static Pool by_json(const std::string& text, int64_t now_ns = 0) {
    auto status = parse_status_json(text, now_ns);
    EXPECT_TRUE(status) << (status ? "" : status.error().text());
    return status ? built(status->pool, status->guid, status->names) : Pool();
  }
  static Pool by_text(const std::string& name, uint64_t guid) {
    auto paths = parse_status(fixture(name + "-paths.txt"));
    auto guids = parse_status(fixture(name + "-guids.txt"));
    EXPECT_TRUE(paths && guids);
    return built(guids->front(), guid, collect_names(*guids, *paths));
  }
  static void same(const Vdev& a, const Vdev& b) {
    SCOPED_TRACE(b.name);
    EXPECT_EQ(a.guid, b.guid);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.path, b.path);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.role, b.role);
    EXPECT_EQ(a.state, b.state);
    EXPECT_EQ(a.note, b.note);
    EXPECT_EQ(a.read_errors, b.read_errors);
    EXPECT_EQ(a.write_errors, b.write_errors);
    EXPECT_EQ(a.checksum_errors, b.checksum_errors);
    EXPECT_EQ(a.parent, b.parent);
    EXPECT_EQ(a.children, b.children);
    EXPECT_EQ(a.full, b.full);
  }
  static void same(const Scan& a, const Scan& b) {
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.state, b.state);
    EXPECT_EQ(a.started_ns, b.started_ns);
    EXPECT_EQ(a.ended_ns, b.ended_ns);
    EXPECT_EQ(a.errors, b.errors);
    EXPECT_EQ(a.repaired, b.repaired);
    if (a.ended_ns) {  // except for the unit of the amount
      EXPECT_EQ(a.text.substr(a.text.find(" in ")), b.text.substr(b.text.find(" in ")));
    }
  }
};

// The text was printed just before or after the JSON, so only the progress of scans differs.
TEST_F(ZpoolJson, GivesTheModelThatTheTextGives) {
  for (const std::string name :
       {"json-scrub", "json-spare", "json-replacing", "json-resolved", "json-expanding"}) {
    SCOPED_TRACE(name);
    const Pool json = by_json(fixture(name + ".json"));
    const Pool text = by_text(name, json.guid);
    EXPECT_EQ(json.name, text.name);
    EXPECT_EQ(json.health, text.health);
    EXPECT_EQ(json.errors, text.errors);
    EXPECT_EQ(json.data_errors, text.data_errors);
    same(json.scan, text.scan);
    same(json.expand, text.expand);
    ASSERT_EQ(json.vdevs.size(), text.vdevs.size());
    ASSERT_EQ(json.spares.size(), text.spares.size());
    for (size_t i = 0; i < json.vdevs.size(); ++i) same(json.vdevs[i], text.vdevs[i]);
    for (size_t i = 0; i < json.spares.size(); ++i) same(json.spares[i], text.spares[i]);
  }
}

TEST_F(ZpoolJson, WhatIsLeftIsReckonedFromTheLastPass) {
  const Pool pool = by_json(fixture("json-spare.json"), int64_t{1795326969 + 5} * kSecond);
  EXPECT_EQ(pool.scan.state, Scan::State::running);
  EXPECT_NEAR(pool.scan.percent, 99.8, 0.1);  // 72.1M of 72.4M less 130K
  EXPECT_NEAR(pool.scan.rate_bytes, 72.1 * 1024 * 1024 / 5, 1);
  EXPECT_EQ(pool.scan.seconds_left, 0);
  EXPECT_EQ(by_json(fixture("json-spare.json"), 0).scan.seconds_left,
            std::nullopt);  // the clock was set back
}

TEST_F(ZpoolJson, APausedScrub) {
  const Pool pool = by_json(fixture("json-paused.json"));
  EXPECT_EQ(pool.scan.kind, Scan::Kind::scrub);
  EXPECT_EQ(pool.scan.state, Scan::State::paused);
  EXPECT_EQ(pool.scan.started_ns, int64_t{1795327031} * kSecond);
  EXPECT_EQ(busy_word(pool.work()), "");
}

// With --json-int, and content that the recordings lack; keys as in zpool_main.c.
std::string with(const std::string& vdevs, const std::string& more = "",
                 const std::string& spare = "{}") {
  return R"({"pools":{"tank":{"name":"tank","state":"DEGRADED","pool_guid":77,)" + more +
         R"("vdevs":{"tank":{"name":"tank","vdev_type":"root","guid":77,"state":"DEGRADED","vdevs":)" +
         vdevs + R"(}},"spares":)" + spare + R"(,"error_count":17}}})";
}

TEST_F(ZpoolJson, NumbersAndWhatIsNotThere) {
  const Pool pool = by_json(with(
      R"({"z":{"name":"z","vdev_type":"disk","guid":12,"path":"/dev/sdz1","state":"ONLINE","read_errors":3,"write_errors":4,"checksum_errors":5},)"
      R"("13":{"name":"13","vdev_type":"disk","guid":13,"path":"/dev/sdb1","state":"CANT_OPEN","not_present":1,"was":"/dev/sdb1"},)"
      R"("indirect-2":{"name":"indirect-2","vdev_type":"indirect","guid":14,"state":"ONLINE"},)"
      R"("a":{"name":"a","vdev_type":"disk","guid":15,"path":"/dev/sda1","state":"FAULTED","aux":"EXTERNAL_PERSIST","scan_processed":7}})",
      R"("scan_stats":{"function":"RESILVER","state":"SCANNING","start_time":1795326969,"end_time":0},)",
      R"({"draid1-0-0":{"name":"draid1-0-0","vdev_type":"dspare","guid":16,"state":"AVAIL"},)"
      R"("s":{"name":"s","vdev_type":"disk","guid":17,"path":"/dev/sds1","state":"INUSE","aux":"SPARED","used_by":"dozer"}})"));
  EXPECT_EQ(pool.data_errors, 17u);
  ASSERT_EQ(pool.vdevs.size(), 4u);  // in the order of the output
  EXPECT_EQ(pool.vdevs[1].read_errors, 3u);
  EXPECT_EQ(pool.vdevs[1].checksum_errors, 5u);
  EXPECT_EQ(pool.vdevs[2].name, "13");  // "was"
  EXPECT_EQ(pool.vdevs[2].path, "/dev/sdb1");
  EXPECT_TRUE(pool.vdevs[3].fault_forced());
  EXPECT_FALSE(pool.vdevs[3].full);  // (resilvering)
  ASSERT_EQ(pool.spares.size(), 2u);
  EXPECT_EQ(pool.spares[0].type, "dspare");
  EXPECT_EQ(pool.spares[1].note, "in use by pool 'dozer'");
}

// Seen for a disk that was absent at the import (OpenZFS 2.3.9): the text uses other names.
TEST_F(ZpoolJson, StatesInTheWordsOfTheText) {
  const auto state = [](const std::string& words) {
    return by_json(with(R"({"a":{"name":"a","vdev_type":"disk","guid":15,"path":"/dev/sda1",)" +
                        words + "}}"))
        .vdevs[1]
        .state;
  };
  EXPECT_EQ(state(R"("state":"CANT_OPEN","was":"/dev/sda1")"), "UNAVAIL");
  EXPECT_EQ(state(R"("state":"CANT_OPEN","aux":"OPEN_FAILED")"), "UNAVAIL");
  EXPECT_EQ(state(R"("state":"CANT_OPEN","aux":"CORRUPT_DATA")"), "FAULTED");
  EXPECT_EQ(state(R"("state":"CANT_OPEN","aux":"BAD_LOG")"), "FAULTED");
  EXPECT_EQ(state(R"("state":"CANT_OPEN","aux":"SPLIT_POOL")"), "SPLIT");
  EXPECT_EQ(state(R"("state":"CLOSED")"), "OFFLINE");
  for (const std::string same : {"ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "REMOVED"})
    EXPECT_EQ(state(R"("state":")" + same + '"'), same);
}

// Unknown content is left to the text.
TEST_F(ZpoolJson, NothingIsGuessed) {
  EXPECT_TRUE(parse_status_json(with("{}"), 0));
  const std::string disk = R"({"a":{"name":"a","vdev_type":"disk","guid":15,"state":"ONLINE"}})";
  EXPECT_TRUE(parse_status_json(with(disk), 0));
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string(R"({"pools":{}})"),
        std::string(R"({"pools":{"a":1}})"),
        with(R"({"a":{"name":"a","vdev_type":"disk","state":"ONLINE"}})"),
        with(R"({"a":{"name":"a","vdev_type":"disk","guid":15}})"),
        with(R"({"a":{"name":"a","vdev_type":"disk","guid":15,"state":"NEW_WORD"}})"),
        with(disk, R"("scan_stats":{"rebuild_stats":{"draid1-0":{"state":"ACTIVE"}}},)")})
    EXPECT_FALSE(parse_status_json(text, 0)) << text;
}

// 10,000 disks in mirrors: 4 MB, with the members that zpool prints for each.
TEST_F(ZpoolJson, APoolOfTenThousandDisks) {
  std::string vdevs = "{";
  uint64_t guid = 100;
  for (int mirror = 0; mirror < 5000; ++mirror) {
    const auto disk = [&](char side) {
      const std::string name = "wwn-0x5000c500a" + std::to_string(mirror) + side;
      return '"' + name + R"(":{"name":")" + name + R"(","vdev_type":"disk","guid":)" +
             std::to_string(++guid) + R"(,"path":"/dev/disk/by-id/)" + name +
             R"(-part1","phys_path":"pci-0000:00:02.0-scsi-0:0:0:0","devid":"scsi-35000c500a0000001",)"
             R"("class":"normal","state":"ONLINE","rep_dev_size":250609664,"phys_space":257949696,)"
             R"("read_errors":0,"write_errors":0,"checksum_errors":0,"slow_ios":0})";
    };
    const std::string name = "mirror-" + std::to_string(mirror);
    vdevs += (mirror ? ",\"" : "\"") + name + R"(":{"name":")" + name +
             R"(","vdev_type":"mirror","guid":)" + std::to_string(++guid) +
             R"(,"state":"ONLINE","vdevs":{)" + disk('a') + "," + disk('b') + "}}";
  }
  const std::string text = with(vdevs + "}");
  EXPECT_LT(text.size(), 16U << 20) << "as much as the output of a command may have";
  const clock_t begun = clock();
  const auto status = parse_status_json(text, 0);
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(built(status->pool, 77, status->names).vdevs.size(), 15'001U);
  EXPECT_LT((clock() - begun) / CLOCKS_PER_SEC, 20) << "seconds of a processor";
}

TEST_F(ZpoolJson, NestingIsLimited) {
  std::string vdevs = "{}";
  for (int level = 0; level < 200; ++level)
    vdevs = R"({"m":{"name":"m","vdev_type":"mirror","guid":15,"state":"ONLINE","vdevs":)" + vdevs +
            "}}";
  EXPECT_FALSE(parse_status_json(with(vdevs), 0));
}

}  // namespace
}  // namespace fmd::zfs::zpool_json_test
