// Variants of reports about btrfs: devices that fail together, that are missing, or that a boot does
// not mount.
#include "plugins/volumes/btrfs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "fmd/base/json.h"
#include "plugins/volumes/btrfs_known.h"
#include "tests/reports/machine.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;

volumes::BtrfsFileSystem btrfs_with(int devices) {
  volumes::BtrfsFileSystem fs{"6d1c2d35-decc-4a8d-8e08-b7b6a9c01234", "data", "raid1", "none", {}};
  for (int n = 1; n <= devices; ++n) {
    volumes::BtrfsDevice device;
    device.id = static_cast<uint64_t>(n);
    device.disk = Machine::disk(n);
    fs.devices.push_back(device);
  }
  return fs;
}

// errors: by disk; missing: disks without a device.
std::map<std::string, nlohmann::json> btrfs_of(const std::string& profile, int disks,
                                               const std::set<int>& missing,
                                               const std::map<int, int>& errors = {}) {
  std::map<std::string, nlohmann::json> out;
  volumes::BtrfsFileSystem fs{"6d1c2d35-decc-4a8d-8e08-b7b6a9c01234", "data", profile, "none", {}};
  volumes::LastDisks last;
  fs.devices = btrfs_with(disks).devices;
  for (volumes::BtrfsDevice& device : fs.devices) {
    device.counted = true;
    if (const auto at = errors.find(static_cast<int>(device.id)); at != errors.end())
      device.read_errors = static_cast<uint64_t>(at->second);
  }
  volumes::note_disks({fs}, last);
  for (const int n : missing) {
    fs.devices[n - 1].missing = true;
    fs.devices[n - 1].disk.clear();
  }
  return volumes::btrfs_resources({fs}, last);
}

TEST(BtrfsKinds, DevicesBehindOneControllerThatFail) {
  Machine machine(8);
  machine.take("volumes", btrfs_of("raid1", 8, {}));
  machine.pass(60);
  machine.fail_io({1, 2, 5, 6});
  machine.take("volumes", btrfs_of("raid1", 8, {}, {{1, 400}, {2, 90}, {5, 400}, {6, 11}}));
  machine.pass(3600);
  EXPECT_EQ(machine.told(), Told{"Critical fault.io.path.shared HBA 0"});
  EXPECT_TRUE(machine.lit.empty());
}

TEST(BtrfsKinds, ABalanceThatIsPausedIsReported) {
  for (const auto& [operation, paused] : std::vector<std::pair<std::string, bool>>{
           {"none", false}, {"balance", false}, {"balance paused", true}, {"", false}}) {
    SCOPED_TRACE(operation);
    Machine machine(4);
    volumes::BtrfsFileSystem fs = btrfs_with(4);
    fs.operation = operation;
    machine.take("volumes", volumes::btrfs_resources({fs}, {}));
    machine.pass(1800);
    EXPECT_EQ(machine.told(), Told{});
    machine.pass(3600);
    EXPECT_EQ(machine.told(), paused ? Told{"Minor defect.fs.btrfs.balance-paused data"} : Told{});
    if (!paused) continue;
    EXPECT_EQ(machine.say("defect.fs.btrfs.balance-paused").do_now,
              "Run 'btrfs balance resume' on its mount point.");
  }
}

TEST(BtrfsKinds, MoreDevicesMissingThanTheProfileTolerates) {
  const std::vector<std::tuple<std::string, std::set<int>, bool>> losses{
      {"raid1", {1}, false},    {"raid1", {1, 3}, true},      {"single", {2}, true},
      {"raid6", {1, 2}, false}, {"raid1c3", {1, 2, 4}, true}, {"", {1, 2}, false}};
  for (const auto& [profile, missing, fails] : losses) {
    SCOPED_TRACE(fmt::format("{} {}", profile, missing.size()));
    Machine machine(4);
    machine.take("volumes", btrfs_of(profile, 4, {}));
    machine.pass(60);
    machine.take("volumes", btrfs_of(profile, 4, missing));
    machine.pass(3600);
    if (fails) {
      EXPECT_EQ(machine.told(), Told{"Critical fault.fs.btrfs.failed data"});
      const std::string words = machine.words("fault.fs.btrfs.failed");
      EXPECT_TRUE(mentions(words, "Bring the missing devices of data back")) << words;
      EXPECT_FALSE(mentions(words, "eplace ")) << words;
    } else {
      EXPECT_EQ(machine.told().size(), missing.size()) << "each has its own case";
    }
    EXPECT_TRUE(machine.lit.empty());
    machine.take("volumes", btrfs_of(profile, 4, {}));
    machine.pass(60);
    EXPECT_EQ(machine.told(), Told{});
  }
}

// mount(8) refuses a file system with a missing device, and the kernel lists only mounted ones.
TEST(BtrfsKinds, AFileSystemThatABootDoesNotMount) {
  const volumes::BtrfsFileSystem mounted = btrfs_with(4);
  volumes::Needs needs;
  needs.required = {"UUID=" + mounted.fsid};
  for (const std::set<int>& away : {std::set<int>{2}, {1, 3}, {1, 2, 3, 4}, {}})
    for (const bool same_boot : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", away.size(), same_boot));
      Machine machine(4);
      volumes::KnownFileSystems known;
      volumes::note_file_systems({mounted}, "boot-1", needs, known);
      known = volumes::known_btrfs_from_json(volumes::to_json(known));
      const std::string boot = same_boot ? "boot-1" : "boot-2";
      const auto look = [&](const std::vector<volumes::BtrfsFileSystem>& all) {
        volumes::note_file_systems(all, boot, needs, known);
        auto found = volumes::btrfs_resources(all, {});
        found.merge(
            volumes::missing_file_systems(all, boot, needs, known, [&](const std::string& disk) {
              return std::none_of(away.begin(), away.end(),
                                  [&](int n) { return Machine::disk(n) == disk; });
            }));
        machine.take("volumes", found);
        machine.pass(3600);
      };
      look({});
      if (away.empty() || same_boot) {
        EXPECT_EQ(machine.told(), Told{}) << "a person unmounted it, or mounts it later";
        continue;
      }
      EXPECT_EQ(machine.told(), Told{"Major fault.fs.btrfs.gone data"});
      const std::string words = machine.words("fault.fs.btrfs.gone");
      EXPECT_TRUE(mentions(words, fmt::format("({} of 4)", away.size()))) << words;
      EXPECT_TRUE(mentions(words, Machine::disk(*away.begin()))) << words;
      look({mounted});
      EXPECT_EQ(machine.told(), Told{});
    }
}

TEST(BtrfsKinds, OneDeviceThatABootDoesNotMountIsNoCase) {
  volumes::KnownFileSystems known;
  volumes::Needs needs;
  needs.required = {"LABEL=data"};
  volumes::note_file_systems({btrfs_with(1)}, "boot-1", needs, known);
  const auto nothing = [](const std::string&) { return false; };
  EXPECT_TRUE(volumes::missing_file_systems({}, "boot-2", needs, known, nothing).empty())
      << "mount(8) tells why";
}

}  // namespace
}  // namespace fmd::reports
