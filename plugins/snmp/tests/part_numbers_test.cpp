#include "plugins/snmp/part_numbers.h"

#include <gtest/gtest.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::snmp {
namespace {

using sdk::testing::TempTree;

TEST(PartNumbers, AreTheSameAfterARestart) {
  TempTree tree;
  uint32_t disk = 0, bay = 0;
  {
    auto numbers = PartNumbers::open(tree.root());
    disk = numbers->of("dev://wwn=5");
    bay = numbers->of("hc://chassis=1/bay=3");
    EXPECT_NE(disk, bay);
    EXPECT_EQ(numbers->of("dev://wwn=5"), disk);
    ASSERT_TRUE(numbers->save());
  }
  auto numbers = PartNumbers::open(tree.root());
  const uint32_t other = numbers->of("dev://wwn=4");
  EXPECT_EQ(numbers->of("hc://chassis=1/bay=3"), bay);
  EXPECT_EQ(numbers->of("dev://wwn=5"), disk);
  EXPECT_NE(other, disk);
  EXPECT_NE(other, bay);
}

TEST(PartNumbers, ANumberIsNeverGivenTwice) {
  TempTree tree;
  auto numbers = PartNumbers::open(tree.root(), 2);
  const uint32_t first = numbers->of("a");
  numbers->of("b");
  ASSERT_TRUE(numbers->save());
  auto later = PartNumbers::open(tree.root(), 2);
  const uint32_t next = later->of("c");  // no room left: a and b are forgotten
  EXPECT_GT(next, first + 1);
  EXPECT_GT(later->of("a"), next);
}

TEST(PartNumbers, AForeignFileIsAnErrorWithItsLine) {
  for (const char* text : {"x\n", "3\n0 dev://a\n", "3\n4\n", "3\n99999999999 a\n"}) {
    TempTree tree;
    tree.file("/numbers", text);
    const auto numbers = PartNumbers::open(tree.root());
    ASSERT_FALSE(numbers) << text;
    EXPECT_EQ(numbers.error().line, text[0] == 'x' ? 1 : 2) << text;
  }
}

}  // namespace
}  // namespace fmd::snmp
