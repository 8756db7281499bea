// Which messages are read without the parser, and which are left to it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "fmd/base/json.h"
#include "fmd/protocol/parse.h"
#include "fmd/protocol/plain_request.h"
#include "fmd/protocol/plain_text.h"

namespace fmd::protocol {
namespace {

const std::string kFirst =
    R"({"class":"ereport.a.p","ena":18446744073709551615,"payload":{"a":5,"b":[0,12,{"c":["x",{}]}],"c":"/dev/x y","d":9223372036854775807},"resource":"zfs://pool=7/vdev=8","time":9223372036854775807})";
const std::string kSecond =
    R"({"class":"ereport.a.p","payload":{"a":0,"b":[],"c":"","d":18446744073709551615},"time":6,"resource":"fmd://store"})";
const std::string kLine =
    R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"events","params":{"cursor":"c é","events":[)" +
    kFirst + "," + kSecond + "]}}";

class PlainRequest : public testing::Test {
 protected:
  void SetUp() override {
    const auto request = parse_events_request(kLine, interest());  // makes the shape known
    ASSERT_TRUE(request);
    ASSERT_TRUE(request->message.unfit.empty());
  }

  EventInterest interest() const { return {&schema, &members}; }
  std::optional<EventsRequest> read(std::string_view line) const {
    std::string room(line);
    room.append(simdjson::SIMDJSON_PADDING, '\0');
    return parse_plain_request(simdjson::padded_string_view(room.data(), line.size(), room.size()),
                               interest());
  }
  static std::string with(std::string text, std::string_view what, std::string_view by) {
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
  }

  const EventSchema schema = EventSchema::load({{"s.toml", R"(
[class."ereport.a.*"]
description = "any"
members = { a = "i64", c = "string?" }
)"}}).first;
  const MemberNames members{{"a", "c", "never"}};
};

TEST_F(PlainRequest, IsReadWithoutTheParser) {
  const auto request = read(kLine);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, UINT64_MAX);
  EXPECT_EQ(request->message.cursor, "c é");
  EXPECT_TRUE(request->message.rejected.empty() && request->message.unfit.empty());
  ASSERT_EQ(request->message.events.size(), 2u);
  const auto& [index, first] = request->message.events[0];
  EXPECT_EQ(index, 0u);
  EXPECT_EQ(first->event_class, "ereport.a.p");
  EXPECT_EQ(first->resource, "zfs://pool=7/vdev=8");
  EXPECT_EQ(first->time_ns, INT64_MAX);
  EXPECT_EQ(first->ena, UINT64_MAX);
  EXPECT_EQ(first->payload_json, nlohmann::json::parse(kFirst)["payload"].dump());
  Payload wanted;
  wanted.append("a", int64_t{5});
  wanted.append("c", "/dev/x y");
  EXPECT_TRUE(first->payload == wanted);
  const auto& [next, second] = request->message.events[1];
  EXPECT_EQ(next, 1u);
  EXPECT_EQ(second->resource, "fmd://store");
  EXPECT_EQ(second->time_ns, 6);
  EXPECT_EQ(second->ena, 0u);
  EXPECT_TRUE(read(with(kLine, kFirst + "," + kSecond, "")));
}

TEST_F(PlainRequest, AllElseIsLeftToTheParser) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {R"("id":)", R"("id": )"},
      {R"("id":)", R"("x":1,"id":)"},
      {R"("id":)", R"("id":1,"id":)"},
      {R"("id":18446744073709551615)", R"("id":18446744073709551616)"},
      {R"("id":18446744073709551615)", R"("id":-1)"},
      {R"("2.0")", R"("1.0")"},
      {R"("method":"events",)", ""},
      {R"("method":"events")", R"("method":"\u0065vents")"},
      {R"("cursor":"c é")", R"("cursor":null)"},
      {R"("cursor":"c é")", R"("cursor":"c \n")"},
      {R"("cursor":"c é")", "\"cursor\":\"c \n\""},
      {R"("cursor":"c é")", "\"cursor\":\"c \x80\""},
      {R"("cursor":"c é",)", R"("cursor":"c","cursor":"d",)"},
      {R"("cursor":"c é",)", R"("cursor":"c","more":1,)"},
      {R"("class":"ereport.a.p",)", ""},
      {R"("class":"ereport.a.p",)", R"("class":"ereport.a.p","class":"ereport.a.p",)"},
      {R"("class":"ereport.a.p",)", R"("class":"ereport.A.p",)"},
      {R"("class":"ereport.a.p",)", R"("class":"ereport.b.p",)"},
      {R"("class":"ereport.a.p",)", R"("class":"ereport.a.q","more":1,)"},
      {R"("ena":18446744073709551615)", R"("ena":null)"},
      {R"("ena":18446744073709551615)", R"("ena":184467440737095516150)"},
      {R"("time":9223372036854775807)", R"("time":9223372036854775808)"},
      {R"("time":9223372036854775807)", R"("time":1.5)"},
      {R"("time":9223372036854775807)", R"("time":01)"},
      {R"(,"time":9223372036854775807)", ""},
      {R"("resource":"zfs://pool=7/vdev=8",)", ""},
      {R"(zfs://pool=7/vdev=8)", "zfs://"},
      {R"(zfs://pool=7/vdev=8)", "zfs://pool=%37"},
      {R"("payload":{"a":5)", R"("payload":{"a":-5)"},
      {R"("payload":{"a":5)", R"("payload":{"a":5.0)"},
      {R"("payload":{"a":5)", R"("payload":{"a":5e1)"},
      {R"("payload":{"a":5)", R"("payload":{"a":05)"},
      {R"("payload":{"a":5)", R"("payload":{"a":true)"},
      {R"("payload":{"a":5)", R"("payload":{"a":null)"},
      {R"("payload":{"a":5)", R"("payload":{"a":"5")"},                  // unfit
      {R"("payload":{"a":5)", R"("payload":{"a":9223372036854775808)"},  // unfit
      {R"("payload":{"a":5)", R"("payload":{"b":5)"},
      {R"("payload":{"a":5)", R"("payload":{"x":1,"a":5)"},
      {R"("payload":{"a":5)", R"("payload": {"a":5)"},
      {R"("payload":{"a":0,"b":[],"c":"","d":18446744073709551615},)", ""},
      {R"([0,12,)", R"([0,012,)"},
      {R"([0,12,)", R"([0,12,,)"},
      {R"([0,12,)", R"([0,-12,)"},
      {R"([0,12,)", R"([0,184467440737095516150,)"},
      {R"({"c":["x",{}]})", R"({"c":["x",{}})"},
      {R"({"c":["x",{}]})", R"({"c":["x",{}]]})"},
      {R"({"c":["x",{}]})", R"([[[[[[[[[[]]]]]]]]]])"},
      {R"("/dev/x y")", R"("/dev/x\ty")"},
      {R"("/dev/x y")", "\"/dev/x\ty\""},
      {R"("/dev/x y")", "\"/dev/x\xc3y\""},
      {"]}}", "]}} "},
      {"]}}", "]}}}"},
      {"]}}", R"(]},"id":1})"},
  };
  for (const auto& [what, by] : changes)
    EXPECT_FALSE(read(with(kLine, what, by))) << what << " " << by;
  for (size_t size = 0; size < kLine.size(); ++size)
    EXPECT_FALSE(read(std::string_view(kLine).substr(0, size))) << size;
  std::string many = kFirst;
  for (size_t n = 1; n < kMaxEvents; ++n) many += "," + kSecond;
  EXPECT_TRUE(read(with(kLine, kFirst + "," + kSecond, many)));
  EXPECT_FALSE(read(with(kLine, kSecond, many)));
}

// An FMRI with %XX is left to the parser the first time.
TEST_F(PlainRequest, AnFmriThatWasReadBeforeIsKnown) {
  const std::string escaped = "dev://serial=MODEL%20X:1", other = "dev://serial=MODEL%20%58:1";
  for (const std::string& resource : {escaped, other}) {
    const std::string line = with(kLine, "fmd://store", resource);
    EXPECT_FALSE(read(line));
    const auto parsed = parse_events_request(line, interest());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->message.events[1].second->resource, escaped);
    const auto again = read(line);
    ASSERT_EQ(again.has_value(), resource == escaped) << "only as it is told";
    if (again) {
      EXPECT_EQ(again->message.events[1].second->resource, escaped);
    }
  }
}

TEST_F(PlainRequest, ANameThatWouldBeEscapedIsNoneOfAShape) {
  for (const std::string name : {"q\"", "b\\", "c\x01"}) {
    const GivenMembers given = {{"a", ValueKind::natural}, {name, ValueKind::natural}};
    ASSERT_TRUE(schema.check("ereport.a.n", given));
    const std::string line = with(kLine, kFirst + "," + kSecond,
                                  R"({"class":"ereport.a.n","payload":{"a":1,")" + name +
                                      R"(":2},"resource":"fmd://store","time":6})");
    EXPECT_FALSE(read(line)) << line;
  }
}

