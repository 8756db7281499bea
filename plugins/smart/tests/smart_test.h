// The plugin under test on a sysfs tree, against a core on a real socket. A stand-in for smartctl
// responds by running a script beside the tree, one per device.
#pragma once
#include <gtest/gtest.h>

#include "plugins/sdk/tests/support.h"
#include "plugins/smart/smart_plugin.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart::testing {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

// Also counts how many run at once.
inline constexpr const char* kSmartctl = R"(#!/bin/sh
echo "$*" | sed "s,$FMD_HOST_ROOT,," >> "$FMD_HOST_ROOT/asked"
for last; do :; done
name=$(basename "$last")
case "$*" in *" -t "* | *" -X "*) name=test-$name;; esac
touch "$FMD_HOST_ROOT/running/$$"
ls "$FMD_HOST_ROOT/running" | wc -l >> "$FMD_HOST_ROOT/at-once"
trap 'rm -f "$FMD_HOST_ROOT/running/$$"' EXIT
. "$FMD_HOST_ROOT/answers/$name"
)";

inline constexpr const char* kDisk = "dev://wwn=5000c500a0000001";
inline constexpr const char* kOther = "dev://wwn=5000c500a0000002";

class SmartTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), tree_.root() + "/tools"};
  Options options_;
  std::unique_ptr<SmartPlugin> plugin_;

  void SetUp() override {
    tree_.file("/tools/smartctl", kSmartctl, 0755);
    tree_.file("/asked", "");
    tree_.folder("/running");
    tree_.folder("/sys/block");
    tree_.folder("/answers");
    options_.interval = 1h;
    options_.rescan = 1h;
    options_.retry = 1h;
    options_.deadline = 10s;
  }
  void plug(const std::string& name, const std::string& wwn) {
    tree_.file("/sys/block/" + name + "/device/wwid", "naa." + wwn + "\n");
    tree_.file("/sys/block/" + name + "/size", "1000\n");
  }
  void disk(const std::string& name = "sda", int number = 1) {
    plug(name, "5000c500a000000" + std::to_string(number));
  }
  void answer(const std::string& name, const std::string& document, int status = 0) {
    tree_.file("/printed/" + document, fixture(document));
    script(name, "cat \"$FMD_HOST_ROOT/printed/" + document + "\"; exit " + std::to_string(status));
  }
  void script(const std::string& name, const std::string& text) {
    tree_.file("/answers/" + name, text + "\n");
  }
  void start() {
    plugin_ = std::make_unique<SmartPlugin>(loop_, host_, tree_.root() + "/s", options_);
    ASSERT_TRUE(loop_.until([&] { return core_.connected(); }));
  }
  bool state_is(const std::string& fmri, const std::string& state) {
    return loop_.until([&] { return core_.property(fmri, "smart.state") == state; });
  }
  bool was_asked(size_t times) {
    return loop_.until([&] { return asked() >= times; });
  }
  size_t asked(const std::string& what = "\n") const {
    const std::string text = tree_.read("/asked");
    size_t count = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
    return count;
  }
  json command(const std::string& name, const std::string& fmri, json args = json::object()) {
    const auto id = core_.command(name, name + std::to_string(++commands_), fmri, std::move(args));
    EXPECT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    return core_.answers[id];
  }
  std::vector<std::string> told() const {
    std::vector<std::string> classes;
    for (const auto& event : core_.events) classes.push_back(event["class"]);
    return classes;
  }
  int commands_ = 0;
};
using Names = std::vector<std::string>;

}  // namespace fmd::smart::testing
