// Blocks: data survives packing, and damage is detected.
#include "fmd/store/block.h"

#include <gtest/gtest.h>

#include <random>

#include "fixture.h"

namespace fmd::test {
namespace {

using store::BlockCodec;

std::string lines_of(uint64_t events) {
  std::string lines;
  for (const Event& event : make_events(1, events)) lines += event_to_line(event) + '\n';
  return lines;
}

std::string noise(size_t size) {
  std::mt19937 random(static_cast<uint32_t>(size));
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string unpacked(BlockCodec& codec, std::string_view data) {
  std::string out = "before ";
  const auto done = codec.unpack(data, out);
  return done ? out.substr(7) : "error: " + done.error().message;
}

TEST(Block, WhateverGoesInComesOut) {
  BlockCodec codec;
  for (const PackLevel level : {PackLevel(), PackLevel(-5), PackLevel(1), PackLevel(19)})
    for (const std::string& bytes : {std::string(), std::string("x"), lines_of(300), noise(7),
                                     noise(8), noise(100'000), std::string(5000, '\0')}) {
      const std::string data(codec.pack(bytes, level));
      EXPECT_EQ(unpacked(codec, data), bytes) << bytes.size() << " bytes at " << level.value_or(0);
      EXPECT_LE(data.size(), bytes.size() + 9) << "what does not shrink is kept as it is";
    }
}

TEST(Block, PackedIsSmallerThanKept) {
  BlockCodec codec;
  const std::string lines = lines_of(1000);
  const size_t off = codec.pack(lines, {}).size(), fast = codec.pack(lines, -5).size(),
               well = codec.pack(lines, 19).size();
  EXPECT_LT(fast, off / 3);
  EXPECT_LT(well, fast);
  EXPECT_EQ(codec.cost().bytes_in, 3 * lines.size());
  EXPECT_EQ(codec.cost().bytes_out, off + fast + well);
  EXPECT_GT(codec.cost().cpu_ns, 0u);
}

TEST(Block, IsPackedAsBeforeOnceRoomWasGivenBack) {
  BlockCodec codec;
  const std::string lines = lines_of(1000), before(codec.pack(lines, 3));
  codec.give_room_back();
  EXPECT_EQ(codec.cost().bytes_in, lines.size()) << "what it has cost is not forgotten";
  EXPECT_EQ(codec.pack(lines, 3), before);
  codec.give_room_back();
  EXPECT_EQ(unpacked(codec, before), lines);
}

TEST(Block, ARottenByteIsFound) {
  BlockCodec codec;
  for (const PackLevel level : {PackLevel(), PackLevel(1)}) {
    const std::string lines = lines_of(3), good(codec.pack(lines, level));
    for (size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 0x10);
      const std::string got = unpacked(codec, bad);
      // A few bits of zstd's frames have no meaning.
      EXPECT_TRUE(got.starts_with("error:") || (level && got == lines)) << "byte " << at;
    }
    for (size_t size = 0; size < good.size(); ++size)
      EXPECT_EQ(unpacked(codec, good.substr(0, size)).substr(0, 6), "error:") << "cut to " << size;
  }
}

TEST(Compression, IsNamed) {
  EXPECT_EQ(*parse_compression("auto"), Compression());
  EXPECT_FALSE(parse_compression("off")->fresh || parse_compression("off")->sealed);
  EXPECT_LT(*parse_compression("zstd-fast")->fresh, 0);
  EXPECT_EQ(parse_compression("zstd-19")->sealed, 19);
  EXPECT_EQ(parse_compression("zstd-19")->fresh, Compression().fresh)
      << "a source waits for its commit";
  for (const char* wrong : {"", "Auto", "zstd", "zstd-", "zstd-0", "zstd-01", "zstd-20", "zstd--5",
                            "zstd-3 ", "lz4", "zstd-999999999999"}) {
    const auto parsed = parse_compression(wrong);
    ASSERT_FALSE(parsed.has_value()) << wrong;
    EXPECT_NE(parsed.error().message.find("\"zstd-1\" to \"zstd-19\""), std::string::npos);
  }
}

class CompressionTest : public StoreTest {};

TEST_F(CompressionTest, OfWhatIsWrittenFromNowOn) {
  uint64_t next = 1;
  for (const char* name : {"auto", "off", "zstd-fast", "zstd-1", "zstd-19", "auto"}) {
    const auto store = open({.compression = *parse_compression(name)});
    for (int i = 0; i < 30; ++i, next += 50) commit(*store, make_events(next, 50));
    const StoreStats loose = store->stats();
    while (*store->seal_some()) {
    }
    const StoreStats sealed = store->stats();
    EXPECT_EQ(seqs(*store), range(1, next - 1)) << name;
    EXPECT_GT(loose.packed.bytes_in, 0u) << name;
    EXPECT_GT(sealed.sealed.bytes_in, 0u) << name;
    if (std::string(name) == "off")
      EXPECT_GE(sealed.sealed.bytes_out, sealed.sealed.bytes_in) << name;
    else
      EXPECT_LT(sealed.sealed.bytes_out * 3, sealed.sealed.bytes_in) << name;
  }
}

TEST_F(CompressionTest, IsChangedWhileTheStoreIsOpen) {
  const auto store = open();
  store->set_compression(*parse_compression("off"));
  commit(*store, make_events(1, 50));
  EXPECT_GE(store->stats().packed.bytes_out, store->stats().packed.bytes_in);
  EXPECT_EQ(seqs(*store), range(1, 50));
}

}  // namespace
}  // namespace fmd::test
