// Columns: any lines are restored exactly, and damaged columns do no harm.
#include "fmd/store/columns.h"

#include <gtest/gtest.h>

#include <random>

#include "fixture.h"
#include "fmd/store/block.h"

namespace fmd::test {
namespace {

using store::from_columns;
using store::to_columns;

// Lines as in a storm: nearly the same.
std::string alike(uint64_t events) {
  std::string lines;
  for (const Event& event : make_events(1, events)) lines += event_to_line(event) + '\n';
  return lines;
}

void expect_back(const std::string& lines) {
  std::string columns;
  ASSERT_TRUE(to_columns(lines, columns)) << lines.substr(0, 200);
  std::string back = "before ";
  const auto done = from_columns(columns, back);
  ASSERT_TRUE(done.has_value()) << lines.substr(0, 200);
  EXPECT_TRUE(back == "before " + lines) << lines.substr(0, 200) << "\nbecame\n"
                                         << back.substr(7, 200);
}

TEST(Columns, LinesComeBackAsTheyWere) {
  expect_back("\n");
  expect_back("\n\n\n");
  expect_back("1\n");
  expect_back("no word has a digit\nno word has a digit\n");
  expect_back("a1\nb2 c3\n\nd4\n");
  // Numbers in non-standard notation, and the largest ones.
  expect_back("007\n7\n0\n00\n");
  expect_back("18446744073709551615\n0\n18446744073709551615\n1\n");
  expect_back("18446744073709551616\n18446744073709551615\n99999999999999999999\n");
  expect_back("9223372036854775807\n9223372036854775808\n0\n");
  expect_back("-5 +6 1e9 0x1F\n-6 +7 2e9 0xFF\n");
  expect_back("\xff\xfe 1 \r 2\n\xff\xfe 3 \r 4\n");
  expect_back(alike(1));
  expect_back(alike(1000));
}

TEST(Columns, WhatTheyAreNotForStaysAsItIs) {
  std::string different;
  for (int i = 0; i < 300; ++i) different += std::string(static_cast<size_t>(i), 'x') + '\n';
  for (const std::string& lines : {std::string(), std::string("no line break"), std::string("a\nb"),
                                   std::string("\0\n", 2), std::string("1\0\n", 3), different}) {
    std::string columns = "before";
    EXPECT_FALSE(to_columns(lines, columns));
    EXPECT_EQ(columns, "before");
  }
}

// Each place would be a column: too much memory for one line.
TEST(Columns, ALineOfVeryManyNumbersStaysALine) {
  std::string lines, columns;
  for (int i = 0; i < 200'000; ++i) lines += "1,";
  lines += '\n';
  EXPECT_FALSE(to_columns(lines, columns));
  store::BlockCodec codec;
  std::string back;
  ASSERT_TRUE(codec.unpack(std::string(codec.pack_lines(lines, 3)), back).has_value());
  EXPECT_TRUE(back == lines);
  lines.erase(60'000);
  expect_back(lines + "\n");
}

// Lines of few shapes, with words that are constant, counting, one of a few, or random.
std::string random_lines(uint32_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  struct Place {
    uint64_t kind, from, step;
    int bits;
  };
  std::vector<std::vector<Place>> shapes(1 + below(5));
  for (auto& shape : shapes)
    for (uint64_t i = below(12); i > 0; --i)
      shape.push_back({below(6), random(), random() >> below(64), static_cast<int>(below(64))});
  std::string lines;
  const uint64_t count = 1 + below(400);
  for (uint64_t line = 0; line < count; ++line) {
    const size_t which = below(shapes.size());
    lines += std::string(which, '.');
    for (const Place& place : shapes[which]) {
      const uint64_t values[] = {place.from,
                                 place.from + line * place.step,
                                 place.from - line * place.step,
                                 place.from + below(3) * place.step,
                                 random() >> place.bits,
                                 below(1000)};
      lines += ",\"" + std::string(place.kind == 5 ? "000" : "") +
               std::to_string(values[place.kind]) + (place.bits < 8 ? "\"z" : "");
    }
    lines += '\n';
  }
  return lines;
}

TEST(Columns, AnyLinesComeBackAsTheyWere) {
  for (uint32_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_back(random_lines(seed));
  }
}

TEST(Columns, AnyBytesComeBackAsTheyWere) {
  std::mt19937 random(1);
  store::BlockCodec codec;
  for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
    std::string bytes(random() % 300, '\0');
    constexpr std::string_view letters("0123456789ab\n\n\0 \xff", 17);
    for (char& byte : bytes) byte = letters[random() % letters.size()];
    std::string back;
    ASSERT_TRUE(codec.unpack(std::string(codec.pack_lines(bytes, 3)), back).has_value());
    EXPECT_TRUE(back == bytes) << round;
  }
}

TEST(Columns, AStormTakesLittleRoom) {
  store::BlockCodec codec;
  const std::string lines = alike(1000);
  EXPECT_LT(codec.pack_lines(lines, 3).size() * 2, codec.pack(lines, 1).size());
}

TEST(Columns, DamageIsFoundOrGivesLinesAndDoesNoHarm) {
  std::string good;
  ASSERT_TRUE(to_columns(random_lines(7), good));
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good;
    for (uint32_t changes = 1 + random() % 3; changes > 0; --changes)
      bad[random() % bad.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    std::string out = "before";
    if (!from_columns(bad, out)) {
      EXPECT_EQ(out, "before");
    }
    EXPECT_LE(out.size(), store::kLargestBlock + 6);
  }
}

TEST(Columns, ARottenByteOfABlockIsFound) {
  store::BlockCodec codec;
  const std::string lines = alike(30), good(codec.pack_lines(lines, 3));
  ASSERT_EQ(good.front(), 'c');
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good, out;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    // A few bits of zstd's frames have no meaning.
    EXPECT_TRUE(!codec.unpack(bad, out) || out == lines) << "byte " << at;
  }
  for (size_t size = 0; size < good.size(); ++size) {
    std::string out;
    EXPECT_FALSE(codec.unpack(good.substr(0, size), out).has_value()) << "cut to " << size;
  }
}

}  // namespace
}  // namespace fmd::test
