#include <gtest/gtest.h>

#include "fmd/model/diagcode.h"
#include "fmd/model/event.h"
#include "fmd/model/fmri.h"

namespace fmd {
namespace {

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

// What parts have in common and no resource stands for is shown in words.
TEST(Fmri, InWords) {
  EXPECT_EQ(in_common_fmri("power feed"), "hc://in-common=power-feed");
  EXPECT_EQ(fmri_words(in_common_fmri("power feed")), "the power feed");
  for (const char* other :
       {"hc://chassis=5000c500fa0e5e50", "hc://chassis=1/in-common=x", "", "no FMRI"})
    EXPECT_EQ(fmri_words(other), other);
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
