#include "fmd/protocol/parse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "fmd/base/json.h"
#include "fmd/protocol/tests/events_tree.h"

namespace fmd::protocol {
namespace {

EventsMessage events(std::string_view params) {
  auto message = parse_events(params);
  EXPECT_TRUE(message) << message.error().message;
  return message ? std::move(*message) : EventsMessage{};
}

TEST(Events, ParsesAndKeepsThePayloadVerbatim) {
  const auto message = events(
      R"({"events":[{"class":"ereport.fs.zfs.io","resource":"zfs://pool=1/vdev=2","time":1795228661000000001,"ena":18446744073709551615,"payload":{"guid":18446744073709551615,"n":-5,"d":1.50,"s":"a\"\\b } ] \u00e4","b":true,"z":null,"list":[1,[2,{"x":"]"}]],"o":{"k":"v"}}}],"cursor":"12"})");
  ASSERT_EQ(message.events.size(), 1u);
  const Event& e = *message.events[0].second;
  EXPECT_EQ(e.event_class, "ereport.fs.zfs.io");
  EXPECT_EQ(e.resource, "zfs://pool=1/vdev=2");
  EXPECT_EQ(e.time_ns, 1795228661000000001);
  EXPECT_EQ(e.ena, UINT64_MAX);
  EXPECT_EQ(
      e.payload_json,
      R"({"guid":18446744073709551615,"n":-5,"d":1.50,"s":"a\"\\b } ] \u00e4","b":true,"z":null,"list":[1,[2,{"x":"]"}]],"o":{"k":"v"}})");
  EXPECT_EQ(*e.payload.find("guid"), Value(UINT64_MAX));
  EXPECT_EQ(*e.payload.find("n"), Value(int64_t{-5}));
  EXPECT_EQ(*e.payload.find("d"), Value(1.5));
  EXPECT_EQ(*e.payload.find("s"), Value(std::string("a\"\\b } ] ä")));
  EXPECT_EQ(*e.payload.find("list"), Value());  // present, but not as a scalar
  EXPECT_EQ(e.payload.find("z"), nullptr);
  EXPECT_EQ(message.cursor, "12");
}

TEST(Events, WhiteSpaceIsTakenOut) {
  const auto message = events(
      " { \"cursor\" : null , \"events\" : [ { \"payload\" : { \"a b\" : [ 1 , 2 ] , \"c\" : \" x "
      "\" } ,\r\n\t\"class\" : \"a.b\" , \"resource\" : \"fmd://store\" , \"time\" : 5 } ] } ");
  ASSERT_EQ(message.events.size(), 1u);
  EXPECT_EQ(message.events[0].second->payload_json, "{\"a b\":[1,2],\"c\":\" x \"}");
  EXPECT_FALSE(message.cursor);
  // The journal's lines must not contain line breaks.
  for (const std::string deep : {"\r", "\n", "\r\n"}) {
    const auto broken =
        events(R"({"events":[{"class":"a.b","resource":"fmd://store","time":5,"payload":{"a":[1,)" +
               deep + R"(2],"c":" x "}}]})");
    ASSERT_EQ(broken.events.size(), 1u);
    EXPECT_EQ(broken.events[0].second->payload_json, R"({"a":[1,2],"c":" x "})");
  }
}

TEST(Events, WrongOnesAreRejectedOneByOne) {
  const auto message = events(R"({"events":[
    {"resource":"fmd://store","time":1},
    {"class":"a.b","time":1},
    {"class":"a.b","resource":"fmd://store"},
    {"class":"a.b","resource":"fmd://store","time":"x"},
    {"class":"a.b","resource":"fmd://store","time":-1},
    {"class":"a.b","resource":"fmd://store","time":1.5},
    {"class":"A b","resource":"fmd://store","time":1},
    {"class":"a.b","resource":"no fmri","time":1},
    {"class":"a.b","resource":"fmd://store","time":1,"payload":[]},
    {"class":"a.b","resource":"fmd://store","time":1,"ena":-1},
    {"class":"a.b","resource":"fmd://store","time":1,"unknown":{"x":[]}},
    {"class":".a","resource":"fmd://store","time":1},
    {"class":["a"],"resource":{"b":1},"time":1}]})");
  ASSERT_EQ(message.events.size(), 1u);
  EXPECT_EQ(message.events[0].first, 10u);
  EXPECT_EQ(message.events[0].second->payload_json, "{}");
  EXPECT_EQ(message.rejected.size(), 12u);
  EXPECT_EQ(message.rejected[1].reason, "\"resource\" is missing");
  EXPECT_EQ(message.rejected[3].reason, "\"time\" must be nanoseconds since the epoch");
}

