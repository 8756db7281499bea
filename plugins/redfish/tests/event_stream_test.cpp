// Server-sent events, split anywhere, and input that is not an event stream.
#include "plugins/redfish/event_stream.h"

#include <gtest/gtest.h>

namespace fmd::redfish {
namespace {

const std::string kEvent =
    R"({"@odata.type": "#Event.v1_9_0.Event", "Events": [{"EventId": "1"}]})";
const std::string kMetrics =
    R"({"@odata.type": "#MetricReport.v1_5_0.MetricReport", "MetricValues": []})";

TEST(EventStream, EventsHoweverTheyAreCut) {
  const std::string all = ": stay\r\n\r\nid: 1\r\ndata: " + kEvent +
                          "\r\n\r\nevent: x\ndata:" + kEvent +
                          "\n\nretry: 10\r\rdata: {\ndata: \"Events\": [1]}\n\n";
  for (const size_t step : {size_t{1}, size_t{7}, all.size()}) {
    EventStream stream;
    size_t events = 0;
    for (size_t at = 0; at < all.size(); at += step) events += stream.take(all.substr(at, step));
    EXPECT_EQ(events, 3U) << step;
    EXPECT_EQ(stream.trouble(), "");
  }
}

TEST(EventStream, WhatIsNoEvent) {
  EventStream stream;
  for (const std::string& data : {kMetrics, std::string("[]"), std::string("{\"Events\": []}"),
                                  std::string("{\"Events\": 4}"), std::string("no JSON")})
    EXPECT_EQ(stream.take("data: " + data + "\n\n"), 0U) << data;
  EXPECT_EQ(stream.take("id: 5\n\n:\n\n\n\n"), 0U);
  EXPECT_EQ(stream.take("data: " + kEvent + "\n"), 0U) << "it has not ended";
  EXPECT_EQ(stream.trouble(), "");
  EXPECT_EQ(stream.take("\n"), 1U);
}

TEST(EventStream, TooLongALineAndTooLongAnEvent) {
  EventStream line;
  EXPECT_EQ(line.take("data: " + std::string(10 << 20, 'x')), 0U);
  EXPECT_EQ(line.trouble(), "an event is too long");
  EXPECT_EQ(line.take("\n\ndata: " + kEvent + "\n\n"), 0U) << "it is over";
  EventStream event;
  const std::string part = "data: " + std::string(1000, 'x') + "\n";
  for (int n = 0; n < 2000; ++n) event.take(part);
  EXPECT_EQ(event.trouble(), "an event is too long");
}

TEST(EventStream, GarbageEndsIt) {
  EventStream stream;
  std::string garbage;
  for (int n = 0; n < 20000; ++n) garbage += std::string("\x00\xff<html>", 8) + "\n";
  stream.take(garbage.substr(0, 8000));
  EXPECT_EQ(stream.trouble(), "") << "a little is borne";
  EXPECT_EQ(stream.take(garbage + "data: " + kEvent + "\n\n"), 0U);
  EXPECT_EQ(stream.trouble(), "what it says are no events");
}

}  // namespace
}  // namespace fmd::redfish