// Each class has its own expected shape.
TEST_F(PlainRequest, ClassesAndShapesTakeTurns) {
  const std::vector<std::string> events = {
      kFirst,
      R"({"class":"ereport.a.q","resource":"fmd://store","time":1,"payload":{"a":1,"x":"y"}})",
      R"({"class":"ereport.a.p","resource":"fmd://store","time":2,"payload":{"a":2}})",
      R"({"class":"ereport.a.q","resource":"fmd://store","time":3,"payload":{"a":3,"c":"z"}})"};
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::string all;
    std::vector<std::string> given;
    for (int n = 0; n < 7; ++n) {
      given.push_back(events[random() % events.size()]);
      all += (n ? "," : "") + given.back();
    }
    const std::string line = with(kLine, kFirst + "," + kSecond, all);
    ASSERT_TRUE(parse_events_request(line, interest()));  // learns the shapes
    const auto request = read(line);
    ASSERT_TRUE(request) << line;
    for (size_t n = 0; n < given.size(); ++n) {
      const Event& event = *request->message.events[n].second;
      const auto wanted = nlohmann::json::parse(given[n]);
      ASSERT_EQ(event.payload_json, wanted["payload"].dump());
      ASSERT_EQ(event.event_class, wanted["class"].get<std::string>());
      const bool has_c = wanted["payload"].contains("c");
      ASSERT_EQ(event.payload.members().size(), has_c ? 2u : 1u);
      ASSERT_EQ(*event.payload.find("a"), Value(int64_t{wanted["payload"]["a"]}));
      if (has_c) {
        ASSERT_EQ(*event.payload.find("c"), Value(std::string(wanted["payload"]["c"])));
      }
    }
  }
}

TEST(PlainText, AStringEndsAtTheFirstByteThatEndsIt) {
  std::mt19937 random(11);
  const auto any = [&] { return static_cast<char>(random()); };
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = random() % 40; n > 0; --n)
      text += random() % 3 ? any() : "\"\\ !\x1f\x7f\xff#]["[random() % 10];
    text.append(plain::kReadable, '\0');
    const auto first = std::find_if(text.begin(), text.end(), plain::ends_string);
    ASSERT_EQ(plain::end_of_string(text.data()) - text.data(), first - text.begin()) << i;
  }
}

}  // namespace
}  // namespace fmd::protocol
