// A sysfs tree of the md driver: disks on virtio-scsi and arrays on them
// (Documentation/admin-guide/md.rst; texts as recorded on Debian 12's kernel 6.1).
#pragma once
#include <fmt/format.h>

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "plugins/sdk/tests/support.h"
#include "plugins/volumes/volumes_plugin.h"

namespace fmd::volumes::testing {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

inline constexpr const char* kUuid = "6f1c2d35decc9a8d4e08b7b6a9c01234";
inline const std::string kArray = std::string("md://uuid=") + kUuid;

inline std::string wwn_of(int number) {
  return "5000c500a000000" + std::to_string(number);
}
inline std::string disk_of(int number) {
  return "dev://wwn=" + wwn_of(number);
}
inline std::string member_of(int number) {
  return kArray + "/disk=" + wwn_of(number);
}

struct MdTree {
  TempTree tree;
  std::string md = "/sys/block/md0/md";

  MdTree() { tree.folder("/sys/block"); }
  // sdb is disk 1, sdc disk 2, …
  static std::string name_of(int number) {
    return std::string("sd") + static_cast<char>('a' + number);
  }
  void plug(int number) const {
    const std::string name = name_of(number);
    const std::string device = "/sys/devices/pci0000:00/host0/0:0:" + std::to_string(number) + ":0";
    tree.file(device + "/wwid", "naa." + wwn_of(number) + "\n");
    tree.file(device + "/model", "QEMU HARDDISK   \n");
    const std::string serial = "DISK0" + std::to_string(number) + "G0";
    tree.file(
        device + "/vpd_pg80",
        std::string({0, static_cast<char>(0x80), 0, static_cast<char>(serial.size())}) + serial);
    tree.file(device + "/block/" + name + "/size", "524288\n");
    tree.link(device + "/block/" + name + "/device", "../..");
    tree.link("/sys/block/" + name, device + "/block/" + name);
    tree.link("/sys/class/block/" + name, device + "/block/" + name);
    tree.file("/dev/" + name, std::string(4096, '\0'));
  }
  void pull(int number) const {
    tree.remove("/sys/block/" + name_of(number));
    tree.remove("/sys/class/block/" + name_of(number));
    tree.remove("/dev/" + name_of(number));
  }
  void array(const std::string& level, int disks) const {
    set("array_state", "clean");
    set("level", level);
    set("raid_disks", std::to_string(disks));
    set("degraded", "0");
    set("mismatch_cnt", "0");
    set("sync_action", "idle");
    set("last_sync_action", "none");
    set("sync_completed", "none");
    set("sync_speed", "none");
    set("layout", "0");
    tree.file("/sys/block/md0/size", "520192\n");
    tree.link("/dev/disk/by-id/md-uuid-6f1c2d35:decc9a8d:4e08b7b6:a9c01234", "../../md0");
    tree.link("/dev/disk/by-id/md-name-fmd-vm:backup", "../../md0");
  }
  void set(const std::string& file, const std::string& text) const {
    tree.file(md + "/" + file, text + "\n");
  }
  // slot -1: none
  void member(int number, const std::string& state, int slot) const {
    const std::string folder = md + "/dev-" + name_of(number);
    tree.file(folder + "/state", state + "\n");
    tree.file(folder + "/slot", (slot < 0 ? std::string("none") : std::to_string(slot)) + "\n");
    tree.file(folder + "/errors", "0\n");
    tree.file(folder + "/bad_blocks", "");
  }
  void unlist(int number) const { tree.remove(md + "/dev-" + name_of(number)); }
  // The output of `grep -r .`: "/a/b:text", one line per line of a file.
  void recorded(const std::string& file) const {
    std::ifstream in(fmt::format("{}/{}", FIXTURES, file));
    std::map<std::string, std::string> files;
    for (std::string line; std::getline(in, line);) {
      const size_t colon = line.find(':');
      files[line.substr(0, colon)] += line.substr(colon + 1) + "\n";
    }
    ASSERT_FALSE(files.empty()) << file;
    for (const auto& [path, text] : files) tree.file(path, text);
  }
  // A healthy mirror of disks 1 and 2.
  void mirror() const {
    for (const int number : {1, 2}) plug(number);
    array("raid1", 2);
    member(1, "in_sync", 0);
    member(2, "in_sync", 1);
  }
};

}  // namespace fmd::volumes::testing
