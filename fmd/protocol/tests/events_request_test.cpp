// One-pass reading of event requests: random changes never make it misread a line.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fmd/base/json.h"
#include "fmd/protocol/events_request.h"
#include "fmd/protocol/lines.h"

namespace fmd::protocol {
namespace {

using nlohmann::json;

const std::string kParams =
    R"({"cursor":"c7","events":[{"class":"ereport.a.b","resource":"zfs://pool=1","time":1795228661000000001,"ena":5,"payload":{"a":"x\\\"y","b":[1,2,{"c":null}],"d":1e5}},{"class":"x","resource":"fmd://store","time":7}]})";
const std::vector<std::string> kGood = {
    R"({"jsonrpc":"2.0","id":12,"method":"events","params":)" + kParams + "}",
    R"({"id":18446744073709551615,"jsonrpc":"2.0","method":"events","params":)" + kParams + " }\r"};

TEST(EventsRequest, IsTakenInOnePass) {
  for (const std::string& line : kGood) {
    const auto request = parse_events_request(line);
    ASSERT_TRUE(request) << line;
    EXPECT_EQ(request->id, json::parse(line)["id"]);
    EXPECT_EQ(request->message.cursor, "c7");
    ASSERT_EQ(request->message.events.size(), 2u);
    EXPECT_EQ(request->message.events[0].second->payload_json,
              R"({"a":"x\\\"y","b":[1,2,{"c":null}],"d":1e5})");
  }
}

TEST(EventsRequest, AnythingElseIsLeftToWhoSaysWhatIsWrong) {
  const std::string& good = kGood[0];
  const std::vector<std::string> others = {
      "",
      "{}",
      R"({"jsonrpc":"2.0","method":"events","params":{"events":[]}})",
      R"({"jsonrpc":"2.0","id":-1,"method":"events","params":{"events":[]}})",
      R"({"jsonrpc":"1.0","id":1,"method":"events","params":{"events":[]}})",
      R"({"id":1,"method":"events","params":{"events":[]}})",
      R"({"jsonrpc":"2.0","id":1,"id":2,"method":"events","params":{"events":[]}})",
      R"({"jsonrpc":"2.0","id":1,"method":"events","params":{"events":[]},"method":"hello"})",
      R"({"jsonrpc":"2.0","id":1,"method":"events","params":{"events":[]},"params":{"events":[]}})",
      R"({"jsonrpc":"2.0","id":1,"method":"events","params":{"events":[]}}{})",
      R"({"jsonrpc":"2.0","id":1,"method":"events","params":{"events":7}})",
      R"({"jsonrpc":"2.0","id":1,"method":"events","params":{"x":1}})",
      good + "}",
      good.substr(0, good.size() - 1)};
  for (const std::string& line : others) EXPECT_FALSE(parse_events_request(line)) << line;
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parse_events_request(std::string_view(good).substr(0, size))) << size;
}

// Plain payloads of a known shape, which bypass the parser.
const std::string kPlain =
    R"({"id":1,"jsonrpc":"2.0","method":"events","params":{"cursor":"c é","events":[{"class":"ereport.a.p","ena":18446744073709551615,"payload":{"a":18446744073709551615,"b":[0,12],"c":"/dev/x y","d":0,"e":[]},"resource":"fmd://store","time":5},{"class":"ereport.a.p","payload":{"a":9007,"b":[],"c":"","d":9223372036854775807,"e":[7]},"resource":"fmd://store","time":6}]}})";

