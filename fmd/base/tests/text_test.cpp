#include "fmd/base/text.h"

#include <gtest/gtest.h>

#include "fmd/base/value.h"

namespace fmd {
namespace {

TEST(Display, LeavesPrintableUtf8) {
  EXPECT_EQ(display("Pool \"tank\" Straße 硬盘 😀"), "Pool \"tank\" Straße 硬盘 😀");
  EXPECT_EQ(display(""), "");
}

TEST(Display, EscapesWhatIsNotSeenOrMoves) {
  EXPECT_EQ(display("a\x1b[31mb\n\t\x7f"), "a\\x1b[31mb\\x0a\\x09\\x7f");
  EXPECT_EQ(display(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(display("\u202etxt.exe"), "\\xe2\\x80\\xaetxt.exe");  // right-to-left override
  EXPECT_EQ(display("a\u200bb\ufeff"), "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf");
  EXPECT_EQ(display("\u0085\u2028"), "\\xc2\\x85\\xe2\\x80\\xa8");  // C1 and a line separator
}

TEST(PlainJson, WritesWhatDeceivesAsEscapesOfTheSameText) {
  EXPECT_EQ(plain_json("{\n  \"a\": \"Straße \u202etxt\x7f\u0085\"\n}"),
            "{\n  \"a\": \"Straße \\u202etxt\\u007f\\u0085\"\n}");
  EXPECT_EQ(plain_json("\"\U000e0041\""), "\"\\udb40\\udc41\"");  // a tag, by its surrogates
  EXPECT_EQ(plain_json("\"\\u001b plain\""), "\"\\u001b plain\"");
}

TEST(Display, EscapesBrokenUtf8ByteByByte) {
  EXPECT_EQ(display("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(display("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(display("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(display("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(display("a\xe2\x82"), "a\\xe2\\x82");                  // cut short
}

TEST(Display, CutsByCodePoints) {
  EXPECT_EQ(display("ääääää", 3), "äää…");
  EXPECT_EQ(display("äää", 3), "äää");
  EXPECT_EQ(display(std::string(300, 'x')).size(), 200 + std::string("…").size());
}

TEST(Nearest, FindsSlipsOnly) {
  const std::vector<std::string> words{"redundancy", "contains", "power"};
  EXPECT_EQ(nearest("redundnacy", words), "redundancy");
  EXPECT_EQ(nearest("contain", words), "contains");
  EXPECT_EQ(nearest("pwoer", words), "power");
  EXPECT_FALSE(nearest("elephant", words));
  EXPECT_FALSE(nearest("", words));
  EXPECT_FALSE(nearest(std::string(100000, 'x'), words));
}

TEST(Duration, Parses) {
  EXPECT_EQ(*parse_duration("10min"), 600LL * 1000000000);
  EXPECT_EQ(*parse_duration("15s"), 15LL * 1000000000);
  EXPECT_EQ(*parse_duration("72h"), 72LL * 3600 * 1000000000);
  EXPECT_EQ(*parse_duration("500ms"), 500LL * 1000000);
  EXPECT_EQ(*parse_duration("30d"), 30LL * 86400 * 1000000000);
  EXPECT_EQ(*parse_duration("1 week"), 7LL * 86400 * 1000000000);
  EXPECT_EQ(*parse_duration("0s"), 0);
  for (const char* bad : {"", "s", "10", "10 apples", "-1s", "1.5h", "10min ", "99999999999d",
                          "9999999999999999999999s"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(Duration, FormatsTheShortestExactForm) {
  EXPECT_EQ(format_duration(600LL * 1000000000), "10min");
  EXPECT_EQ(format_duration(90LL * 1000000000), "90s");
  EXPECT_EQ(format_duration(86400LL * 1000000000), "1d");
  EXPECT_EQ(format_duration(1500000), "1500us");
  EXPECT_EQ(format_duration(0), "0s");
}

TEST(Times, Format) {
  EXPECT_EQ(format_time_iso(1795228661123456789), "2026-11-21T02:37:41.123Z");
  EXPECT_EQ(format_time_iso(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_bytes(268435456), "256 MiB");
  EXPECT_EQ(format_bytes(1610612736), "1.5 GiB");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1048575), "1.0 MiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Values, CompareAcrossNumberTypes) {
  EXPECT_TRUE(equal_values(int64_t{5}, uint64_t{5}));
  EXPECT_TRUE(equal_values(int64_t{5}, 5.0));
  EXPECT_FALSE(equal_values(int64_t{-1}, UINT64_MAX));
  EXPECT_FALSE(equal_values(uint64_t{1}, true));
  EXPECT_FALSE(equal_values(std::string("1"), int64_t{1}));
  EXPECT_TRUE(equal_values(std::string("a"), std::string("a")));
  EXPECT_EQ(to_text(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(Value()), "");
}

}  // namespace
}  // namespace fmd
