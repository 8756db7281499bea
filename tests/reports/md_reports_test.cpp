// Public reports about md arrays (plugins/volumes/tests/fixtures/field/README.md), and the general
// rule behind them: an array that does not run, or is missing, is announced.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fmd/base/json.h"
#include "plugins/volumes/btrfs.h"
#include "plugins/volumes/btrfs_known.h"
#include "tests/reports/array_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;

constexpr const char* kInactive = "fault.md.array.inactive";
constexpr const char* kGone = "fault.md.array.gone";

TEST(MdReports, AnArrayThatABootDidNotStart) {
  ArrayPlay play;
  play.report("inactive.txt");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.inactive md127"});
  const std::string words = play.machine.words(kInactive);
  EXPECT_TRUE(mentions(words, "members that are there: sdb.")) << words;
  EXPECT_TRUE(mentions(words, "'mdadm --run /dev/md127'")) << words;
  EXPECT_TRUE(play.machine.asked.empty());
}

TEST(MdReports, AnArrayThatWasSeenHealthyAndIsInactive) {
  ArrayPlay play;
  play.report("inactive-after-seen.txt");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.inactive md127"});
  const std::string words = play.machine.words(kInactive);
  EXPECT_TRUE(mentions(words, "members that are there: sdb.")) << words;
  EXPECT_TRUE(mentions(words, "Its members that are not: sdc.")) << words;
  EXPECT_TRUE(play.machine.asked.empty());
}

// A boot may number the arrays differently, and sysfs has no UUID for an array that was not
// started.
TEST(MdKinds, AnInactiveArrayIsKnownByItsMembers) {
  ArrayPlay play(6);
  play.line("array md3=raid5:1,2,4");
  play.line("array md4=raid1:5,6");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
  play.reboot();
  play.line("rm sys/block/md3");
  play.line("array md127=raid5:1,2,4");
  for (const char* file : {"level", "uuid"})
    play.line(std::string("set sys/block/md127/md/") + file);
  play.line("set sys/block/md127/md/array_state inactive");
  play.line("set sys/block/md127/md/raid_disks 0");
  play.line("rm sys/block/md127/md/dev-@DEV4@");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.inactive md127"})
      << "and none that is gone";
  EXPECT_TRUE(
      mentions(play.machine.words(kInactive), "there: sdb, sdc. Its members that are not: sde."))
      << play.machine.words(kInactive);
  play.line("array md127=raid5:1,2,4");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
}

TEST(MdKinds, AnArrayThatIsGoneAltogether) {
  for (const bool reboots : {false, true}) {
    SCOPED_TRACE(reboots);
    ArrayPlay play;
    play.line("array md9=raid6:1,2,3,4");
    play.settle();
    if (reboots)
      play.reboot();
    else  // mdadm's udev rule removes one member after the other, and then the array
      play.line("rm sys/class/block/@DEV3@");
    play.line("rm sys/block/md9");
    play.look();
    play.machine.pass(300);
    EXPECT_EQ(play.machine.told(), Told{}) << "it may come yet";
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.gone md9"});
    const std::string words = play.machine.words(kGone);
    EXPECT_TRUE(mentions(words, "md9 (raid6)")) << words;
    EXPECT_TRUE(mentions(words, "Its members were: sdb, sdc, sdd, sde.")) << words;
    play.line("array md9=raid6:1,2,3,4");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
  }
}

TEST(MdKinds, AnArrayThatAPersonStopsIsNoCase) {
  ArrayPlay play;
  play.line("array md9=raid6:1,2,3,4");
  play.settle();
  play.line("rm sys/block/md9");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
  for (const char* device : {"@DEV1@", "@DEV2@"})
    play.line(std::string("rm sys/class/block/") + device);
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{}) << "whose disks are pulled afterwards";
  play.reboot();
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.gone md9"}) << "no boot started it";
}

// --run with too few members, --stop, and disks that appear late: one case covers it all.
TEST(MdKinds, AnArrayThatHadFailedBeforeItWasStoppedIsOneCase) {
  for (const bool inactive : {false, true}) {
    SCOPED_TRACE(inactive);
    ArrayPlay play;
    play.line("array md0=raid5:1,2,3");
    play.settle();
    if (inactive) {
      play.line("set sys/block/md0/md/array_state inactive");
    } else {
      play.line("set sys/block/md0/md/dev-@DEV1@/state faulty");
      play.line("set sys/block/md0/md/dev-@DEV2@/state faulty");
      play.line("set sys/block/md0/md/degraded 2");
    }
    play.settle();
    const Told before = play.machine.told();
    EXPECT_EQ(before, Told{inactive ? "Major fault.md.array.inactive md0"
                                    : "Critical fault.md.array.failed md0"});
    play.line("rm sys/block/md0");
    play.settle();
    EXPECT_EQ(play.machine.told(), before);
    play.line("array md0=raid5:1,2,3");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
  }
}

