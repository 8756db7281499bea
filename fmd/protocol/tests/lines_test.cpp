#include "fmd/protocol/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "fmd/base/json.h"

namespace fmd::wire {
namespace {

std::vector<std::string> take_all(LineBuffer& lines) {
  std::vector<std::string> out;
  while (auto whole = lines.next()) out.emplace_back(*whole);
  return out;
}

TEST(LineBuffer, HandsOutWholeLinesOnly) {
  LineBuffer lines;
  EXPECT_TRUE(lines.append("one\ntwo\nthr"));
  EXPECT_EQ(take_all(lines), (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(lines.append("ee"));
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_TRUE(lines.append("\n\n"));
  EXPECT_EQ(take_all(lines), (std::vector<std::string>{"three", ""}));
}

TEST(LineBuffer, EveryWayToSplitTwoReadsGivesTheSameLines) {
  const std::string text = "{\"a\":1}\n\n{\"b\":\"\xc3\xa4\"}\nrest\n";
  for (size_t first = 0; first <= text.size(); ++first) {
    for (size_t second = first; second <= text.size(); ++second) {
      LineBuffer lines;
      std::vector<std::string> got;
      for (auto part :
           {text.substr(0, first), text.substr(first, second - first), text.substr(second)}) {
        ASSERT_TRUE(lines.append(part));
        for (auto& whole : take_all(lines)) got.push_back(whole);
      }
      ASSERT_EQ(got, (std::vector<std::string>{"{\"a\":1}", "", "{\"b\":\"\xc3\xa4\"}", "rest"}));
    }
  }
}

TEST(LineBuffer, LinesNotTakenYetSurviveTheNextAppend) {
  LineBuffer lines;
  ASSERT_TRUE(lines.append("one\ntwo\n"));
  ASSERT_EQ(lines.next(), "one");
  ASSERT_TRUE(lines.append("three\n"));
  EXPECT_EQ(take_all(lines), (std::vector<std::string>{"two", "three"}));
}

TEST(LineBuffer, LongestAllowedLinePassesAndOneByteMoreIsRefused) {
  LineBuffer lines;
  ASSERT_TRUE(lines.append(std::string(kMaxLine, 'x')));
  ASSERT_TRUE(lines.append("\n"));
  ASSERT_EQ(lines.next()->size(), kMaxLine);
  ASSERT_TRUE(lines.append(std::string(kMaxLine, 'y')));
  EXPECT_FALSE(lines.append("y"));
}

TEST(LineBuffer, OversizedLineIsRefusedEvenWhenItsNewlineCameAlong) {
  LineBuffer lines;
  EXPECT_FALSE(lines.append("fine\n" + std::string(kMaxLine + 1, 'x') + "\nafter\n"));
  EXPECT_EQ(take_all(lines), (std::vector<std::string>{"fine"}));
}

TEST(LineBuffer, NothingIsTakenAfterARefusal) {
  LineBuffer lines;
  ASSERT_FALSE(lines.append(std::string(kMaxLine + 1, 'x')));
  EXPECT_FALSE(lines.append("\n"));
  EXPECT_FALSE(lines.append("{}\n"));
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(LineBuffer, SmallReadsOfManyLinesStayLinear) {
  LineBuffer lines;
  const std::string whole(1000, 'x');
  size_t got = 0;
  for (int i = 0; i < 20000; ++i) {  // 20 MB in reads that never end at a line end
    ASSERT_TRUE(lines.append(i == 0 ? whole : "\n" + whole));
    if (i % 7 == 0) got += take_all(lines).size();
  }
  got += take_all(lines).size();
  EXPECT_EQ(got, 19999u);
}

TEST(LineBuffer, IsFilledInPlace) {
  LineBuffer lines;
  const std::string large(kMaxLine, 'x'), text = "one\n" + large + "\ntwo\nthr";
  std::vector<std::string> got;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = std::min<size_t>(text.size() - at, 1 + at % 100'000);
    std::copy_n(text.data() + at, bytes, lines.room(100'000));
    ASSERT_TRUE(lines.filled(bytes));
    at += bytes;
    for (std::string& line : take_all(lines)) got.push_back(std::move(line));
  }
  EXPECT_EQ(got, (std::vector<std::string>{"one", large, "two"}));
  ASSERT_TRUE(lines.append("ee\n"));
  const auto last = lines.next();
  ASSERT_EQ(last, "three");
  EXPECT_EQ(last->data()[last->size()], '\n');
  std::string behind(last->data() + last->size(), kReadable);  // checked by ASan
  EXPECT_EQ(behind.size(), kReadable);
}

TEST(LineBuffer, ManyLargeLinesAndThenSmallOnes) {
  LineBuffer lines;
  for (const size_t size : {900'000u, 10u, 10u, 900'000u, 10u, 10u, 10u, 10u, 900'000u, 10u}) {
    ASSERT_TRUE(lines.append(std::string(size, 'x') + "\n"));
    ASSERT_EQ(lines.next(), std::string(size, 'x'));
    ASSERT_EQ(lines.next(), std::nullopt);
  }
}

TEST(LineBuffer, GivesRoomBackOnlyWhileNothingIsInIt) {
  LineBuffer lines;
  ASSERT_TRUE(lines.append("one\ntw"));
  lines.give_room_back();
  EXPECT_EQ(lines.next(), "one");
  lines.give_room_back();
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.give_room_back();
  ASSERT_TRUE(lines.append("o\n"));
  EXPECT_EQ(lines.next(), "two");
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.give_room_back();
  ASSERT_TRUE(lines.append("three\n"));
  EXPECT_EQ(lines.next(), "three");
}

TEST(LineBuffer, BinaryBytesPassUnchanged) {
  LineBuffer lines;
  const std::string bytes("\0\xff\x01\r", 4);
  ASSERT_TRUE(lines.append(bytes + "\n"));
  EXPECT_EQ(lines.next(), bytes);
}

TEST(Messages, AreJsonRpcOnOneLine) {
  const nlohmann::json params = {{"text", "two\nlines"}};
  const std::string asked = request(7, "command", params);
  EXPECT_EQ(asked.find('\n'), asked.size() - 1);
  const auto back = nlohmann::json::parse(asked);
  EXPECT_EQ(back["jsonrpc"], "2.0");
  EXPECT_EQ(back["id"], 7);
  EXPECT_EQ(back["method"], "command");
  EXPECT_EQ(back["params"], params);
  const auto told = nlohmann::json::parse(notification("heartbeat", nlohmann::json::object()));
  EXPECT_FALSE(told.contains("id"));
  EXPECT_EQ(told["params"], nlohmann::json::object());
  EXPECT_EQ(nlohmann::json::parse(result(UINT64_MAX, {{"a", 1}}))["id"], UINT64_MAX);
}

TEST(Messages, ErrorsNameTheRequestOrNull) {
  const auto named = nlohmann::json::parse(error(3, -32601, "no method \"x\""));
  EXPECT_EQ(named["id"], 3);
  EXPECT_EQ(named["error"]["code"], -32601);
  EXPECT_EQ(named["error"]["message"], "no method \"x\"");
  const auto unnamed = nlohmann::json::parse(error(std::nullopt, -32700, "bad"));
  ASSERT_TRUE(unnamed.contains("id"));
  EXPECT_TRUE(unnamed["id"].is_null());
}

TEST(Messages, BrokenUtf8IsRepairedNotThrown) {
  const std::string text = notification("status", {{"reason", "bad \xff\xfe serial"}});
  EXPECT_EQ(nlohmann::json::parse(text)["params"]["reason"], "bad \xef\xbf\xbd\xef\xbf\xbd serial");
}

}  // namespace
}  // namespace fmd::wire
