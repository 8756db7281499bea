#include "plugins/zfs/zpool_events.h"

#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

using test::fixture;

const EventMember* member(const ZpoolEvent& event, std::string_view name) {
  for (const auto& [key, value] : event.members)
    if (key == name) return &value;
  return nullptr;
}

TEST(ZpoolEvents, ReadsARecordedScrub) {
  const auto events = parse_zpool_events(fixture("events-scrub.txt"));
  ASSERT_EQ(events.size(), 12u);
  EXPECT_EQ(events[0].event_class, "sysevent.fs.zfs.pool_export");
  EXPECT_EQ(events[0].eid, 0x27u);
  const ZpoolEvent& e = events[9];
  EXPECT_EQ(e.event_class, "ereport.fs.zfs.checksum");
  EXPECT_EQ(e.eid, 0x30u);
  EXPECT_EQ(e.time_ns, 0x6b01050eLL * 1000000000 + 0x2dc6c00);
  EXPECT_EQ(e.number("pool_guid"), 0xfd175496d77464a4u);
  EXPECT_EQ(e.number("vdev_guid"), 0x2ddbfb1ac580df43u);
  EXPECT_EQ(e.text("vdev_path"), "/dev/disk/by-id/wwn-0x5000c500a0000003-part1");
  EXPECT_EQ(e.text("vdev_enc_sysfs_path"), "/sys/class/enclosure/fakeses0/SLOT 03");
  EXPECT_EQ(e.number("zio_priority"), 4u);
  EXPECT_FALSE(e.number("version")) << "of the detector, which is nested";
  using Numbers = std::vector<uint64_t>;
  EXPECT_EQ(std::get<Numbers>(*member(e, "bad_ranges")), (Numbers{0, 0x3000}));
  EXPECT_EQ(std::get<Numbers>(*member(e, "bad_set_histogram")).size(), 64u);
  EXPECT_EQ(std::get<Numbers>(*member(e, "vdev_spare_guids")), Numbers{0xf92ad60567e57cb8u});
  EXPECT_EQ(std::get<std::vector<std::string>>(*member(e, "vdev_spare_paths")),
            std::vector<std::string>{"/dev/disk/by-id/wwn-0x5000c500a0000007-part1"});
}

TEST(ZpoolEvents, ReadsAllRecordings) {
  for (const auto& [name, count] : std::map<std::string, size_t>{{"events-io.txt", 13},
                                                                 {"events-replace.txt", 13},
                                                                 {"events-read.txt", 16},
                                                                 {"events-import.txt", 9}}) {
    ZpoolEventParser parser;
    std::istringstream lines(fixture(name));
    size_t events = 0;
    uint64_t last = 0;
    for (std::string line; std::getline(lines, line);)
      if (auto event = parser.line(line)) {
        ++events;
        EXPECT_GT(event->eid, last);
        last = event->eid;
      }
    if (parser.line("")) ++events;
    EXPECT_EQ(events, count) << name;
    EXPECT_EQ(parser.damaged(), 0u) << name;
  }
}

TEST(ZpoolEvents, StatesHaveAWordAndANumber) {
  for (const auto& e : parse_zpool_events(fixture("events-replace.txt")))
    if (e.event_class == "resource.fs.zfs.statechange") {
      EXPECT_EQ(e.text("vdev_state"), "REMOVED");
      EXPECT_EQ(e.text("vdev_laststate"), "ONLINE");
    }
}

std::string block(const std::string& members, const std::string& eid = "0x5") {
  return "Nov 21 2026 02:42:22.048000000 ereport.fs.zfs.io\n        class = "
         "\"ereport.fs.zfs.io\"\n" +
         members + "        time = 0x6b01050e 0x2dc6c00 \n        eid = " + eid + "\n\n";
}

