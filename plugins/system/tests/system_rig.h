// The system plugin on folder trees, against a core on a real socket: a recorded machine, and
// hand-made trees based on the kernel's documentation (fixtures/README.md).
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "plugins/sdk/tests/support.h"
#include "plugins/system/scan.h"
#include "plugins/system/system_plugin.h"
#include "plugins/system/tests/trees.h"

namespace fmd::machine::testing {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

class SystemTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), ""};
  std::unique_ptr<SystemPlugin> plugin_;

  Facts scan(const Descriptions& descriptions = {}) {
    return scan_machine(
        host_,
        [](const std::string& alias) {
          return alias.find("v00001AF4d00001042") == alias.npos
                     ? PciNames()
                     : PciNames{"Red Hat", "Virtio block"};
        },
        descriptions);
  }
  void start(Options options = {.rescan = 1h, .readings = 1h, .device_deadline = 10s}) {
    plugin_ = std::make_unique<SystemPlugin>(loop_, host_, tree_.root() + "/s", options);
    ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
  }
  json reading(const std::string& fmri, const std::string& name) {
    json last;
    for (const json& message : core_.of("readings"))
      for (const json& r : message["readings"])
        if (r["resource"] == fmri && r["name"] == name) last = r["value"];
    return last;
  }
  // All values of it that were sent.
  json told(const std::string& fmri, const std::string& name) {
    json values = json::array();
    for (const json& message : core_.of("readings"))
      for (const json& r : message["readings"])
        if (r["resource"] == fmri && r["name"] == name) values.push_back(r["value"]);
    return values;
  }
  void refresh(const std::string& key) {
    const auto id = core_.command("refresh", key, "hc://system=host");
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    EXPECT_EQ(core_.answers[id]["status"], "done");
  }
  static json property(const Facts& facts, const std::string& fmri, const char* name) {
    const auto at = facts.resources.find(fmri);
    if (at == facts.resources.end()) return "no " + fmri;
    return at->second["properties"].value(name, json());
  }
  static bool linked(const Facts& facts, const std::string& from, const char* relation,
                     const std::string& to) {
    const auto at = facts.resources.find(from);
    if (at == facts.resources.end()) return false;
    for (const json& edge : at->second["edges"])
      if (edge["relation"] == relation && edge["to"] == to) return true;
    return false;
  }
};

}  // namespace fmd::machine::testing
