// The enclosure plugin on a sysfs tree as recorded on the test machine: 8 slots of fakeses, a disk
// in the third.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "plugins/enclosure/enclosure_plugin.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::enclosure::testing {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

inline constexpr const char* kChassis = "hc://chassis=5000c500fa0e5e50";
inline constexpr const char* kBox = "/sys/devices/platform/fakeses/enclosure/fakeses0";

inline std::string bay(int slot) {
  return std::string(kChassis) + "/bay=" + std::to_string(slot);
}

class EnclosureTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), ""};
  std::unique_ptr<EnclosurePlugin> plugin_;

  static std::string slot_folder(int slot, const std::string& box = kBox) {
    return box + "/SLOT 0" + std::to_string(slot);
  }
  static std::string scsi(int target) {
    return "/sys/devices/pci0000:00/0000:00:02.0/virtio1/host1/target1:0:" +
           std::to_string(target) + "/1:0:" + std::to_string(target) + ":0";
  }
  void make_slot(int slot, const std::string& box = kBox) {
    const std::string folder = slot_folder(slot, box);
    tree_.file(folder + "/slot", std::to_string(slot) + "\n");
    tree_.file(folder + "/type", "array device\n");
    tree_.file(folder + "/status", "not installed\n");
    for (const char* led : {"fault", "locate", "active"}) tree_.file(folder + "/" + led, "0\n");
    tree_.file(folder + "/power_status", "on\n");
  }
  void plug(int slot, const std::string& name, const std::string& wwn) {
    tree_.file(scsi(slot - 1) + "/wwid", "naa." + wwn + "\n");
    tree_.folder(scsi(slot - 1) + "/block/" + name);
    tree_.link(scsi(slot - 1) + "/block/" + name + "/device",
               "../../../1:0:" + std::to_string(slot - 1) + ":0");
    tree_.link("/sys/block/" + name, scsi(slot - 1) + "/block/" + name);
    tree_.link(slot_folder(slot) + "/device", scsi(slot - 1));
    tree_.file(slot_folder(slot) + "/status", "OK\n");
  }
  void pull(int slot, const std::string& name) {
    tree_.remove("/sys/block/" + name);
    tree_.remove(scsi(slot - 1));
    tree_.remove(slot_folder(slot) + "/device");
    tree_.file(slot_folder(slot) + "/status", "not installed\n");
  }
  void make_box() {
    tree_.file(std::string(kBox) + "/components", "8\n");
    tree_.file(std::string(kBox) + "/id", "5000c500fa0e5e50\n");
    tree_.folder(std::string(kBox) + "/power");
    tree_.link(std::string(kBox) + "/device", "../../../fakeses");
    for (int slot = 1; slot <= 8; ++slot) make_slot(slot);
    tree_.link("/sys/class/enclosure/fakeses0", kBox);
    tree_.file("/tries", "");
    plug(3, "sde", "5000c500a0000003");
  }
  // Loses the first `writes` writes to an LED, as the kernel drops a driver's error.
  static LedOrder::Write losing(int writes) {
    return [writes](const sdk::Host& host, const std::string& file, std::string_view value) {
      const std::string tries = host.read("/tries").value_or("");
      if (auto counted = host.write("/tries", tries + "x"); !counted) return counted;
      return static_cast<int>(tries.size()) < writes ? Result<void>() : host.write(file, value);
    };
  }

  static Options quiet() {
    return {.rescan = 1h, .device_deadline = 20s, .descriptions = {}, .write_led = {}};
  }
  void start(Options options = quiet()) {
    plugin_ = std::make_unique<EnclosurePlugin>(loop_, host_, tree_.root() + "/s", options);
    ASSERT_TRUE(loop_.until([&] {
      const auto all = core_.of("inventory");
      return std::any_of(all.begin(), all.end(),
                         [](const auto& one) { return one["complete"] == true; });
    }));
  }
  void nudge() { plugin_->on_udev({"change", "enclosure", "fakeses0"}); }
  void refresh(const std::string& key) {
    const auto id = core_.command("refresh", key, kChassis);
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  }
  // All values of the property in the order they were sent, without consecutive duplicates.
  json told_of(const std::string& fmri, const std::string& property) {
    json values = json::array();
    for (const auto& message : core_.of("inventory"))
      for (const auto& resource : message["resources"])
        if (resource["fmri"] == fmri && resource["properties"].contains(property))
          if (const json& now = resource["properties"][property];
              values.empty() || values.back() != now)
            values.push_back(now);
    return values;
  }
  // The first inventory entry with a disk in that bay.
  json first_with_disk(const std::string& fmri) {
    for (const auto& message : core_.of("inventory"))
      for (const auto& resource : message["resources"])
        if (resource["fmri"] == fmri && !resource["edges"].empty()) return resource;
    return {};
  }
  json led(const std::string& key, const std::string& fmri, const std::string& indication,
           bool on) {
    const auto id = core_.command("set_led", key, fmri, {{"indication", indication}, {"on", on}});
    EXPECT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    return core_.answers[id];
  }
  bool becomes(const std::string& fmri, const std::string& name, const json& value) {
    return loop_.until([&] { return core_.property(fmri, name) == value; });
  }
};

}  // namespace fmd::enclosure::testing