TEST(MdKinds, WhatIsMadeAnewOfTheSameDisksIsNotMissed) {
  ArrayPlay play;
  play.line("array md0=raid0:1,2");
  play.settle();
  play.line("rm sys/block/md0");
  play.line("array md5=raid1:1,2");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
}

// --- Members that fail together

const Told kOnlyTheArray{"Critical fault.md.array.failed md0"};
const Told kOnlyTheHba{"Critical fault.io.path.shared HBA 0"};

// Twelve I/O errors of each disk, within the same seconds.
void fail_io(Machine& machine, const std::vector<int>& disks) {
  for (int second = 0; second < 12; ++second) {
    std::vector<sdk::OutEvent> events;
    for (const int n : disks) {
      sdk::OutEvent event;
      event.event_class = "ereport.disk.io.unspecific";
      event.resource = Machine::disk(n);
      event.time_ns = machine.now_ns();
      event.payload = {{"operation", "read"}, {"text", "I/O error"}};
      events.push_back(std::move(event));
    }
    machine.take("disk", events);
    machine.pass(1);
  }
}

void make_faulty(ArrayPlay& play, const std::string& array, const std::vector<int>& disks) {
  for (const int n : disks)
    play.line(fmt::format("set sys/block/{}/md/dev-@DEV{}@/state faulty", array, n));
  play.line(fmt::format("set sys/block/{}/md/degraded {}", array, disks.size()));
}

void remove_members(ArrayPlay& play, const std::string& array, const std::vector<int>& disks) {
  for (const int n : disks) play.line(fmt::format("rm sys/block/{}/md/dev-@DEV{}@", array, n));
  play.line(fmt::format("set sys/block/{}/md/degraded {}", array, disks.size()));
}

TEST(MdKinds, OneMemberThatFailsIsToBeReplaced) {
  ArrayPlay play;
  play.line("array md0=raid6:1,2,3,4");
  play.settle();
  make_faulty(play, "md0", {2});
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.member.faulty SLOT 02"});
  EXPECT_TRUE(
      mentions(play.machine.words("fault.md.member.faulty"), "Replace the disk in SLOT 02"));
  EXPECT_EQ(play.machine.lit.size(), 1u);
}

// fmd writes no partition table, and so promises no automatic replacement.
TEST(MdKinds, AMemberOnAPartitionIsReplacedByAPerson) {
  for (const char* state : {"faulty", "gone"}) {
    ArrayPlay play;
    play.line("array md0=raid1:1,2");
    for (const char* n : {"1", "2"}) {
      const std::string disk = fmt::format("@DEV{}@", n);
      const std::string sysfs =
          fmt::format("sys/devices/pci0000:00/host0/0:0:{}:0/block/{}/{}3", n, disk, disk);
      play.line("set " + sysfs + "/partition 3");
      play.line(fmt::format("link sys/class/block/{}3 /{}", disk, sysfs));
      play.line("rm sys/block/md0/md/dev-" + disk);
      for (const std::string& one : {std::string("state in_sync"), std::string("errors 0"),
                                     fmt::format("slot {}", n[0] - '1')})
        play.line(fmt::format("set sys/block/md0/md/dev-{}3/{}", disk, one));
    }
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    const bool faulty = std::string_view(state) == "faulty";
    play.line(faulty ? "set sys/block/md0/md/dev-@DEV2@3/state faulty"
                     : "rm sys/block/md0/md/dev-@DEV2@3");
    play.line("set sys/block/md0/md/degraded 1");
    play.settle();
    const std::string fault = faulty ? "fault.md.member.faulty" : "fault.md.member.missing";
    EXPECT_EQ(play.machine.told(), Told{"Major " + fault + " SLOT 02"});
    const std::string words = play.machine.words(fault);
    EXPECT_EQ(mentions(words, "NEW-PARTITION"), faulty) << words;
    EXPECT_FALSE(mentions(words, "automatic")) << words;
    EXPECT_FALSE(mentions(words, "fmadm replace")) << words;
  }
}