TEST(Events, FmrisAreCanonical) {
  EXPECT_EQ(events(R"({"events":[{"class":"a.b","resource":"dev://serial=a%2fb","time":1}]})")
                .events[0]
                .second->resource,
            "dev://serial=a%2Fb");
}

TEST(Events, MalformedMessages) {
  for (const char* bad :
       {"", "{", "[]", "{}", "5", R"({"events":{}})", R"({"events":[1]})", R"({"events":[{}]}x)",
        R"({"events":[],"cursor":5})",
        R"({"events":[{"class":"a.b","resource":"fmd://store","time":1,"payload":{"x":01}}]})",
        R"({"events":[{"class":"a.b","resource":"fmd://store","time":1,"payload":{"x":[1,,2]}}]})",
        R"({"events":[{"class":"a.b","resource":"fmd://store","time":1,"payload":{"x":1}])",
        "{\"events\":[],\"x\":\"\xff\"}", "{\"events\":[],\"x\":\"\n\"}",
        R"({"events":[],"events":[]})", R"({"events":[],"x":"\ud800"})"})
    EXPECT_FALSE(parse_events(bad)) << bad;
  nlohmann::json many{{"events", nlohmann::json::array()}};
  for (size_t i = 0; i <= kMaxEvents; ++i) many["events"].push_back({{"class", "a.b"}});
  EXPECT_EQ(parse_events(many.dump()).error().message, "events: more than 1000 in a batch");
}

TEST(Events, DeepNestingIsRejectedNotFollowed) {
  std::string deep =
      R"({"events":[{"class":"a.b","resource":"fmd://store","time":1,"payload":{"x":)" +
      std::string(40, '[') + std::string(40, ']') + "}}]}";
  EXPECT_EQ(events(deep).rejected.size(), 1u);
  EXPECT_FALSE(
      parse_events(R"({"events":)" + std::string(100000, '[') + std::string(100000, ']') + "}"));
}

TEST(Events, LongNamesAreRejected) {
  const std::string resource = "dev://serial=" + std::string(kMaxFmri, 'x');
  nlohmann::json doc{
      {"events",
       {{{"class", std::string(kMaxClass + 1, 'x')}, {"resource", "fmd://store"}, {"time", 1}},
        {{"class", "a"}, {"resource", resource}, {"time", 1}}}}};
  EXPECT_EQ(events(doc.dump()).rejected.size(), 2u);
}

// Arbitrary input never crashes; accepted payloads are valid JSON with the same content.
TEST(Events, RandomChangesOfAGoodMessage) {
  const std::string good =
      R"({"events":[{"class":"ereport.a.b","resource":"zfs://pool=1","time":1795228661000000001,"ena":5,"payload":{"a":"x\\\"y","b":[1,2,{"c":null}],"d":1e5}},{"class":"x","resource":"fmd://store","time":7}],"cursor":"c"})";
  std::mt19937 random(7);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (unsigned n = random() % 3 + 1; n > 0; --n) {
      const size_t at = random() % text.size();
      const char* const kBytes = "{}[]\",:\\ 0a\n\xff";
      if (random() % 3 == 0)
        text.erase(at, random() % 5 + 1);
      else if (random() % 2)
        text[at] = kBytes[random() % 13];
      else
        text.insert(at, 1, kBytes[random() % 13]);
    }
    const auto message = parse_events(text);
    if (!message) continue;
    const auto doc = nlohmann::json::parse(text, nullptr, false);
    ASSERT_FALSE(doc.is_discarded()) << text;
    for (const auto& [index, event] : message->events) {
      ++taken;
      const auto payload = nlohmann::json::parse(event->payload_json, nullptr, false);
      ASSERT_FALSE(payload.is_discarded()) << text << "\n" << event->payload_json;
      EXPECT_EQ(payload, doc["events"][index].value("payload", nlohmann::json::object())) << text;
    }
  }
  EXPECT_GT(taken, 1000);
}

