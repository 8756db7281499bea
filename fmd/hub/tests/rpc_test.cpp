#include "fmd/hub/rpc.h"

#include <gtest/gtest.h>

namespace fmd {
namespace {

TEST(Rpc, TakesRequestNotificationAndAnswerApart) {
  auto request = parse_rpc(R"({"jsonrpc":"2.0","id":3,"method":"events","params":{"a":[1,"}"]} })");
  ASSERT_TRUE(request) << request.error().text();
  EXPECT_EQ(request->method, "events");
  EXPECT_EQ(request->id, 3u);
  EXPECT_EQ(request->params, R"({"a":[1,"}"]})");
  auto notification = parse_rpc(R"({"method":"heartbeat","jsonrpc":"2.0"})");
  ASSERT_TRUE(notification);
  EXPECT_FALSE(notification->id);
  EXPECT_EQ(notification->params, "{}");
  auto answer =
      parse_rpc(R"({"jsonrpc":"2.0","id":18446744073709551615,"result":{"status":"done"}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, UINT64_MAX);
  EXPECT_EQ(answer->result, R"({"status":"done"})");
}

TEST(Rpc, RefusesWhatIsNoMessage) {
  for (const char* line :
       {"", " ", "nonsense", "[]", "7", "\"x\"", "{", R"({"jsonrpc":"2.0"})",
        R"({"jsonrpc":"2.0","id":1})", R"({"id":1,"method":"hello"})",
        R"({"jsonrpc":"1.0","id":1,"method":"hello"})",
        R"({"jsonrpc":"2.0","id":-1,"method":"hello"})",
        R"({"jsonrpc":"2.0","id":"x","method":"hello"})", R"({"jsonrpc":"2.0","id":1,"method":7})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","params":[1]})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","result":{}})",
        R"({"jsonrpc":"2.0","method":"x"}{})", R"({"jsonrpc":"2.0","method":"x)",
        "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\"}"}) {
    const auto message = parse_rpc(line);
    ASSERT_FALSE(message) << line;
    EXPECT_TRUE(message.error().message.starts_with("malformed message"))
        << message.error().message;
  }
}

TEST(Rpc, HelloIsReadStrictly) {
  const auto hello = parse_hello(
      R"({"name":"zfs","version":"1","protocol":1,"handles":["zfs://"],"commands":["retire"],"heartbeat_ms":5000,"transient":true})");
  ASSERT_TRUE(hello) << hello.error().text();
  EXPECT_EQ(hello->name, "zfs");
  EXPECT_EQ(hello->handles, std::vector<std::string>{"zfs://"});
  EXPECT_EQ(hello->heartbeat_ms, 5000);
  EXPECT_TRUE(hello->transient);
  for (const char* params :
       {"{}", R"({"name":"ZFS","protocol":1})", R"({"name":"zfs"})",
        R"({"name":"zfs","protocol":2})", R"({"name":"zfs","protocol":1,"handles":"x"})",
        R"({"name":"zfs","protocol":1,"handles":[""]})",
        R"({"name":"zfs","protocol":1,"heartbeat_ms":1})",
        R"({"name":"zfs","protocol":1,"heartbeat_ms":1e3})", "{\"name\":"})
    EXPECT_FALSE(parse_hello(params)) << params;
}

TEST(Rpc, AnAnswerThatIsNotUnderstoodHasFailed) {
  const auto status = [](const char* line) {
    auto message = parse_rpc(line);
    return message ? parse_answer(*message).status : message.error().message;
  };
  EXPECT_EQ(status(R"({"jsonrpc":"2.0","id":1,"result":{"status":"done","detail":{"spare":"x"}}})"),
            "done");
  EXPECT_EQ(
      status(R"({"jsonrpc":"2.0","id":1,"result":{"status":"refused","reason":"last copy"}})"),
      "refused");
  EXPECT_EQ(status(R"({"jsonrpc":"2.0","id":1,"result":{"status":"splendid"}})"), "failed");
  EXPECT_EQ(status(R"({"jsonrpc":"2.0","id":1,"result":7})"), "failed");
  EXPECT_EQ(status(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}})"), "failed");
  EXPECT_EQ(status(R"({"jsonrpc":"2.0","id":1,"error":null})"), "failed");
}

TEST(Rpc, AnAnswerNestedWithoutEndIsRefused) {
  const auto nested = [](size_t depth) {
    return R"({"jsonrpc":"2.0","id":7,"result":{"status":"done","detail":{"a":)" +
           std::string(depth, '[') + std::string(depth, ']') + "}}}";
  };
  EXPECT_FALSE(parse_rpc(nested(200000)));
  EXPECT_FALSE(parse_rpc(nested(40)));
  const auto shallow = parse_rpc(nested(20));
  ASSERT_TRUE(shallow);
  EXPECT_EQ(parse_answer(*shallow).status, "done");
  // What stands in a text is no nesting.
  const std::string line = R"({"jsonrpc":"2.0","id":7,"result":{"status":"done","reason":")" +
                           std::string(60, '[') + R"(\"[[["}})";
  EXPECT_TRUE(parse_rpc(line));
}

TEST(Rpc, ALongReasonIsCutBetweenCharacters) {
  for (size_t before = 496; before <= 500; ++before) {
    const std::string reason = std::string(before, 'x') + "\xF0\x9F\x92\xBE" + "\u65e5\u672c";
    const std::string line =
        R"({"jsonrpc":"2.0","id":7,"result":{"status":"failed","reason":")" + reason + R"("}})";
    const auto message = parse_rpc(line);
    ASSERT_TRUE(message);
    const PluginAnswer answer = parse_answer(*message);
    EXPECT_LE(answer.reason.size(), 500u);
    EXPECT_EQ(answer.reason, reason.substr(0, before == 496 ? 500 : before));
  }
}

}  // namespace
}  // namespace fmd
