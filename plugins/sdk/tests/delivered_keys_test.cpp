#include "plugins/sdk/delivered_keys.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

class DeliveredKeysTest : public ::testing::Test {
 protected:
  DeliveredKeys open(size_t kept = DeliveredKeys::kKept) {
    auto keys = DeliveredKeys::open(tree_.root(), kept);
    EXPECT_TRUE(keys.has_value()) << keys.error().text();
    return std::move(*keys);
  }
  size_t lines() const {
    const std::string text = tree_.read("/delivered");
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  testing::TempTree tree_;
};

TEST_F(DeliveredKeysTest, RemembersOverARestart) {
  {
    auto keys = open();
    EXPECT_FALSE(keys.contains("a:1"));
    EXPECT_TRUE(keys.add("a:1"));
    EXPECT_TRUE(keys.add("a:1"));
    EXPECT_TRUE(keys.contains("a:1"));
  }
  auto keys = open();
  EXPECT_TRUE(keys.contains("a:1"));
  EXPECT_FALSE(keys.contains("a:2"));
  EXPECT_EQ(lines(), 1u);
}

TEST_F(DeliveredKeysTest, HostileKeysAreKeys) {
  const std::string hostile("new\nline \\ \0 \x7f ä", 18);
  { EXPECT_TRUE(open().add(hostile)); }
  auto keys = open();
  EXPECT_TRUE(keys.contains(hostile));
  EXPECT_FALSE(keys.contains("new"));
  EXPECT_EQ(lines(), 1u);
}

TEST_F(DeliveredKeysTest, ALineCutByACrashDoesNotCount) {
  tree_.file("/delivered", "one\ntw");
  {
    auto keys = open();
    EXPECT_TRUE(keys.contains("one"));
    EXPECT_FALSE(keys.contains("tw"));
    EXPECT_TRUE(keys.add("three"));
  }
  EXPECT_EQ(tree_.read("/delivered"), "one\nthree\n");
}

TEST_F(DeliveredKeysTest, TheFileDoesNotGrowForEver) {
  {
    auto keys = open(10);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(keys.add(std::to_string(i)));
    EXPECT_FALSE(keys.contains("89"));
    for (int i = 90; i < 100; ++i) EXPECT_TRUE(keys.contains(std::to_string(i)));
  }
  EXPECT_LE(lines(), 21u);
  auto keys = open(10);
  EXPECT_FALSE(keys.contains("89"));
  EXPECT_TRUE(keys.contains("90"));
  EXPECT_TRUE(keys.add("new"));
  EXPECT_TRUE(open(10).contains("new"));
}

TEST_F(DeliveredKeysTest, AFullDiskIsToldAndTheKeyStillKnown) {
  auto keys = open();
  EXPECT_TRUE(keys.add("before"));
  signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  rlimit small = usual;
  small.rlim_cur = 10;
  setrlimit(RLIMIT_FSIZE, &small);
  const auto added = keys.add("during");
  setrlimit(RLIMIT_FSIZE, &usual);
  EXPECT_FALSE(added.has_value());
  EXPECT_TRUE(keys.contains("during"));
  EXPECT_TRUE(keys.add("after"));
  EXPECT_EQ(tree_.read("/delivered"), "before\nafter\n");
}

TEST_F(DeliveredKeysTest, AFolderThatIsNotThereIsAnErrorThatNamesIt) {
  const auto keys = DeliveredKeys::open(tree_.root() + "/none");
  ASSERT_FALSE(keys.has_value());
  EXPECT_NE(keys.error().text().find(tree_.root() + "/none/delivered"), std::string::npos);
}

}  // namespace
}  // namespace fmd::sdk
