#include "corpus.h"

#include <gtest/gtest.h>

namespace fmd::score {
namespace {

constexpr const char* kGood = R"(family = "cable"
[every]
generator = "path"
with = { sign = "leaves", spread = ["1s", "2s"] }
truth = [{ part = "hub", class = ["fault.a"], within = "2min" }]
[[scenario]]
label = "one"
shape = "tower"
[[scenario]]
label = "two"
shape = "two shelves"
with = { spread = "5s", times = [3, 4] }
must_not = { retire = "disk", before = "5min" }
)";

std::pair<std::vector<Scenario>, std::vector<Error>> read(const std::string& text) {
  return read_corpus({{"cable.toml", text}}, {"fault.a", "fault.b"});
}

// The error after one replacement in kGood.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto [corpus, errors] = read(text);
  return errors.size() == 1 ? errors.front().text() : std::to_string(errors.size()) + " errors";
}

const Knob& knob(const Scenario& s, const std::string& name) {
  for (const Knob& one : s.knobs)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

TEST(Corpus, WhatHoldsOfEveryScenarioIsOverriddenByItsOwn) {
  const auto [corpus, errors] = read(kGood);
  ASSERT_TRUE(errors.empty()) << errors.front().text();
  ASSERT_EQ(corpus.size(), 2u);
  EXPECT_EQ(corpus[0].shape->name, std::string("tower"));
  EXPECT_EQ(knob(corpus[0], "spread").high, 2 * kSec);
  EXPECT_EQ(knob(corpus[1], "sign").word, "leaves");
  EXPECT_EQ(knob(corpus[1], "spread").low, 5 * kSec);
  EXPECT_EQ(knob(corpus[1], "spread").high, 5 * kSec);
  EXPECT_EQ(knob(corpus[1], "times").high, 4);
  EXPECT_EQ(corpus[1].truths.at(0).within, 2 * kMin);
  EXPECT_EQ(corpus[1].must_not.at(0).time, 5 * kMin);
  EXPECT_EQ(corpus[1].line, 9);
}

TEST(Corpus, EachMistakeIsToldWithFileAndLine) {
  EXPECT_EQ(error_with("label = \"two\"", "label = \"one\""),
            "cable.toml:9: the label \"one\" is taken by cable.toml:6");
  EXPECT_EQ(error_with("shape = \"tower\"", "shape = \"towr\""),
            "cable.toml:8: scenario \"one\": \"shape\" cannot be \"towr\"; is \"tower\" meant?");
  EXPECT_EQ(error_with("times = [3, 4]", "tims = 3"),
            "cable.toml:12: generator \"path\": unknown key \"tims\"; is \"times\" meant?");
  EXPECT_EQ(
      error_with("times = [3, 4]", "times = [4, 3]"),
      "cable.toml:12: generator \"path\": \"times\" must be a whole number from 0 to 10000, or "
      "two of them, the lower first");
  EXPECT_EQ(
      error_with("\"5s\"", "\"5 apples\""),
      "cable.toml:12: generator \"path\": \"spread\" must be a time such as \"30s\", or two of "
      "them, the lower first");
  EXPECT_EQ(error_with("fault.a", "fault.c"),
            "cable.toml:5: truth: no rule concludes the fault \"fault.c\"; is \"fault.a\" meant?");
  EXPECT_EQ(error_with("retire = \"disk\", before", "retire = \"shelf\", before"),
            "cable.toml:13: must_not: \"retire\" cannot be \"shelf\"; it is one of disk, hub");
  EXPECT_EQ(error_with("must_not = { retire = \"disk\", before = \"5min\" }",
                       "must = { retire = \"disk\" }"),
            "cable.toml:13: must: \"within\" is missing");
  EXPECT_EQ(
      error_with("shape = \"tower\"", "shape = \"tower\"\nquiet = true"),
      "cable.toml:6: scenario \"one\": say what is broken (\"truth\"), or that nobody is to be "
      "told (\"quiet = true\")");
  EXPECT_EQ(error_with(", before = \"5min\" }", " }\nmay = { retire = \"disk\" }"),
            "cable.toml:9: scenario \"two\": \"must_not\" forbids what else is allowed: retire of "
            "\"disk\"");
}

TEST(Corpus, ASeedGoesByTheLabelAlone) {
  EXPECT_EQ(seed_of("one"), 0x7692c3ad3540bb80u);
  EXPECT_NE(seed_of("one"), seed_of("two"));
}

}  // namespace
}  // namespace fmd::score
