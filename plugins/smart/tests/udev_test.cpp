// The SMART plugin with the real Host and udev events of a machine simulated by umockdev
// (plugins/sdk/tests/beds). A stand-in for smartctl prints a file of the test's tree.
#include <stdlib.h>

#include "plugins/sdk/tests/udev_bed.h"
#include "plugins/smart/smart_plugin.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::kDisk;
using sdk::testing::kDrive;
using sdk::testing::kNewDisk;
using sdk::testing::kTarget;

// Logs each query in one line before it answers.
constexpr const char* kSmartctl = R"(#!/bin/sh
echo "$*" >> "$FMD_TEST_TREE/asked"
for last; do :; done
. "$FMD_TEST_TREE/answer-${last##*/}"
)";

class SmartUdevTest : public sdk::testing::InBed {
 protected:
  std::unique_ptr<SmartPlugin> plugin_;

  void SetUp() override {
    setenv("FMD_TEST_TREE", tree_.root().c_str(), 1);
    tree_.file("/tools/smartctl", kSmartctl, 0755);
    answer("sde", "sata-failing.json", 24);
    answer("nvme0", "nvme-warning.json", 8);
  }
  void answer(const std::string& name, const std::string& fixture, int status) {
    tree_.file("/" + fixture, testing::fixture(fixture));
    tree_.file("/answer-" + name,
               "cat \"$FMD_TEST_TREE/" + fixture + "\"; exit " + std::to_string(status) + "\n");
  }
  // From now on every change comes from udev: the plugin never rescans by itself.
  void start() {
    Options options;
    options.interval = options.retry = options.rescan = 24h;
    plugin_ = std::make_unique<SmartPlugin>(loop_, host_, socket(), options);
    ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  }
  bool state_is(const std::string& fmri, const std::string& state) {
    return loop_.until([&] { return core_.property(fmri, "smart.state") == state; });
  }
};

TEST_F(SmartUdevTest, ADiskThatComesIsAsked) {
  start();
  ASSERT_EQ(tree_.read("/asked"), "");
  bed_.plug("scsi-disk");
  ASSERT_TRUE(state_is(kDisk, "observed"));
  EXPECT_EQ(core_.property(kDisk, "smart.status"), "failed");
  EXPECT_EQ(tree_.read("/asked"), "-j -x -n standby,3 /dev/sde\n");
}

TEST_F(SmartUdevTest, ADriveIsAskedByItsController) {
  start();
  bed_.plug("nvme-drive");
  ASSERT_TRUE(state_is(kDrive, "observed"));
  EXPECT_EQ(tree_.read("/asked"), "-j -x /dev/nvme0\n");
}

// The disk goes during the query: callers who wait for the result are notified.
TEST_F(SmartUdevTest, ADiskThatGoesIsForgotten) {
  start();
  tree_.file("/answer-sde", "while :; do sleep 0.05; done\n");
  bed_.plug("scsi-disk");
  ASSERT_TRUE(loop_.until([&] { return !tree_.read("/asked").empty(); }));
  const auto id = core_.command("refresh", "k", "smart://wwn=5000c500a0000003");
  // Its answer comes after that of the next request, which is refused immediately.
  const auto next = core_.command("refresh", "l", "smart://wwn=7");
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(next); }));
  ASSERT_FALSE(core_.answers.contains(id));
  bed_.unplug(kTarget);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.answers[id]["status"], "failed");
  EXPECT_EQ(core_.answers[id]["reason"], "the disk has gone");
}

TEST_F(SmartUdevTest, ADiskThatComesBackIsAskedAgain) {
  bed_.plug("scsi-disk");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  bed_.unplug(kTarget);
  bed_.plug("scsi-disk-new");
  ASSERT_TRUE(state_is(kNewDisk, "observed"));
  bed_.unplug(kTarget);
  bed_.plug("scsi-disk");
  const std::string once = "-j -x -n standby,3 /dev/sde\n";
  EXPECT_TRUE(loop_.until([&] { return tree_.read("/asked") == once + once + once; }));
}

}  // namespace
}  // namespace fmd::smart