std::string shown(const EventsMessage& message) {
  std::string out = "cursor " + message.cursor.value_or("none");
  for (const auto& [index, taken] : message.events) {
    const Event& e = *taken;
    out += "\n" + std::to_string(index) + " " + e.event_class.str() + " " + e.resource.str() + " " +
           std::to_string(e.time_ns) + " " + std::to_string(e.ena);
    for (const auto& [name, value] : e.payload.members())
      out += "\n  " + std::to_string(value.index()) + " " + name.str() + "=" + to_text(value);
  }
  for (const auto& one : message.rejected)
    out +=
        "\n" + std::to_string(one.index) + " " + one.reason + " " + one.event_class + " " + one.raw;
  return out;
}

// The one-pass parser and the tree parser must accept and refuse the same.
TEST(Events, AsByATree) {
  const std::vector<std::string> good = {
      R"({"events":[{"class":"ereport.a.b","resource":"zfs://pool=1","time":1795228661000000001,"ena":5,"payload":{"a":"x\\\"y","b":[1,2,{"c":null}],"d":1e5,"a":-7}},{"class":"x","resource":"fmd://store","time":7}],"cursor":"c"})",
      R"( { "cursor" : null , "events" : [ { "payload" : { "u" : 18446744073709551615 , "t" : true , "z" : null , "k\u0041" : [ ] } , "class" : "a.b" , "ena" : 0 , "resource" : "dev://serial=a%2fb" , "time" : 5 } ] } )",
      R"({"x":{"y":[true,false,null,-0.5,"\u00e4\ud83d\ude00"]},"events":[{"class":"a","time":0,"resource":"zfs://pool=1/vdev=2","payload":{"n":9223372036854775808,"m":-9223372036854775808,"e":1.5e-3,"l":0.12345678901234567890123,"o":{"p":{}}},"class":"b.c"},{"class":"A","resource":5,"time":null,"payload":[1]}]})"};
  std::mt19937 random(3);
  int taken = 0, refused = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text = good[random() % good.size()];
    for (unsigned n = random() % 3; n > 0; --n) {
      const size_t at = random() % text.size();
      const char* const kBytes = "{}[]\",:\\ 0a.-eunt1\xff";
      if (random() % 3 == 0)
        text.erase(at, random() % 5 + 1);
      else if (random() % 2)
        text[at] = kBytes[random() % 19];
      else
        text.insert(at, 1, kBytes[random() % 19]);
    }
    const auto one = parse_events(text);
    const auto other = tree::parse_events(text);
    ASSERT_EQ(one.has_value(), other.has_value())
        << text << "\n"
        << (one ? other.error().message : one.error().message);
    ++(one ? taken : refused);
    if (one) {
      ASSERT_EQ(shown(*one), shown(*other)) << text;
      for (size_t e = 0; e < one->events.size(); ++e)
        ASSERT_EQ(nlohmann::json::parse(one->events[e].second->payload_json),
                  nlohmann::json::parse(other->events[e].second->payload_json))
            << text;
    }
  }
  EXPECT_GT(taken, 10000);
  EXPECT_GT(refused, 10000);
}

