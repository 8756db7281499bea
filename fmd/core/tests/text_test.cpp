#include "fmd/core/text.h"

#include <gtest/gtest.h>

#include "fmd/core/diagcode.h"
#include "fmd/core/event.h"
#include "fmd/core/fmri.h"

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

TEST(Fmri, EscapesAndParsesBack) {
  const std::string evil = "a/b=c %\n\"ä" + std::string(1, '\0');
  const std::string text = make_fmri("dev", {{"serial", evil}});
  EXPECT_EQ(text, "dev://serial=a%2Fb%3Dc%20%25%0A%22%C3%A4%00");
  const auto parsed = Fmri::parse(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->get("serial"), evil);
  EXPECT_EQ(parsed->str(), text);
  EXPECT_EQ(make_fmri("zfs", {{"pool", "123"}, {"vdev", "456"}}), "zfs://pool=123/vdev=456");
  EXPECT_EQ(Fmri::parse("dev://serial=a%2f")->str(), "dev://serial=a%2F");
  EXPECT_EQ(Fmri::parse("fmd://store")->str(), "fmd://store");
  EXPECT_EQ(Fmri::parse("dev://serial=MODEL:S")->get("wwn"), "");
}

TEST(Fmri, RefusesWhatIsNone) {
  for (const char* bad : {"", "zfs", "zfs://", "://a=b", "zfs://pool=", "zfs://pool=1/",
                          "zfs:///pool=1", "zfs://pool=a b", "zfs://pool=%4", "zfs://pool=%zz",
                          "ZFS://pool=1", "zfs://POOL=1", "zfs://pool=1/=2", "zfs://pool=a=b"}) {
    EXPECT_FALSE(Fmri::parse(bad)) << bad;
    EXPECT_FALSE(is_canonical_fmri(bad)) << bad;
  }
  for (const char* good : {"fmd://store", "zfs://pool=1/vdev=2", "dev://serial=A.B:C@D+E-F_G"}) {
    EXPECT_TRUE(is_canonical_fmri(good)) << good;
    EXPECT_EQ(Fmri::parse(good)->str(), good);
  }
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

TEST(Payload, TheLaterMemberCounts) {
  Payload p;
  p.append("a", int64_t{1});
  p.append("a", int64_t{2});
  p.set("b", int64_t{3});
  p.set("b", int64_t{4});
  EXPECT_EQ(*p.find("a"), Value(int64_t{2}));
  EXPECT_EQ(*p.find("b"), Value(int64_t{4}));
  EXPECT_EQ(p.find("c"), nullptr);
}

TEST(Diagcode, GivesTheKnownCodes) {
  EXPECT_EQ(diagcode("ZFS", 14), "ZFS-8000-FD");
  EXPECT_EQ(diagcode("ZFS", 15), "ZFS-8000-GH");
  EXPECT_EQ(diagcode("DISK", 0), "DISK-8000-0X");
  EXPECT_EQ(diagcode("AMD", 2), "AMD-8000-2F");
}

TEST(Diagcode, ParsesBackInAllSizes) {
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{1}, uint64_t{2097151}, uint64_t{2097152}, uint64_t{274880004095},
        uint64_t{274880004096}, uint64_t{36029071898968063}, uint64_t{36029071898968064},
        UINT64_MAX}) {
    const std::string code = diagcode("TEST", number);
    const auto parsed = parse_diagcode("TEST", code);
    ASSERT_TRUE(parsed) << code << " " << parsed.error().message;
    EXPECT_EQ(*parsed, number) << code;
  }
  EXPECT_EQ(diagcode("TEST", 2097151).size(), std::string("TEST-8000-00").size());
  EXPECT_EQ(diagcode("TEST", 2097152).size(), std::string("TEST-0000-0000-00").size());
}

// The codes that people know from the field, and the numbers the shipped rules use for them.
TEST(Diagcode, NumbersOfZfsCodes) {
  const std::pair<const char*, uint64_t> codes[] = {
      {"ZFS-8000-CS", 11}, {"ZFS-8000-D3", 12}, {"ZFS-8000-FD", 14}, {"ZFS-8000-GH", 15},
      {"ZFS-8000-HC", 16}, {"ZFS-8000-JQ", 17}, {"ZFS-8000-K4", 18}};
  for (const auto& [code, number] : codes) {
    const auto parsed = parse_diagcode("ZFS", code);
    ASSERT_TRUE(parsed) << code;
    EXPECT_EQ(*parsed, number) << code;
  }
}

TEST(Diagcode, RefusesWrongOnes) {
  for (const char* bad : {"ZFS-8000-GG", "ZFS-8000-G", "DISK-8000-0X", "ZFS-8000-0B", "ZFS", "ZFS-",
                          "ZFS80000R", "zfs-8000-gh", "ZFS-800-0GH", "ZFS-0000-GH"})
    EXPECT_FALSE(parse_diagcode("ZFS", bad)) << bad;
}

}  // namespace
}  // namespace fmd
