#include "plugins/zfs/event_convert.h"

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/eid_tracker.h"
#include "plugins/zfs/redundancy.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

using test::fixture;

std::vector<sdk::OutEvent> converted(const std::string& name, const EventContext& context = {}) {
  std::vector<sdk::OutEvent> result;
  for (const ZpoolEvent& event : parse_zpool_events(fixture(name)))
    if (auto out = to_event(event, context)) result.push_back(std::move(*out));
  return result;
}

TEST(EventConvert, AScrubsChecksumErrors) {
  const auto events = converted("events-scrub.txt");
  ASSERT_EQ(events.size(), 6u) << "without history_event and config_sync";
  const sdk::OutEvent& first = events[3];
  EXPECT_EQ(first.event_class, "ereport.fs.zfs.checksum");
  EXPECT_EQ(first.resource, "zfs://pool=18237138222896669860/vdev=3304510844007669571");
  EXPECT_EQ(first.ena, 0x725c738c4a00401u);
  EXPECT_EQ(first.payload["scan"], "scrub") << "metadata: only SCAN_THREAD";
  EXPECT_EQ(first.payload["context"], "none");
  EXPECT_EQ(first.payload["vdev_type"], "disk");
  EXPECT_EQ(first.payload["eid"], 0x30);
  EXPECT_EQ(first.payload["zio_offset"], 0x9598000);
  EXPECT_EQ(first.payload["bad_ranges"], nlohmann::json({0, 0x3000}));
  EXPECT_EQ(events[4].payload["scan"], "scrub") << "data: SCRUB";
}

TEST(EventConvert, WhatIsPostedOnAPairIsTheLeafsThatWasRead) {
  test::Names names;
  const auto pair_of = [&](const std::string& rows) {
    const Pool pool =
        names.pool(test::status_text("  raidz1-0 DEGRADED\n    /dev/sda OFFLINE\n" + rows));
    return read_leaf(pool, names.guid("spare-1"));
  };
  const std::string pair = "    spare-1 DEGRADED\n";
  EXPECT_EQ(pair_of(pair + "      /dev/sdb FAULTED\n      /dev/sds ONLINE\n"),
            names.guid("/dev/sds"));
  EXPECT_EQ(pair_of(pair + "      /dev/sdb DEGRADED\n      /dev/sds ONLINE (resilvering)\n"),
            names.guid("/dev/sdb"));
  EXPECT_EQ(pair_of(pair + "      /dev/sdb DEGRADED\n      /dev/sds ONLINE\n"), 0U)
      << "either may have been read";
  EXPECT_EQ(pair_of(pair + "      /dev/sdb FAULTED\n      /dev/sds FAULTED\n"), 0U);
  EXPECT_EQ(pair_of(pair + "      /dev/sdb FAULTED\n      draid1-0-0 ONLINE\n"),
            names.guid("draid1-0-0"))
      << "none of the rules about disks is to look at it: its vdev_type is dspare";
  const Pool pool = names.pool(test::status_text("  raidz1-0 ONLINE\n    /dev/sda ONLINE\n"));
  EXPECT_EQ(read_leaf(pool, names.guid("raidz1-0")), 0U);
  EXPECT_EQ(read_leaf(pool, names.guid("/dev/sda")), 0U);

  ZpoolEvent event;
  event.event_class = "ereport.fs.zfs.checksum";
  event.members = {
      {"pool_guid", uint64_t{7}}, {"vdev_guid", uint64_t{8}}, {"vdev_type", std::string("spare")}};
  const EventContext context{.vdev_type = [](uint64_t, uint64_t) { return std::string("disk"); },
                             .resilvering = {},
                             .read_leaf = [](uint64_t, uint64_t) { return uint64_t{9}; }};
  auto out = to_event(event, context);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->resource, "zfs://pool=7/vdev=9");
  EXPECT_EQ(out->payload["vdev_type"], "disk");
  EXPECT_EQ(out->payload["posted_on"], "zfs://pool=7/vdev=8");
  event.event_class = "ereport.fs.zfs.vdev.open_failed";
  EXPECT_EQ(to_event(event, context)->resource, "zfs://pool=7/vdev=8");
}

TEST(EventConvert, OrdinaryReadsImportsAndPools) {
  bool read = false;
  for (const auto& event : converted("events-read.txt"))
    if (event.event_class == "ereport.fs.zfs.checksum") {
      read = true;
      EXPECT_EQ(event.payload["scan"], "");
    }
  EXPECT_TRUE(read);
  int imports = 0;
  for (const auto& event : converted("events-import.txt"))
    if (event.event_class == "ereport.fs.zfs.checksum" && event.payload["context"] == "import")
      ++imports;
  EXPECT_EQ(imports, 2);
  const auto events = converted(
      "events-replace.txt",
      {.vdev_type = [](uint64_t, uint64_t) { return "disk"; }, .resilvering = {}, .read_leaf = {}});
  EXPECT_EQ(events.front().event_class, "resource.fs.zfs.statechange");
  EXPECT_EQ(events.front().payload["vdev_state"], "REMOVED");
  EXPECT_EQ(events.front().payload["vdev_type"], "disk");
  for (const auto& event : events)
    if (event.event_class == "sysevent.fs.zfs.resilver_finish") {
      EXPECT_EQ(event.resource.find("vdev"), std::string::npos);
    }
}

