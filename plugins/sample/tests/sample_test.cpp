#include "plugins/sample/sample_plugin.h"

#include <gtest/gtest.h>

#include <memory>

#include "plugins/sdk/tests/support.h"

namespace fmd::sample {
namespace {

using namespace std::chrono_literals;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

class SampleTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), ""};
  std::unique_ptr<SamplePlugin> plugin_;

  void start(std::chrono::milliseconds interval = 10ms) {
    plugin_ = std::make_unique<SamplePlugin>(loop_, host_, tree_.root() + "/s",
                                             Options{.interval = interval});
  }
  nlohmann::json refreshed(const std::string& key) {
    const auto id = core_.command("refresh", key, "sample://device=0");
    EXPECT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    return core_.answers[id];
  }
  void set_state(const std::string& state) { tree_.file("/run/sample/state", state + "\n"); }
  bool reported(const std::string& state) {
    return loop_.until([&] { return core_.property("sample://device=0", "state") == state; });
  }
};

TEST_F(SampleTest, ReportsTheDeviceAndItsState) {
  set_state("ok");
  start();
  EXPECT_TRUE(reported("ok"));
  EXPECT_TRUE(core_.events.empty());
}

TEST_F(SampleTest, AFailureIsOneEvent) {
  set_state("ok");
  start();
  ASSERT_TRUE(reported("ok"));
  set_state("failed");
  ASSERT_TRUE(loop_.until([&] { return !core_.events.empty(); }));
  const size_t looks = core_.count("inventory");
  ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > looks + 1; }));
  ASSERT_EQ(core_.events.size(), 1u);
  EXPECT_EQ(core_.events[0]["class"], "ereport.sample.failed");
  EXPECT_EQ(core_.events[0]["resource"], "sample://device=0");
}

TEST_F(SampleTest, AMissingDeviceIsNotObserved) {
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status")[0]["state"], "not-observed");
}

TEST_F(SampleTest, ARefreshLooksBeforeItIsAnswered) {
  set_state("ok");
  start(1h);
  ASSERT_TRUE(reported("ok"));
  set_state("failed");
  EXPECT_EQ(refreshed("1")["status"], "done");
  EXPECT_EQ(core_.property("sample://device=0", "state"), "failed");
  tree_.remove("/run/sample/state");
  EXPECT_EQ(refreshed("2")["status"], "failed");
}

TEST_F(SampleTest, ANewConnectionGetsTheWholeInventory) {
  set_state("ok");
  start(1h);
  ASSERT_TRUE(reported("ok"));
  const size_t before = core_.count("inventory");
  core_.disconnect();
  ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > before; }));
  EXPECT_EQ(core_.of("inventory").back()["complete"], true);
}

}  // namespace
}  // namespace fmd::sample
