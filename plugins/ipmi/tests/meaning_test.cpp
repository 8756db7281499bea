// Every pair of the specification's tables 42-2 and 42-3 and its expected meaning.
#include <gtest/gtest.h>

#include "plugins/ipmi/tests/ipmi_fixture.h"

namespace fmd::ipmi::meaning_test {
namespace {

using testing::standard;

// One letter per offset: n(ominal), w(arning), c(ritical), x: non-recoverable, a(bsent), -: not in
// the table.
struct Row {
  int code;
  const char* verdicts;
};
constexpr Row kReadings[] = {{0x01, "wwccxxwwccxx"}, {0x02, "nnn"},      {0x03, "nw"},
                             {0x04, "nw"},           {0x05, "nc"},       {0x06, "nc"},
                             {0x07, "nwcxwcxwn"},    {0x08, "an"},       {0x09, "nn"},
                             {0x0A, "nnnnwncnc"},    {0x0B, "ncwccxww"}, {0x0C, "nnnn"}};
constexpr Row kTypes[] = {{0x01, ""},
                          {0x02, ""},
                          {0x03, ""},
                          {0x04, ""},
                          {0x05, "wwwwwww"},
                          {0x06, "wwwwww"},
                          {0x07, "cccccccnwnwcw"},
                          {0x08, "ncwccccn"},
                          {0x09, "nncccccw"},
                          {0x0A, ""},
                          {0x0B, ""},
                          {0x0C, "wcccwcncnwc"},
                          {0x0D, "ncwnnwcnw"},
                          {0x0E, ""},
                          {0x0F, "ccn"},
                          {0x10, "wwnwwww"},
                          {0x11, "ccccccww"},
                          {0x12, "nncnnn"},
                          {0x13, "wccncccwcccw"},
                          {0x14, "nnnnn"},
                          {0x15, ""},
                          {0x16, ""},
                          {0x17, ""},
                          {0x18, ""},
                          {0x19, "cc"},
                          {0x1A, ""},
                          {0x1B, "nc"},
                          {0x1C, ""},
                          {0x1D, "nnnnnnnn"},
                          {0x1E, "ccwcw"},
                          {0x1F, "nnnnnnnnnww"},
                          {0x20, "ccnnnw"},
                          {0x21, "cnnnnnnnwn"},
                          {0x22, "nnnnnnnnnnnnn-n"},
                          {0x23, "wccc----w"},
                          {0x24, "nnnn"},
                          {0x25, "nan"},
                          {0x26, ""},
                          {0x27, "wn"},
                          {0x28, "wwwcww"},
                          {0x29, "wcn"},
                          {0x2A, "nnww"},
                          {0x2B, "nnccccnn"},
                          {0x2C, "annnnnnc"}};

char letter(Verdict verdict) {
  switch (verdict) {
    case Verdict::nominal:
      return 'n';
    case Verdict::reserved:
      return '-';
    case Verdict::absent:
      return 'a';
    case Verdict::warning:
      return 'w';
    case Verdict::critical:
      return 'c';
    case Verdict::non_recoverable:
      return 'x';
  }
  return '?';
}

std::string verdicts(const Meaning& meaning, int reading, int type) {
  std::string all;
  for (int offset = 0; offset < 15; ++offset) {
    const State state = meaning.of(reading, type, offset);
    if (!meaning.knows(reading, type, offset) && state.verdict != Verdict::reserved) break;
    all += letter(state.verdict);
  }
  return all;
}

TEST(Meaning, OfEveryGenericState) {
  const Meaning meaning = standard();
  for (const Row& row : kReadings)
    EXPECT_EQ(verdicts(meaning, row.code, 0x15), row.verdicts) << "reading type " << row.code;
}

TEST(Meaning, OfEveryStateOfASensorType) {
  const Meaning meaning = standard();
  for (const Row& row : kTypes)
    EXPECT_EQ(verdicts(meaning, code::kSpecific, row.code), row.verdicts) << "type " << row.code;
  EXPECT_FALSE(meaning.knows(code::kSpecific, 0x2D, 0)) << "the table ends there";
  EXPECT_FALSE(meaning.knows(0x0D, 0x01, 0));
}

TEST(Meaning, OfWhatNobodyKnowsIsNoFault) {
  const Meaning meaning = standard();
  for (const int type : {0xC0, 0xFF, 0x2D, 0x08}) {
    const State state = meaning.of(0x70, type, 3);
    EXPECT_EQ(state.verdict, Verdict::nominal);
    EXPECT_EQ(state.text, "state 3");
  }
  EXPECT_EQ(meaning.type_name(0xC3), "type 0xc3");
  EXPECT_EQ(meaning.type_name(0x04), "fan");
}

TEST(Meaning, SaysWhatRulesKnow) {
  const Meaning meaning = standard();
  EXPECT_EQ(meaning.of(code::kSpecific, code::kMemory, 1).condition, "memory.uncorrected");
  EXPECT_EQ(meaning.of(code::kSpecific, code::kProcessor, 0).condition, "processor.ierr");
  EXPECT_EQ(meaning.of(code::kSpecific, code::kProcessor, 10).text, "throttled");
  EXPECT_EQ(meaning.of(code::kSpecific, code::kPowerSupply, 7).verdict, Verdict::nominal)
      << "a standby supply";
  EXPECT_EQ(meaning.of(code::kSpecific, 0x10, 2).verdict, Verdict::nominal) << "a cleared log";
}

TEST(Meaning, AnAdditionHoldsForItsBmcOnly) {
  const SourceFile addition{
      "acme.toml",
      "[[type]]\ncode = 0xC0\nname = \"acme health\"\nmanufacturer = 674\nproduct = 256\n"
      "states = [\"nominal: well\", \"critical acme.broken: broken\"]\n"
      "[[reading]]\ncode = 0x03\nname = \"state\"\nmanufacturer = 674\n"
      "states = [\"critical: off\", \"nominal: on\"]\n"};
  const Meaning ours = standard({addition}, {674, 256});
  EXPECT_EQ(ours.of(code::kSpecific, 0xC0, 1).condition, "acme.broken");
  EXPECT_EQ(ours.of(0x03, 0x01, 0).verdict, Verdict::critical);
  const Meaning same_maker = standard({addition}, {674, 1});
  EXPECT_FALSE(same_maker.knows(code::kSpecific, 0xC0, 1));
  EXPECT_EQ(same_maker.of(0x03, 0x01, 0).verdict, Verdict::critical);
  EXPECT_EQ(standard({addition}, {1, 256}).of(0x03, 0x01, 0).verdict, Verdict::nominal);
}

TEST(Meaning, EveryMistakeOfAFileIsTold) {
  const auto wrong =
      Meaning::parse({{"x.toml",
                       "[[type]]\nname = \"a\"\nstates = [\"broken: b\", \"critical\"]\n"
                       "[[reading]]\ncode = 999\nnam = \"c\"\n"}},
                     {});
  ASSERT_FALSE(wrong);
  for (const char* part :
       {"code is missing", "\"broken: b\" is not", "\"critical\" is not", "0 to 255", "\"nam\""})
    EXPECT_NE(wrong.error().text().find(part), std::string::npos) << part << "\n"
                                                                  << wrong.error().text();
}

}  // namespace
}  // namespace fmd::ipmi::meaning_test