// OpenZFS 2.3 prints names after a zio's numbers.
TEST(EventConvert, NamesBehindNumbers) {
  std::map<std::string, std::vector<std::string>> scans;  // class → kinds of reads
  size_t count = 0;
  for (const ZpoolEvent& event : parse_zpool_events(fixture("events-2.3.9.txt"))) {
    ++count;
    const auto out = to_event(event, {});
    ASSERT_TRUE(out) << event.event_class;
    EXPECT_NE(out->payload["context"], "error") << event.event_class;
    if (!event.event_class.starts_with("ereport.")) continue;
    scans[event.event_class].push_back(out->payload["scan"]);
    if (event.number("zio_err")) {
      EXPECT_TRUE(event.number("zio_flags").value_or(0)) << event.event_class;
      EXPECT_TRUE(event.number("zio_priority")) << event.event_class;
      EXPECT_TRUE(out->ena) << event.event_class;
    }
  }
  EXPECT_EQ(count, 14u);
  using Words = std::vector<std::string>;
  EXPECT_EQ(scans["ereport.fs.zfs.checksum"], (Words{"scrub", ""}));
  EXPECT_EQ(scans["ereport.fs.zfs.delay"], Words{""});
}

TEST(EventConvert, WhoseReadItWas) {
  ZpoolEvent event;
  const auto with = [&](uint64_t flags, uint64_t priority) {
    event.members = {{"zio_flags", flags}, {"zio_priority", priority}};
    return event;
  };
  EXPECT_EQ(scan_of(with(0x80, 0), false), "");
  EXPECT_EQ(scan_of(with(0x80 | 1 << 3, 0), false), "resilver");
  EXPECT_EQ(scan_of(with(0x80 | 1 << 4 | 1 << 5, 4), true), "scrub");
  EXPECT_EQ(scan_of(with(0x80 | 1 << 5, 4), true), "resilver");
  EXPECT_EQ(scan_of(with(0x80, 4), false), "scrub");
  EXPECT_EQ(context_name(2), "import");
  EXPECT_EQ(context_name(6), "create");
}

using Verdict = EidTracker::Verdict;
using Ring = std::vector<std::pair<uint64_t, int64_t>>;
constexpr int64_t kSecond = 1000000000;

TEST(EidTracker, CursorText) {
  EXPECT_EQ((EventCursor{"b00t", 12, 34}.str()), "b00t:12:34");
  EXPECT_EQ(EventCursor::parse("b00t:12:34").eid, 12u);
  EXPECT_EQ(EventCursor::parse("b00t:12").boot, "b00t");
  for (const char* bad : {"", "b", "b:x", "b:1:x", "b:1:2:3"})
    EXPECT_EQ(EventCursor::parse(bad).boot, "") << bad;
}

TEST(EidTracker, ResumesBehindTheCursor) {
  EidTracker tracker;
  tracker.begin({"boot", 5, 50}, "boot", {{4, 40}, {5, 50}, {6, 60}});
  EXPECT_EQ(tracker.take(4, 40, 0), Verdict::old);
  EXPECT_EQ(tracker.take(5, 50, 0), Verdict::old);
  EXPECT_EQ(tracker.take(6, 60, 0), Verdict::fresh);
  EXPECT_TRUE(tracker.lost(10 * kSecond).empty());
  EXPECT_EQ(tracker.cursor().str(), "boot:6:60");
}

TEST(EidTracker, EpochsBeginAnew) {
  struct Case {
    const char* why;
    EventCursor cursor;
    Ring ring;
    bool same;
  };
  for (const Case& c :
       {Case{"reboot", {"other", 5, 50}, {{1, 90}}, false},
        Case{"module loaded anew, fewer events", {"boot", 5, 50}, {{1, 90}, {2, 91}}, false},
        Case{"module loaded anew, as many", {"boot", 5, 50}, {{4, 90}, {5, 91}, {6, 92}}, false},
        Case{"ring cleared", {"boot", 5, 50}, {}, true},
        Case{"time not known", {"boot", 5, 0}, {{5, 50}}, true}}) {
    EidTracker tracker;
    tracker.begin(c.cursor, "boot", c.ring);
    EXPECT_EQ(tracker.take(1, 90, 0) == Verdict::old, c.same) << c.why;
  }
}

TEST(EidTracker, AGapIsALossAfterASecond) {
  EidTracker tracker;
  tracker.begin({"boot", 5, 50}, "boot", {{5, 50}});
  EXPECT_EQ(tracker.take(9, 90, 0), Verdict::fresh);
  EXPECT_TRUE(tracker.lost(kSecond / 2).empty());
  EXPECT_EQ(tracker.take(7, 70, kSecond / 2), Verdict::fresh) << "only late";
  const auto lost = tracker.lost(2 * kSecond);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].from, 6u);
  EXPECT_EQ(lost[0].to, 6u);
  EXPECT_EQ(lost[1].from, 8u);
  EXPECT_FALSE(tracker.waiting());
}

TEST(EidTracker, TheVeryFirstStartLosesNothing) {
  EidTracker first, reboot;
  first.begin({}, "boot", {{100, 1}});
  EXPECT_EQ(first.take(100, 1, 0), Verdict::fresh);
  EXPECT_TRUE(first.lost(9 * kSecond).empty());
  reboot.begin({"before", 3, 1}, "boot", {{100, 1}});
  EXPECT_EQ(reboot.take(100, 1, 0), Verdict::fresh);
  ASSERT_EQ(reboot.lost(9 * kSecond).size(), 1u) << "1 to 99 of this boot";
}

TEST(EidTracker, ANumberTwiceIsForeign) {
  EidTracker tracker;
  tracker.begin({"boot", 5, 50}, "boot", {{5, 50}});
  EXPECT_EQ(tracker.take(6, 60, 0), Verdict::fresh);
  EXPECT_EQ(tracker.take(7, 60, 0), Verdict::fresh);
  EXPECT_EQ(tracker.take(6, 61, 0), Verdict::foreign);
  tracker.rewind(6);
  EXPECT_EQ(tracker.take(7, 70, 0), Verdict::fresh) << "the real one";
}

}  // namespace
}  // namespace fmd::zfs