TEST(ZpoolEvents, StringsHoldAnything) {
  const auto events =
      parse_zpool_events(block("        a = \"quote \" in it, = and (embedded nvlist)\"\n"
                               "        b = \"\"\n"
                               "        c = \"two\nlines\"\n"
                               "        d = \"x\" \"y z\" \n"
                               "        e = \"ends with \\\"\n"
                               "        f = \"\303\244\001\"\n"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].text("a"), "quote \" in it, = and (embedded nvlist)");
  ASSERT_TRUE(member(events[0], "b"));
  EXPECT_EQ(std::get<std::string>(*member(events[0], "b")), "");
  EXPECT_EQ(events[0].text("c"), "two\nlines");
  EXPECT_EQ(std::get<std::vector<std::string>>(*member(events[0], "d")),
            (std::vector<std::string>{"x", "y z"}));
  EXPECT_EQ(events[0].text("e"), "ends with \\");
  EXPECT_EQ(events[0].text("f"), "\303\244\001");
}

TEST(ZpoolEvents, NumbersOfNewerZpools) {
  const auto events =
      parse_zpool_events(block("        zio_priority = \"scrub\" (0x4)\n"
                               "        zio_flags = 0x1000a0 [SCAN_THREAD CANFAIL]\n"
                               "        big = 0xffffffffffffffff\n"
                               "        empty = \n"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].number("zio_priority"), 4u);
  EXPECT_EQ(events[0].number("zio_flags"), 0x1000a0u);
  EXPECT_EQ(events[0].number("big"), UINT64_MAX);
  EXPECT_TRUE(std::get<std::vector<uint64_t>>(*member(events[0], "empty")).empty());
}

TEST(ZpoolEvents, NestedArraysArePassedOver) {
  const auto events =
      parse_zpool_events(block("        list = (2 embedded nvlists)\n"
                               "        list[0] = (embedded nvlist)\n"
                               "                eid = 0x99\n"
                               "        (end list[0])\n"
                               "        list[1] = (embedded nvlist)\n"
                               "                deep = (embedded nvlist)\n"
                               "                (end deep)\n"
                               "        (end list[1])\n"
                               "        (end list)\n"
                               "        after = 0x1\n"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].eid, 5u);
  EXPECT_EQ(events[0].number("after"), 1u);
}

TEST(ZpoolEvents, DamagedBlocksAreDroppedAndCounted) {
  const std::string whole = block("");
  for (const std::string& bad : {
           std::string("Nov 21 2026 02:42:22.048000000 ereport.fs.zfs.io\n        class = "
                       "\"ereport.fs.zfs.io\"\n\n"),
           block("", "0xzz"),
           block("        class = \"ereport.fs.zfs.io\"\n"),  // twice
           block("        (end nothing)\n"), block("        open = (embedded nvlist)\n"),
           block("        no equals sign\n"),
           whole.substr(0, whole.size() - 1) + "        more = 0x1\n\n",  // after the eid
           std::string("Nov 21 2026 02:42:22.048000000 ereport.fs.zfs.io\n        class = "
                       "\"ereport.fs.zfs.data\"\n"
                       "        time = 0x1 0x1 \n        eid = 0x1\n\n"),  // another class
       }) {
    ZpoolEventParser parser;
    std::istringstream lines(bad + whole);
    std::vector<ZpoolEvent> events;
    for (std::string line; std::getline(lines, line);)
      if (auto event = parser.line(line)) events.push_back(std::move(*event));
    ASSERT_EQ(events.size(), 1u) << bad;
    EXPECT_EQ(events[0].eid, 5u);
    EXPECT_EQ(parser.damaged(), 1u) << bad;
  }
}

TEST(ZpoolEvents, ARestartInTheMiddle) {
  ZpoolEventParser parser;
  parser.line("Nov 21 2026 02:42:22.048000000 ereport.fs.zfs.io");
  parser.line("        text = \"never ended");
  parser.reset();
  EXPECT_EQ(parser.damaged(), 1u);
  std::istringstream lines("TIME                           CLASS\n" + block(""));
  size_t events = 0;
  for (std::string line; std::getline(lines, line);) events += parser.line(line).has_value();
  EXPECT_EQ(events, 1u);
}

TEST(ZpoolEvents, AnEndlessStringEnds) {
  ZpoolEventParser parser;
  parser.line("Nov 21 2026 02:42:22.048000000 ereport.fs.zfs.io");
  parser.line("        text = \"never ended");
  for (int i = 0; i < 100000; ++i) parser.line("filler filler filler");
  parser.line("");
  EXPECT_EQ(parser.damaged(), 1u);
}

}  // namespace
}  // namespace fmd::zfs