// Without its journal the array takes no writes. The kernel does not list a removed journal.
TEST(MdKinds, AJournalThatIsLost) {
  const auto with_journal = [](ArrayPlay& play, bool listed) {
    play.line("array md3=raid6:1,2,3,5");
    play.line("set sys/block/md3/md/consistency_policy journal");
    if (!listed) return;
    for (const char* one : {"state journal", "slot journal", "errors 0", "bad_blocks "})
      play.line(std::string("set sys/block/md3/md/dev-@DEV4@/") + one);
  };
  for (const char* way : {"removed", "faulty", "faulty, then removed", "never seen"}) {
    SCOPED_TRACE(way);
    const bool seen = std::string_view(way) != "never seen";
    ArrayPlay play(6);
    with_journal(play, seen);
    if (seen) {
      play.settle();
      EXPECT_EQ(play.machine.told(), Told{}) << "it has it";
    }
    if (std::string_view(way).starts_with("faulty")) {
      play.line("set sys/block/md3/md/dev-@DEV4@/state faulty,journal");
      play.look();
      play.machine.pass(30);
    }
    if (std::string_view(way).ends_with("removed")) play.line("rm sys/block/md3/md/dev-@DEV4@");
    play.settle();
    EXPECT_EQ(play.machine.told(),
              Told{std::string("Critical fault.md.journal ") + (seen ? "SLOT 04" : "a journal")});
    const std::string words = play.machine.words("fault.md.journal");
    EXPECT_TRUE(mentions(words, "takes no writes")) << words;
    EXPECT_FALSE(mentions(words, "used automatically")) << words;
    for (const std::string& one : play.machine.asked)
      EXPECT_TRUE(one.starts_with("restore ")) << one;
    with_journal(play, true);
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
  }
  ArrayPlay play(6);
  with_journal(play, true);
  play.settle();
  play.line("rm sys/block/md3/md/dev-@DEV4@");
  play.line("set sys/block/md3/md/consistency_policy resync");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{}) << "a person has converted it";
}

TEST(MdKinds, AnArrayThatLosesTooManyAtOnceAccusesNoDisk) {
  const std::vector<std::pair<std::string, std::vector<int>>> losses{{"raid5:1,2,3,4", {1, 2}},
                                                                     {"raid1:1,2", {1, 2}},
                                                                     {"raid6:1,2,3,4", {1, 3, 4}},
                                                                     {"raid10:1,2,3,4", {3, 4}}};
  for (const auto& [array, lost] : losses)
    for (const bool gone : {false, true}) {
      SCOPED_TRACE(array + (gone ? " gone" : " faulty"));
      ArrayPlay play;
      play.line("array md0=" + array);
      if (array.starts_with("raid10")) play.line("set sys/block/md0/md/layout 258");
      play.settle();
      if (gone)
        remove_members(play, "md0", lost);
      else
        make_faulty(play, "md0", lost);
      play.settle();
      EXPECT_EQ(play.machine.told(), kOnlyTheArray);
      EXPECT_TRUE(play.machine.lit.empty());
      EXPECT_TRUE(play.machine.asked.empty()) << play.machine.asked.front();
      play.line("array md0=" + array);
      play.settle();
      EXPECT_EQ(play.machine.told(), Told{});
    }
}

TEST(MdKinds, OtherLayoutsThatLoseTooMuch) {
  struct Loss {
    std::string array, layout;
    std::vector<int> lost;
  };
  const std::vector<Loss> losses{{"raid10:1,2,3,4", "513", {1, 3}},    // far 2
                                 {"raid10:1,2,3,4", "66049", {2, 3}},  // offset 2
                                 {"raid10:1,2,3,4,5", "258", {1, 2}},  // near 2 of an odd number
                                 {"raid10:1,2,3,4,5,6", "259", {4, 5, 6}},
                                 {"raid4:1,2,3", "0", {1, 3}},
                                 {"raid1:1,2,3", "0", {1, 2, 3}}};
  for (const Loss& loss : losses) {
    SCOPED_TRACE(loss.array + " " + loss.layout);
    ArrayPlay play(6);
    play.line("array md0=" + loss.array);
    play.line("set sys/block/md0/md/layout " + loss.layout);
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    make_faulty(play, "md0", loss.lost);
    play.settle();
    EXPECT_EQ(play.machine.told(), kOnlyTheArray);
    EXPECT_TRUE(play.machine.lit.empty());
    EXPECT_TRUE(play.machine.asked.empty());
  }
}

