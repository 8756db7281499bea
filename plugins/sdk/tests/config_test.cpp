#include "plugins/sdk/config.h"

#include <gtest/gtest.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

using namespace std::chrono_literals;

TEST(Config, NoFileIsAllDefaults) {
  Config config("");
  EXPECT_EQ(config.duration("rescan", 30s), 30s);
  EXPECT_TRUE(config.finish());
}

TEST(Config, ReadsEachType) {
  testing::TempTree tree;
  tree.file("/c.toml", "rescan = \"10min\"\nto = [\"a\", \"b\"]\n[smtp]\nport = 25\ntls = true\n");
  Config config(tree.root() + "/c.toml");
  EXPECT_EQ(config.duration("rescan", 30s), 10min);
  EXPECT_EQ(config.texts("to", {}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.integer("smtp.port", 0, 1, 65535), 25);
  EXPECT_TRUE(config.boolean("smtp.tls", false));
  EXPECT_EQ(config.text("smtp.host", "localhost"), "localhost");
  EXPECT_TRUE(config.finish());
}

TEST(Config, EveryErrorIsListedWithItsLine) {
  testing::TempTree tree;
  tree.file("/c.toml",
            "rescann = \"1s\"\nrescan = 5\n[smtp]\nport = 70000\nfoo = 1\n[other]\nx = 1\n");
  const std::string file = tree.root() + "/c.toml";
  Config config(file);
  config.duration("rescan", 30s);
  config.integer("smtp.port", 25, 1, 65535);
  const auto good = config.finish();
  ASSERT_FALSE(good);
  EXPECT_EQ(good.error().text(),
            file + ":1: unknown key 'rescann', did you mean 'rescan'?\n" + file +
                ":2: rescan must be a time of at least 1 ms, such as \"30s\" or \"10min\"\n" +
                file + ":4: smtp.port must be a whole number from 1 to 65535\n" + file +
                ":5: unknown key 'smtp.foo'\n" + file + ":6: unknown key 'other'");
}

TEST(Config, ASyntaxErrorHasItsLine) {
  testing::TempTree tree;
  tree.file("/c.toml", "a = 1\nb = = 2\n");
  Config config(tree.root() + "/c.toml");
  const auto good = config.finish();
  ASSERT_FALSE(good);
  EXPECT_NE(good.error().text().find("/c.toml:2: "), std::string::npos);
}

}  // namespace
}  // namespace fmd::sdk
