#include "fmd/notify/packed_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fmd {
namespace {

// A message about a disk: the same sentences with other names.
std::string message(int disk) {
  std::string out = fmt::format(R"({{"key":"{:08x}-0000-4000-8000-000000000000:diagnosed:{}")",
                                disk * 2654435761u, disk);
  for (int line = 0; line < 60; ++line)
    out += fmt::format(R"(,"line {}":"sentence {} about the disk, with {:x} in it")", line,
                       line * 7919, line * 104729);
  return out + fmt::format(R"(,"serial":"Z{}"}})", disk);
}

TEST(PackedText, ReturnsWhatItWasMadeOf) {
  std::mt19937 random(1);
  std::vector<std::pair<std::string, PackedText>> kept;
  for (int i = 0; i < 500; ++i) {
    std::string text = i % 3 == 0 ? message(i) : std::string(random() % 5000, 'a');
    for (size_t at = 0; at < text.size() && i % 3 == 1; ++at)
      text[at] = static_cast<char>(random());
    if (i % 50 == 7) text.assign(100'000, 'b');
    kept.emplace_back(text, PackedText(text));
    if (i % 5 == 0) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(random() % kept.size()));
  }
  for (const auto& [text, packed] : kept) ASSERT_EQ(packed.text(), text);
  EXPECT_EQ(PackedText().text(), "");
  EXPECT_EQ(PackedText("").text(), "");
}

TEST(PackedText, ManyMessagesOfOneKindTakeLittle) {
  std::vector<PackedText> kept;
  size_t bytes = 0;
  for (int disk = 0; disk < 1000; ++disk) {
    kept.emplace_back(message(disk));
    bytes += kept.back().packed_size();
  }
  EXPECT_LT(bytes / kept.size(), message(0).size() / 20);
  for (int disk : {0, 1, 500, 999})
    EXPECT_EQ(kept[static_cast<size_t>(disk)].text(), message(disk));
  kept.erase(kept.begin());  // the sample stays
  EXPECT_EQ(kept.front().text(), message(1));
}

}  // namespace
}  // namespace fmd
