#include "fmd/base/bounded_json.h"

#include <gtest/gtest.h>

#include <string>

#include "fmd/base/json.h"

namespace fmd {
namespace {

std::string nested(size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(BoundedJson, NestingIsLimited) {
  EXPECT_TRUE(parse_bounded_json(nested(64)));
  const auto deep = parse_bounded_json(nested(65));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().message, "is nested more than 64 levels deep");
  EXPECT_FALSE(parse_bounded_json(nested(1'000'000)));
}

TEST(BoundedJson, TheNumberOfValuesIsLimited) {
  const auto objects = [](size_t count) {
    std::string text = "[{}";
    for (size_t i = 1; i < count; ++i) text += ",{}";
    return text + "]";
  };
  EXPECT_TRUE(parse_bounded_json(objects(40), {8, 100}));
  const auto many = parse_bounded_json(objects(80), {8, 100});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message, "has more than 100 JSON values");
}

TEST(BoundedJson, TextWithinStringsIsNotCounted) {
  const std::string text = R"({"a":"[[[[,,,,{{{{ \" [[[[,,,, \\"})";
  EXPECT_EQ(measure_json(text).nesting, 1U);
  EXPECT_EQ(measure_json(text).values, 2U);
  EXPECT_TRUE(parse_bounded_json(text, {1, 2}));
}

TEST(BoundedJson, MalformedTextIsRefused) {
  for (const char* text : {"", "[", "]]]]", "{\"a\":}", "\"", "\\", "[1,2"})
    EXPECT_FALSE(parse_bounded_json(text)) << text;
}

}  // namespace
}  // namespace fmd