TEST(EventsRequest, RandomChanges) {
  std::mt19937 random(23);
  const auto [schema, errors] = EventSchema::load({{"s.toml", R"(
[class."ereport.a.*"]
description = "any"
members = { a = "any?" }
)"}});
  ASSERT_TRUE(errors.empty());
  int taken = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string line = i % 2 ? kPlain : kGood[random() % kGood.size()];
    for (unsigned n = random() % 3; n > 0; --n) {
      const size_t at = random() % line.size();
      const char* const kBytes = "{}[]\",:\\ 0a.-eunt1\xff";
      if (random() % 3 == 0)
        line.erase(at, random() % 5 + 1);
      else if (random() % 2)
        line[at] = kBytes[random() % 19];
      else
        line.insert(at, 1, kBytes[random() % 19]);
    }
    const auto request = parse_events_request(line, {&schema, nullptr});
    // The result must be the same when it is read in place with more text behind it.
    const std::string lies = line + "\n" + kPlain + std::string(wire::kReadable, '"');
    const auto there = parse_events_request(std::string_view(lies).substr(0, line.size()),
                                            {&schema, nullptr}, Behind::readable);
    ASSERT_EQ(there.has_value(), request.has_value()) << line;
    ASSERT_TRUE(!there || there->message.events.size() == request->message.events.size()) << line;
    const json doc = json::parse(line, nullptr, false);
    if (i % 2) (void)parse_events_request(kPlain, {&schema, nullptr});  // makes the shape expected
    if (!request) continue;
    ++taken;
    ASSERT_TRUE(doc.is_object() && doc["jsonrpc"] == "2.0" && doc["method"] == "events") << line;
    ASSERT_EQ(doc["id"], request->id) << line;
    const auto params = parse_events(doc["params"].dump());
    ASSERT_TRUE(params) << line;
    ASSERT_EQ(params->cursor, request->message.cursor) << line;
    ASSERT_EQ(params->rejected.size(), request->message.rejected.size()) << line;
    ASSERT_EQ(params->events.size(), request->message.events.size()) << line;
    for (size_t e = 0; e < params->events.size(); ++e) {
      const Event &one = *request->message.events[e].second, &other = *params->events[e].second;
      ASSERT_EQ(json::parse(one.payload_json), json::parse(other.payload_json)) << line;
      for (const auto& [name, value] : other.payload.members())
        ASSERT_TRUE(one.payload.find(name) && *one.payload.find(name) == value) << name << line;
    }
  }
  EXPECT_GT(taken, 5000);
}

// The last shape is expected again; a payload that only resembles it must not be confused with it.
TEST(EventsRequest, NamesThatLookLikeTheExpectedOnes) {
  const auto load = [] {
    return EventSchema::load({{"s.toml", R"(
[class."ereport.t.x"]
description = "x"
members = { a = "any", b = "string?", f = "f64?" }
)"}});
  };
  const auto [schema, errors] = load();
  ASSERT_TRUE(errors.empty());
  const std::vector<std::string> payloads = {R"({"a":7,"b":"x"})",
                                             R"({"a":7,"b":"x","n":null})",
                                             R"({"n":null,"a":7,"b":"x"})",
                                             R"({"a":7,"\u0062":"x"})",
                                             R"({"a":7,"bb":"x"})",
                                             R"({"a":7,"x\"y":1,"b":"x"})",
                                             R"({"a":7,"x\\":1})",
                                             R"({"a":7,"x\b":1})",
                                             R"({"a":7})",
                                             R"({"a":7,"a":"s"})",
                                             R"({"a\":\"b":7,"a":1})",
                                             R"({"a":"b","b":1})",
                                             R"({"a":[1,2]})",
                                             R"({"a":[]})",
                                             R"({"a":[1,"x"]})",
                                             R"({"a":-1})",
                                             R"({"a":1.5})",
                                             R"({"a":1e3})",
                                             R"({"a":true})",
                                             R"({"a":{}})",
                                             R"({"a":[[1]]})",
                                             R"({"a":0})",
                                             R"({"a":"\u00e4"})",
                                             R"({"a":"ä"})",
                                             R"({"a":1,"f":2})",
                                             R"({"a":1,"f":2.5})",
                                             R"({"a":"}"})",
                                             R"({"a":9223372036854775807})",
                                             R"({"a":9223372036854775808})",
                                             R"({"a":18446744073709551615})"};
  std::mt19937 random(5);
  for (int i = 0; i < 400; ++i) {
    std::string events;
    std::vector<std::string> given;
    for (int n = 0; n < 6; ++n) {
      given.push_back(payloads[random() % payloads.size()]);
      events +=
          (n ? "," : "") +
          (R"({"class":"ereport.t.x","resource":"fmd://store","time":1,"payload":)" + given[n]) +
          "}";
    }
    const auto request = parse_events_request(
        R"({"jsonrpc":"2.0","id":1,"method":"events","params":{"events":[)" + events + "]}}",
        {&schema, nullptr});
    ASSERT_TRUE(request) << events;
    ASSERT_EQ(request->message.events.size(), given.size());
    for (size_t n = 0; n < given.size(); ++n) {
      const Event& event = *request->message.events[n].second;
      ASSERT_EQ(event.payload_json, given[n]);
      // Read alone by a new schema, which expects no shape.
      const EventSchema fresh = load().first;
      const auto alone = parse_events(
          R"({"events":[{"class":"ereport.t.x","resource":"fmd://store","time":1,"payload":)" +
              given[n] + "}]}",
          {&fresh, nullptr});
      ASSERT_TRUE(alone);
      ASSERT_TRUE(event.payload == alone->events[0].second->payload) << given[n];
      const bool unfit = std::any_of(request->message.unfit.begin(), request->message.unfit.end(),
                                     [n](const auto& one) { return one.first == n; });
      ASSERT_EQ(unfit, !alone->unfit.empty()) << given[n];
    }
  }
}

}  // namespace
}  // namespace fmd::protocol
