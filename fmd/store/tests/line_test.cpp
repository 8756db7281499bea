#include <gtest/gtest.h>

#include "fixture.h"
#include "fmd/store/journal_line.h"

namespace fmd::test {
namespace {

void expect_same(const Event& a, const Event& b) {
  EXPECT_EQ(a.seq, b.seq);
  EXPECT_EQ(a.event_class, b.event_class);
  EXPECT_EQ(a.resource, b.resource);
  EXPECT_EQ(a.time_ns, b.time_ns);
  EXPECT_EQ(a.received_ns, b.received_ns);
  EXPECT_EQ(a.ena, b.ena);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.payload_json, b.payload_json);
}

void expect_round_trip(const Event& event) {
  const std::string line = event_to_line(event);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = event_from_line(line);
  ASSERT_TRUE(back.has_value()) << back.error().text() << "\n" << line;
  expect_same(*back, event);
}

TEST(Line, HasTheDocumentedForm) {
  Event event = make_event(3);
  event.time_ns = 5;
  event.received_ns = 6;
  event.ena = 7;
  EXPECT_EQ(
      event_to_line(event),
      R"({"seq":3,"class":"ereport.fs.zfs.checksum","resource":"zfs://pool=18236742014345987236/vdev=1003",)"
      R"("time":5,"received":6,"ena":7,"source":"zfs","payload":{"pool":"tank","zio_offset":393216}})");
}

TEST(Line, HostileTextComesBackByteForByte) {
  Event event = make_event(1);
  const std::string hostile =
      std::string("a \"quoted\\ \x01\x1f\t\b pool\r\n") + '\0' + "\x7f\u202e\u00e4/'; DROP--";
  event.event_class = hostile;
  event.resource = hostile + std::string(5000, 'x');
  event.source = hostile;
  event.payload_json =
      R"({"serial":"\u0000\u001b[31m\"}],","deep":{"a":[1,{"b":[]}]},"big":18446744073709551615})";
  expect_round_trip(event);
}

TEST(Line, LargestAndSmallestNumbersSurvive) {
  Event event = make_event(UINT64_MAX);
  event.time_ns = INT64_MIN;
  event.received_ns = INT64_MAX;
  event.ena = UINT64_MAX;
  expect_round_trip(event);
}

TEST(Line, PayloadIsKeptVerbatimButOnOneLine) {
  Event event = make_event(1);
  event.payload_json = "{ \"n\" : 1.50e+3 ,\t\"same\":1,\"same\":2 }";
  expect_round_trip(event);
  event.payload_json = "{\n  \"a\": 1,\r\n  \"b\": 2\n}";
  const auto back = event_from_line(event_to_line(event));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->payload_json, "{   \"a\": 1,    \"b\": 2 }");
}

TEST(Line, AnEmptyPayloadIsAnEmptyObject) {
  Event event = make_event(1);
  event.payload_json.clear();
  const auto back = event_from_line(event_to_line(event));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->payload_json, "{}");
}

TEST(Line, WhatIsNoEventIsAnError) {
  const std::string good = event_to_line(make_event(1));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(event_from_line(good.substr(0, size)).has_value()) << size;
  for (const char* bad :
       {"", "null", "[]", "{}", "{\"seq\":-1}", "\xff\xfe", "{\"seq\":1,\"class\":2}"})
    EXPECT_FALSE(event_from_line(bad).has_value()) << bad;
}

TEST(Line, PeekReadsWhatToLineWrites) {
  store::LineHead head;
  const std::string line = event_to_line(make_event(41, "ereport.io.disk"));
  ASSERT_TRUE(store::peek(line, head));
  EXPECT_EQ(head.seq, 41u);
  EXPECT_EQ(head.event_class, "ereport.io.disk");
  EXPECT_EQ(head.resource, make_event(41).resource);
  const std::string escaped = event_to_line(make_event(41, "a\"b"));
  EXPECT_FALSE(store::peek(escaped, head)) << "left to the full parser";
  EXPECT_FALSE(store::peek("{\"seq\":1", head));
  EXPECT_FALSE(store::peek("", head));
}

TEST(ClassGlob, ManyStarsCostLittle) {
  std::string stars, text;
  for (int i = 0; i < 64; ++i) stars += "*a";
  const store::ClassGlob glob(stars + "b");
  // Without a step limit, this would take longer than a lifetime.
  for (int i = 0; i < 2000; ++i) EXPECT_FALSE(glob.matches(std::string(128, 'a')));
  EXPECT_TRUE(store::matches_glob("a.b.c", "*.?.c*"));
  EXPECT_TRUE(store::matches_glob("", "**"));
  EXPECT_FALSE(store::matches_glob("", "?"));
  EXPECT_FALSE(store::matches_glob("a[b]", "a[ab]]"));
}

TEST(ClassGlob, MatchesAsTheCommandLineSays) {
  using store::ClassGlob;
  EXPECT_TRUE(ClassGlob("").matches("anything"));
  EXPECT_TRUE(ClassGlob("*").matches("anything"));
  EXPECT_TRUE(ClassGlob("ereport.io").matches("ereport.io"));
  EXPECT_FALSE(ClassGlob("ereport.io").matches("ereport.io.disk"));
  EXPECT_TRUE(ClassGlob("ereport.*").matches("ereport.io.disk"));
  EXPECT_FALSE(ClassGlob("ereport.*").matches("ereports.io"));
  EXPECT_TRUE(ClassGlob("*.checksum").matches("ereport.fs.zfs.checksum"));
  EXPECT_TRUE(ClassGlob("ereport.*.disk").matches("ereport.io.disk"));
  EXPECT_FALSE(ClassGlob("*.checksum").matches("ereport.fs.zfs.io"));
}

}  // namespace
}  // namespace fmd::test
