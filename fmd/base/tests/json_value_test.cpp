#include "fmd/base/json_value.h"

#include <gtest/gtest.h>

#include <random>

#include "fmd/base/json.h"

namespace fmd {
namespace {

std::string written(std::string_view text) {
  std::string out = "before";
  append_json_text(text, out);
  return out.substr(6);
}

TEST(AppendJsonText, EachByteAtEachPlace) {
  for (size_t size = 0; size < 20; ++size)
    for (size_t at = 0; at < size; ++at)
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'x');
        text[at] = static_cast<char>(byte);
        ASSERT_EQ(written(text), dump_json(nlohmann::json(text)))
            << size << " " << at << " " << byte;
      }
  EXPECT_EQ(written({}), R"("")");
}

TEST(AppendJsonText, BytesBesideEachOther) {
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    for (unsigned size = random() % 18; size > 0; --size)
      text += "\x00\x1f\x20\x21\x22\x23\x5b\x5c\x5d\x7e\x7f\x80\xff"[random() % 13];
    ASSERT_EQ(written(text), dump_json(nlohmann::json(text)));
  }
}

}  // namespace
}  // namespace fmd