// Levels without redundancy have no faulty members: the kernel calls the whole array broken.
TEST(MdKinds, AnArrayWithoutRedundancyThatIsBroken) {
  for (const char* level : {"raid0", "linear"})
    for (const bool gone : {false, true}) {
      ArrayPlay play;
      play.line(std::string("array md0=") + level + ":1,2,3");
      play.settle();
      EXPECT_EQ(play.machine.told(), Told{});
      play.line("set sys/block/md0/md/array_state broken");
      if (gone) play.machine.set_away({2});
      play.settle();
      EXPECT_EQ(play.machine.told(), kOnlyTheArray) << level;
      EXPECT_FALSE(mentions(play.machine.words("fault.md.array.failed"), "eplace the"));
      EXPECT_TRUE(play.machine.asked.empty());
    }
}

// mdmon removes a failed disk from the volume. The container still lists it.
TEST(MdKinds, AVolumeOfFirmwareRaidThatLosesAMember) {
  for (const char* metadata : {"external:/md127/0", "external:-md127/1"}) {
    ArrayPlay play;
    play.line("array md126=raid5:1,2,3");
    play.line(std::string("set sys/block/md126/md/metadata_version ") + metadata);
    play.line("set sys/block/md127/md/metadata_version external:imsm");
    play.line("set sys/block/md127/md/array_state inactive");
    for (const char* disk : {"1", "2", "3"})
      play.line(std::string("set sys/block/md127/md/dev-@DEV") + disk + "@/state spare");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    play.line("rm sys/block/md126/md/dev-@DEV2@");
    play.line("set sys/block/md126/md/degraded 1");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{"Major fault.md.member.missing SLOT 02"});
    play.reboot();
    play.line("rm sys/block/md126/md/dev-@DEV3@");
    play.line("set sys/block/md126/md/array_state inactive");
    play.line("set sys/block/md126/md/level");
    play.settle();
    EXPECT_TRUE(mentions(fmt::format("{}", fmt::join(play.machine.told(), ";")),
                         "fault.md.array.inactive md126"));
  }
}

TEST(MdKinds, TheLastHalfOfAMirrorThatFailsLater) {
  ArrayPlay play;
  play.line("array md0=raid1:1,2");
  play.settle();
  make_faulty(play, "md0", {1});
  play.settle();
  EXPECT_EQ(play.machine.lit.size(), 1u);
  make_faulty(play, "md0", {1, 2});
  play.settle();
  EXPECT_EQ(play.machine.told(),
            (Told{"Critical fault.md.array.failed md0", "Major fault.md.member.faulty SLOT 01"}));
  EXPECT_TRUE(play.machine.lit.empty()) << "the first may hold what the second has lost";
  const std::string words = play.machine.words("fault.md.member.faulty");
  EXPECT_TRUE(mentions(words, "Bring the disk in SLOT 01")) << words;
  EXPECT_FALSE(mentions(words, "Replace")) << words;
  EXPECT_FALSE(mentions(words, "No data is known to be lost")) << words;
  EXPECT_FALSE(mentions(words, "runs without it")) << words;
}

TEST(MdKinds, MembersBehindOneControllerThatFail) {
  for (const char* way : {"errors, faulty", "errors, gone", "faulty"}) {
    SCOPED_TRACE(way);
    ArrayPlay play(8);
    play.line("array md0=raid6:1,2,3,4");
    play.line("array md1=raid6:5,6,7,8");
    play.settle();
    if (mentions(way, "errors")) fail_io(play.machine, {1, 2, 5, 6});
    if (mentions(way, "faulty")) {
      make_faulty(play, "md0", {1, 2});
      make_faulty(play, "md1", {5, 6});
    } else {
      remove_members(play, "md0", {1, 2});
      remove_members(play, "md1", {5, 6});
      play.machine.set_away({1, 2, 5, 6});
    }
    play.settle();
    EXPECT_EQ(play.machine.told(), kOnlyTheHba);
    EXPECT_TRUE(play.machine.lit.empty());
    EXPECT_TRUE(play.machine.asked.empty());
  }
}

// --- btrfs

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
  fail_io(machine, {1, 2, 5, 6});
  machine.take("volumes", btrfs_of("raid1", 8, {}, {{1, 400}, {2, 90}, {5, 400}, {6, 11}}));
  machine.pass(3600);
  EXPECT_EQ(machine.told(), kOnlyTheHba);
  EXPECT_TRUE(machine.lit.empty());
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
