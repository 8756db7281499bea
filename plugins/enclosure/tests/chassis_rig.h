// The plugin with the shipped descriptions, on a test's tree.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/enclosure/enclosure_plugin.h"
#include "plugins/enclosure/tests/ses_bytes.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::enclosure::testing {

class ChassisTest : public ::testing::Test {
 protected:
  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::testing::FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), tree_.root() + "/bin"};
  std::vector<std::string> folders_{SHIPPED};
  std::chrono::milliseconds components_{60000};
  LedOrder::Write write_led_;  // empty: a normal write
  std::chrono::milliseconds device_deadline_{20000};
  decltype(Options::scan) scan_ = scan_enclosure;
  std::unique_ptr<EnclosurePlugin> plugin_;

  void launch() {
    Options options;
    options.rescan = std::chrono::hours(1);
    options.descriptions = folders_;
    options.write_led = write_led_;
    options.components = components_;
    options.device_deadline = device_deadline_;
    options.scan = scan_;
    options.state_file = tree_.root() + "/enclosure-memory.json";
    plugin_ = std::make_unique<EnclosurePlugin>(loop_, host_, tree_.root() + "/s", options);
  }
  void start() {
    launch();
    // An LED order may be reported before the first complete inventory.
    ASSERT_TRUE(loop_.until([&] {
      const auto all = core_.of("inventory");
      return std::any_of(all.begin(), all.end(),
                         [](const auto& one) { return one["complete"] == true; });
    }));
  }
  void look_again() {
    const auto id = core_.command("refresh", "r" + std::to_string(++keys_), "hc://chassis=x");
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  }
  nlohmann::json led(const std::string& bay, const std::string& indication, bool on) {
    const auto id = core_.command("set_led", "k" + std::to_string(++keys_), bay,
                                  {{"indication", indication}, {"on", on}});
    EXPECT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    return core_.answers[id];
  }
  bool becomes(const std::string& fmri, const std::string& name, const nlohmann::json& value) {
    return loop_.until([&] { return core_.property(fmri, name) == value; });
  }
  std::string disk_of(const std::string& bay) {
    const nlohmann::json edges = core_.resources[bay]["edges"];
    return edges.empty() ? "" : edges[0]["to"].get<std::string>();
  }
  // As in fakeses, recorded on the test machine.
  void make_shelf(const std::string& name, int slots) {
    const std::string box = "/sys/devices/platform/" + name + "/enclosure/" + name;
    tree_.file(box + "/id", "5000c500fa0e5e50\n");
    for (int slot = 1; slot <= slots; ++slot) {
      const std::string folder = box + "/SLOT 0" + std::to_string(slot);
      tree_.file(folder + "/slot", std::to_string(slot) + "\n");
      tree_.file(folder + "/type", "array device\n");
      tree_.file(folder + "/status", "not installed\n");
      for (const char* light : {"fault", "locate"}) tree_.file(folder + "/" + light, "0\n");
    }
    tree_.link("/sys/class/enclosure/" + name, box);
  }
  void make_ledctl(const std::string& does) {
    tree_.file("/bin/ledctl",
               "#!/bin/sh\necho \"$*\" >> '" + tree_.root() + "/ledctl-log'\n" + does, 0755);
  }
  std::string host_bay(const std::string& chassis, const std::string& slot) {
    return chassis + "/bay=" + slot;
  }

  // A shelf with SES pages for sg_ses(8): two power supplies, fans, a sensor (ses_bytes.h).
  void make_shelf_with_pages(const std::string& name) {
    make_shelf(name, 2);
    const std::string device = "/sys/devices/platform/" + name;
    tree_.folder(device + "/scsi_generic/sg3");
    tree_.link(device + "/enclosure/" + name + "/device", device);
    tree_.file("/pages/0x1", kConfiguration);
    tree_.file("/pages/0x2", kStatus);
    tree_.file("/pages/0x7", kDescriptors);
    tree_.file("/bin/sg_ses",
               "#!/bin/sh\n[ \"$5\" = '' ] && [ \"${4##*/}\" = sg3 ] || exit 1\nexec cat '" +
                   tree_.root() + "/pages/'\"${2#--page=}\"\n",
               0755);
  }
  // Adds a local description.
  void describe(const std::string& name, const std::string& text) {
    const std::string local = tree_.root() + "/local";
    if (folders_.back() != local) folders_.push_back(local);
    tree_.file("/local/" + name + ".toml", text);
  }
  int keys_ = 0;
};

}  // namespace fmd::enclosure::testing
