// The disk plugin on sysfs trees, against a fake core on a real socket. Serials, ids and attribute
// texts are those of a recorded test machine (4 disks on virtio-scsi); blkid is a fake that answers
// from a file next to the tree.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "plugins/disk/disk_plugin.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::disk::testing {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

inline constexpr size_t kBytes = 8 << 20;

inline constexpr const char* kBlkid = R"(#!/bin/sh
name=$(basename "$4")
echo "$name" >> "$FMD_HOST_ROOT/asked"
. "$FMD_HOST_ROOT/answers/$name"
)";

class DiskTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), tree_.root() + "/tools"};
  std::unique_ptr<DiskPlugin> plugin_;

  void SetUp() override {
    tree_.file("/tools/blkid", kBlkid, 0755);
    tree_.file("/asked", "");
    tree_.folder("/sys/block");
  }
  static std::string folder(int target) {
    return "/sys/devices/pci0000:00/0000:00:02.0/virtio1/host0/target0:0:" +
           std::to_string(target) + "/0:0:" + std::to_string(target) + ":0";
  }
  // Adds a disk in the bay of a SCSI target, as the kernel and udev present it.
  void plug(const std::string& name, int target, const std::string& wwn, const std::string& serial,
            int diskseq) {
    const std::string device = folder(target), block = device + "/block/" + name;
    tree_.file(device + "/vendor", "QEMU    \n");
    tree_.file(device + "/model", "QEMU HARDDISK   \n");
    tree_.file(device + "/rev", "2.5+\n");
    tree_.file(device + "/wwid", "naa." + wwn + "\n");
    tree_.file(
        device + "/vpd_pg80",
        std::string({0, static_cast<char>(0x80), 0, static_cast<char>(serial.size())}) + serial);
    tree_.file(block + "/size", "524288\n");
    tree_.file(block + "/diskseq", std::to_string(diskseq) + "\n");
    tree_.file(block + "/removable", "0\n");
    tree_.file(block + "/queue/rotational", "1\n");
    tree_.file(block + "/queue/logical_block_size", "512\n");
    tree_.file(block + "/queue/physical_block_size", "4096\n");
    tree_.folder(block + "/holders");
    tree_.link(block + "/device", "../../../0:0:" + std::to_string(target) + ":0");
    tree_.link("/dev/disk/by-id/wwn-0x" + wwn, "../../" + name);
    tree_.link("/dev/disk/by-id/scsi-3" + wwn, "../../" + name);
    tree_.link("/dev/disk/by-path/pci-0000:00:02.0-scsi-0:0:" + std::to_string(target) + ":0",
               "../../" + name);
    answer(name, "exit 2");
    fill(name, std::string(kBytes, '\0'));
    // Last: a look may be running in a child.
    tree_.link("/sys/block/" + name, block);
  }
  // Sets the bytes that the disk's device node returns.
  void fill(const std::string& name, const std::string& bytes) {
    tree_.file("/dev/" + name, bytes);
  }
  void pull(const std::string& name, int target) {
    tree_.remove("/sys/block/" + name);
    tree_.remove("/sys/class/block/" + name + "1");
    tree_.remove(folder(target));
  }
  void partition(const std::string& name, int target) {
    const std::string part = folder(target) + "/block/" + name + "/" + name + "1";
    tree_.file(part + "/partition", "1\n");
    tree_.link("/sys/class/block/" + name + "1", part);
  }
  void unpartition(const std::string& name, int target) {
    tree_.remove("/sys/class/block/" + name + "1");
    tree_.remove(folder(target) + "/block/" + name + "/" + name + "1");
  }
  void answer(const std::string& name, const std::string& script) {
    tree_.file("/answers/" + name, script + "\n");
  }
  size_t disks() const {
    return static_cast<size_t>(
        std::count_if(core_.resources.begin(), core_.resources.end(),
                      [](const auto& entry) { return entry.second["type"] == "disk"; }));
  }
  size_t asked() const {
    const std::string text = tree_.read("/asked");
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  void start(Options options = {.rescan = 1h, .probe_deadline = 10s}) {
    plugin_ = std::make_unique<DiskPlugin>(loop_, host_, tree_.root() + "/s", options);
    ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > 0; }));
  }
  // Simulates a udev event.
  void nudge(const std::string& action = "add", const std::string& name = "sde") {
    plugin_->on_udev({action, "block", name});
  }
  bool content_is(const std::string& fmri, const std::string& content) {
    return loop_.until([&] { return core_.property(fmri, "content") == content; });
  }
};

inline constexpr const char* kDisk3 = "dev://wwn=5000c500a0000003";
inline constexpr const char* kDisk3New = "dev://wwn=5000c500a0000103";

}  // namespace fmd::disk::testing
