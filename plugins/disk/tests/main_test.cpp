// fmd-disk as a process: the parts that plugin_main() provides for every plugin.
#include <gtest/gtest.h>

#include "plugins/sdk/host.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::disk {
namespace {

using namespace std::chrono_literals;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

class MainTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};

  sdk::CommandOutput run(std::vector<std::string> words) {
    words.insert(words.begin(), FMD_DISK);
    sdk::CommandOutput output;
    bool done = false;
    host_.run(std::move(words), 60s, [&](sdk::CommandOutput o) {
      output = std::move(o);
      done = true;
    });
    EXPECT_TRUE(loop_.until([&] { return done; }, 60s));
    return output;
  }
};

TEST_F(MainTest, TellsItsVersionAndUsage) {
  const auto version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, "fmd-disk " FMD_VERSION "\n");
  EXPECT_NE(run({"--help"}).out.find("--socket"), std::string::npos);
  EXPECT_EQ(run({"--nonsense"}).code, 78);
}

TEST_F(MainTest, RefusesABrokenConfigurationWithEveryError) {
  tree_.file("/disk.toml", "rescam = \"1s\"\nprobe_deadline = \"soon\"\n");
  const std::string file = tree_.root() + "/disk.toml";
  const auto output = run({"--config", file});
  EXPECT_EQ(output.code, 78);
  EXPECT_EQ(
      output.err,
      "<3>" + file + ":1: unknown key 'rescam', did you mean 'rescan'?\n<3>" + file +
          ":2: probe_deadline must be a time of at least 1 ms, such as \"30s\" or \"10min\"\n");
  EXPECT_EQ(run({"--config", tree_.root() + "/none.toml"}).code, 78);
}

TEST_F(MainTest, RunsOnAnotherRootUntilItIsStopped) {
  FakeCore core(loop_, tree_.root() + "/s");
  tree_.file("/sys/block/sda/device/serial", "S1\n");
  tree_.file("/sys/block/sda/sda1/partition", "1\n");
  tree_.folder("/sys/class/block/sda1");
  bool ended = false;
  auto plugin = host_.stream(
      {FMD_DISK, "--socket", tree_.root() + "/s"}, [](std::string_view) {},
      [&](sdk::CommandOutput) { ended = true; });
  ASSERT_TRUE(loop_.until([&] { return core.resources.contains("dev://serial=:S1"); }));
  EXPECT_FALSE(ended);
  plugin.reset();  // SIGTERM
  EXPECT_TRUE(loop_.until([&] { return !core.connected(); }));
}

}  // namespace
}  // namespace fmd::disk
