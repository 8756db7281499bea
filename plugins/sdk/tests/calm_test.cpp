#include "plugins/sdk/calm.h"

#include <gtest/gtest.h>

namespace fmd::sdk {
namespace {

using namespace std::chrono_literals;

TEST(Calm, ComesAfterSoManyLooksInARowAndEndsWithTheFirstNews) {
  Calm calm{3, 2};
  for (int round = 0; round < 2; ++round) {
    for (int look = 0; look < 3; ++look) {
      EXPECT_FALSE(calm.is_calm());
      EXPECT_EQ(calm.until_next(30s), 30s);
      EXPECT_FALSE(calm.looked(false));
    }
    for (int look = 0; look < 5; ++look) {
      EXPECT_TRUE(calm.is_calm());
      EXPECT_EQ(calm.until_next(30s), 60s);
      calm.looked(false);
    }
    EXPECT_TRUE(calm.looked(true));
  }
  calm.looked(false);
  EXPECT_FALSE(calm.looked(true)) << "it was not calm";
  calm.looked(false);
  calm.looked(false);
  EXPECT_FALSE(calm.is_calm()) << "not in a row";
}

}  // namespace
}  // namespace fmd::sdk