TEST(Events, OnlyWhatIsAskedForBecomesAValueAndTheSchemaIsAskedOnTheWay) {
  const auto [schema, errors] = EventSchema::load({{"s.toml", R"(
[class."ereport.t.x"]
description = "x"
members = { a = "u64", b = "string?", f = "f64?", l = "array?" }
)"}});
  ASSERT_TRUE(errors.empty());
  const MemberNames members({"b", "c"});
  const auto read = [&](const std::string& payload, const std::string& of = "ereport.t.x") {
    auto message = parse_events(
        R"({"events":[{"class":"ereport.t.x","resource":"fmd://store","time":1,"payload":{"a":1}},{"payload":)" +
            payload + R"(,"class":")" + of + R"(","resource":"fmd://store","time":1}]})",
        {&schema, &members});
    EXPECT_TRUE(message) << payload;
    return message ? std::move(*message) : EventsMessage{};
  };
  const auto message = read(R"({"a":7,"b":"x","c":-1,"d":"y"})");
  ASSERT_EQ(message.events.size(), 2u);
  EXPECT_TRUE(message.unfit.empty());
  const Event& e = *message.events[1].second;
  ASSERT_EQ(e.payload.members().size(), 2u);
  EXPECT_EQ(*e.payload.find("b"), Value(std::string("x")));
  EXPECT_EQ(*e.payload.find("c"), Value(int64_t{-1}));
  EXPECT_EQ(e.payload_json, R"({"a":7,"b":"x","c":-1,"d":"y"})");
  const auto why = [&](const std::string& payload, const std::string& of = "ereport.t.x") {
    std::string out;
    // Repeated: what is remembered about the class's events must not change the result.
    for (int i = 0; i < 3; ++i) {
      const auto again = read(payload, of);
      out = again.unfit.empty()
                ? ""
                : std::to_string(again.unfit[0].first) + ": " + again.unfit[0].second;
    }
    return out;
  };
  EXPECT_EQ(why(R"({"a":18446744073709551615,"f":1,"l":[]})"), "");
  EXPECT_EQ(why(R"({"b":"x"})"), "1: ereport.t.x: the member \"a\" (u64) is missing");
  EXPECT_EQ(why(R"({"a":null})"), "1: ereport.t.x: the member \"a\" (u64) is missing");
  EXPECT_EQ(why(R"({"a":-1})"), "1: ereport.t.x: the member \"a\" must be of type u64");
  EXPECT_EQ(why(R"({"a":1,"b":2})"), "1: ereport.t.x: the member \"b\" must be of type string");
  EXPECT_EQ(why(R"({"a":1,"b":"x"})"), "");
  EXPECT_EQ(why(R"({"a":1,"b":[]})"), "1: ereport.t.x: the member \"b\" must be of type string");
  EXPECT_EQ(why(R"({"a":1,"l":{}})"), "");
  EXPECT_EQ(why(R"({"a":1})", "ereport.t.y"),
            "1: unknown class \"ereport.t.y\"; is \"ereport.t.x\" meant?");
}

TEST(InventoryMessage, Parses) {
  const auto update = parse_inventory(
      R"({"complete":true,"resources":[{"fmri":"zfs://pool=1","type":"zfs-pool","properties":{"name":"tank","n":5,"x":null},"edges":[{"relation":"redundancy","to":"dev://serial=%61"}]}],"gone":[{"fmri":"zfs://pool=2","reason":"replaced","replaced_by":"zfs://pool=3"},{"fmri":"zfs://pool=4"}],"kept":["dev://serial=%62"]})");
  ASSERT_TRUE(update) << update.error().message;
  EXPECT_TRUE(update->complete);
  EXPECT_FALSE(update->merge);
  ASSERT_EQ(update->resources.size(), 1u);
  EXPECT_EQ(update->resources[0].edges[0].to, "dev://serial=a");
  EXPECT_EQ(update->resources[0].properties.size(), 2u);
  EXPECT_EQ(update->gone[0].replaced_by, "zfs://pool=3");
  EXPECT_EQ(update->gone[1].reason, "removed");
  EXPECT_EQ(update->kept, std::vector<std::string>{"dev://serial=b"});
}

TEST(InventoryMessage, RefusesWhatIsWrong) {
  for (const char* bad :
       {"", "[]", "{", R"({"complete":1})", R"({"resources":{}})",
        R"({"resources":[{"fmri":"x"}]})", R"({"gone":[{"fmri":"zfs://pool=1","reason":"eaten"}]})",
        R"({"kept":{}})", R"({"kept":[5]})", R"({"kept":["x"]})",
        R"({"gone":[{"reason":"removed"}]})", R"({"gone":[5]})",
        R"({"resources":[{"fmri":"zfs://pool=1","properties":{"a b":1}}]})",
        R"({"resources":[{"fmri":"zfs://pool=1","properties":{"x":{"y":1}}}]})"})
    EXPECT_FALSE(parse_inventory(bad)) << bad;
  EXPECT_NE(parse_inventory(R"({"gone":[{"fmri":"zfs://pool=1","reason":"eaten\u001b"}]})")
                .error()
                .message.find("\\x1b"),
            std::string::npos);
  EXPECT_TRUE(parse_inventory("{}"));
}

std::string told_of(const std::string& members) {
  return R"({"resources":[{"fmri":"a://b=c",)" + members + "}]}";
}

std::string numbered(int count) {
  std::string out = "\"properties\":{";
  for (int i = count; i > 0; --i) out += fmt::format("{}\"p{:06}\":{}", i < count ? "," : "", i, i);
  return out + "}";
}

TEST(InventoryMessage, WhatIsUnknownIsPassedOverHoweverDeepWithinReason) {
  const auto nested = [](size_t depth) {
    return told_of("\"more\":" + std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT_TRUE(parse_inventory(nested(20)));
  EXPECT_FALSE(parse_inventory(nested(40)));
  EXPECT_FALSE(parse_inventory(nested(100000)));
}

TEST(InventoryMessage, OfAMemberThatStandsTwiceTheLaterCounts) {
  const auto twice = parse_inventory(
      told_of(R"("type":"x","properties":{"a":1},"type":"disk","properties":{"b":3,"b":4},)"
              R"("edges":[{"relation":"power","to":"x://y=1"}],"edges":[])"));
  ASSERT_TRUE(twice) << twice.error().message;
  EXPECT_EQ(twice->resources[0].type, "disk");
  EXPECT_EQ(twice->resources[0].properties, (Properties{{"b", int64_t{4}}}));
  EXPECT_TRUE(twice->resources[0].edges.empty());
}

TEST(InventoryMessage, NumbersHaveAtMost64Bits) {
  const auto update = parse_inventory(told_of(
      R"("properties":{"i":-9223372036854775808,"u":18446744073709551615,"d":1e20,"s":5})"));
  ASSERT_TRUE(update) << update.error().message;
  EXPECT_EQ(update->resources[0].properties,
            (Properties{{"i", INT64_MIN}, {"u", UINT64_MAX}, {"d", 1e20}, {"s", int64_t{5}}}));
  const auto more = parse_inventory(told_of(R"("properties":{"u":18446744073709551616})"));
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().message.find("number"), std::string::npos) << more.error().message;
}

TEST(InventoryMessage, AResourceHasAThousandProperties) {
  EXPECT_TRUE(parse_inventory(told_of(numbered(1000))));
  const auto more = parse_inventory(told_of(numbered(1001)));
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().message.find("1001 properties"), std::string::npos);
  std::string readings = R"({"readings":[)";
  for (int i = 0; i <= 1000; ++i)
    readings +=
        fmt::format(R"({}{{"resource":"a://b=c","name":"p{}","value":1}})", i ? "," : "", i);
  EXPECT_FALSE(parse_readings(readings + "]}"));
}

TEST(Readings, BecomePropertiesToAdd) {
  const auto message = parse_readings(
      R"({"readings":[{"resource":"dev://wwn=1","name":"temperature","value":30.5,"unit":"celsius","time":1},{"resource":"dev://wwn=1","name":"hours","value":7}]})");
  ASSERT_TRUE(message);
  const InventoryUpdate& update = message->update;
  EXPECT_TRUE(update.merge);
  ASSERT_EQ(update.resources.size(), 1u);
  EXPECT_EQ(update.resources[0].properties.at("temperature"), Value(30.5));
  EXPECT_EQ(update.resources[0].properties.at("hours"), Value(int64_t{7}));
  ASSERT_EQ(message->readings.size(), 2u);
  const Reading& first = message->readings[0];
  EXPECT_EQ(first.resource + " " + first.name + " " + first.unit,
            "dev://wwn=1 temperature celsius");
  EXPECT_EQ(first.value, 30.5);
  EXPECT_EQ(first.time_ns, 1);
  EXPECT_EQ(message->readings[1].unit, "");
  EXPECT_EQ(message->readings[1].time_ns, 0) << "it did not say";
  for (const char* bad :
       {"", R"({"readings":5})", R"({"readings":[{"resource":"x","name":"a","value":1}]})",
        R"({"readings":[{"resource":"dev://wwn=1","name":"","value":1}]})",
        R"({"readings":[{"resource":"dev://wwn=1","name":"a","value":"1"}]})",
        R"({"readings":[1]})"})
    EXPECT_FALSE(parse_readings(bad)) << bad;
}

}  // namespace
}  // namespace fmd::protocol
