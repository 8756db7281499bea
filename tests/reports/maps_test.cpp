// Multipath maps and LVM volume groups that are incomplete after a boot: from device-mapper's maps,
// through fmd-volumes's memory, to the announced cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fmd/base/json.h"
#include "plugins/volumes/dm_known.h"
#include "tests/reports/machine.h"

namespace fmd::reports {
namespace {

using volumes::DmMap;
using Told = std::vector<std::string>;

struct MapsPlay {
  Machine machine{6};
  volumes::KnownMaps known;
  volumes::MostPaths most;
  std::set<std::string> away;       // disks without a device
  std::set<std::string> unplugged;  // paths without a device
  std::set<std::string> failed;     // paths that multipathd has failed
  volumes::FlushedMaps flushed;
  std::vector<DmMap> seen;
  std::string boot = "boot-1";
  volumes::Needs needs;
  std::string lvm;  // dmsetup's output for LVM's volumes

  void udev(const std::string& action, const std::string& device, const std::string& map = "") {
    flushed.heard(action, device, map, seen);
  }

  void look(const std::vector<DmMap>& maps) {
    known = volumes::known_maps_from_json(volumes::to_json(known));
    volumes::note_paths(maps, most);
    volumes::note_maps(
        maps, boot,
        [this](const volumes::KnownMap& map) {
          return flushed.take(map.name) ||
                 std::any_of(map.devices.begin(), map.devices.end(),
                             [this](const auto& path) { return !unplugged.contains(path.first); });
        },
        known);
    volumes::note_needs(maps, needs, known);
    seen = maps;
    volumes::DmStatus status = volumes::parse_dm_status(lvm);
    for (const DmMap& map : maps)
      if (map.multipath())
        for (const volumes::DmDevice& path : map.below)
          status.multipath[map.name].push_back({path.dev, !failed.contains(path.name), 0});
    auto all = volumes::dm_resources(maps, &status, most);
    all.merge(volumes::known_resources(
        maps, known, needs, [this](const std::string& disk) { return !away.contains(disk); }));
    machine.take("volumes", all);
    machine.pass(1800);
  }
};

DmMap map_of(const std::string& name, const std::string& uuid, const std::vector<int>& disks) {
  DmMap map{name == "mpathb" ? "dm-1" : "dm-0", name, uuid, 1 << 30, {}};
  for (const int n : disks) {
    const size_t minor = 16 * (map.below.size() + 1);
    map.below.push_back({fmt::format("sd{}", minor), fmt::format("{}:{}", 60 + n, minor),
                         Machine::disk(n), "", ""});
  }
  return map;
}

DmMap volume(const std::string& name, char group, char id, const std::vector<int>& disks) {
  return map_of(name, "LVM-" + std::string(32, group) + std::string(32, id), disks);
}

const DmMap kPathsOfA = map_of("mpatha", "mpath-3600508b400105e210000900000490000", {1, 1});
const DmMap kPathsOfB = map_of("mpathb", "mpath-3600508b400105e210000900000490001", {2, 2, 2, 2});

TEST(Maps, AMultipathMapThatABootDoesNotBringBack) {
  MapsPlay play;
  play.look({kPathsOfA, kPathsOfB});
  play.boot = "boot-2";
  play.look({kPathsOfA});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.io.multipath.gone mpathb"});
  const std::string words = play.machine.words("fault.io.multipath.gone");
  EXPECT_TRUE(mentions(words, "had up to 4 paths. It has not been there for more than 5 minutes"))
      << words;
  play.look({kPathsOfA, kPathsOfB});
  EXPECT_EQ(play.machine.told(), Told{});
}

TEST(Maps, AMultipathMapThatMissesPathsSinceTheBoot) {
  MapsPlay play;
  play.look({kPathsOfA, kPathsOfB});
  play.boot = "boot-2";
  play.look({kPathsOfA, map_of("mpathb", kPathsOfB.uuid, {2, 2})});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.io.multipath.path_missing mpathb"});
}

TEST(Maps, OneOfFourPathsIsGone) {
  for (const size_t which : {0, 2, 3}) {
    MapsPlay play;
    play.look({kPathsOfA, kPathsOfB});
    DmMap rest = kPathsOfB;
    rest.below.erase(rest.below.begin() + static_cast<std::ptrdiff_t>(which));
    play.look({kPathsOfA, rest});
    EXPECT_EQ(play.machine.told(), Told{"Major fault.io.multipath.path_missing mpathb"});
    EXPECT_FALSE(
        mentions(play.machine.words("fault.io.multipath.path_missing"), "Replace the disk"));
    EXPECT_TRUE(play.machine.lit.empty());
    play.look({kPathsOfA, kPathsOfB});
    EXPECT_EQ(play.machine.told(), Told{});
  }
}

// Reads and writes wait (queue_if_no_path) or fail: the map is the same for fmd. The paths have no cases
// of their own until one of them works.
TEST(Maps, AllPathsHaveFailedAndOneComesBack) {
  for (const std::set<std::string>& all :
       {std::set<std::string>{"sd16", "sd32", "sd48", "sd64"}, {"sd16", "sd32"}}) {
    MapsPlay play;
    const DmMap& map = all.size() == 4 ? kPathsOfB : kPathsOfA;
    play.look({map});
    play.failed = all;
    play.look({map});
    EXPECT_EQ(play.machine.told(), Told{"Critical fault.io.multipath.no_path " + map.name});
    const std::string words = play.machine.words("fault.io.multipath.no_path");
    EXPECT_FALSE(mentions(words, "Replace the disk")) << words;
    EXPECT_TRUE(play.machine.lit.empty());
    play.failed.erase("sd16");
    play.look({map});
    Told told = play.machine.told();
    EXPECT_FALSE(told.empty());
    for (const std::string& one : told)
      EXPECT_TRUE(one.starts_with("Major fault.io.path.failed")) << one;
    play.failed.clear();
    play.look({map});
    EXPECT_EQ(play.machine.told(), Told{});
  }
}

// The case of the first path stays open until that path works, and does not end with the map.
TEST(Maps, OnePathFailsBeforeTheOthers) {
  MapsPlay play;
  play.look({kPathsOfB});
  play.failed = {"sd32"};
  play.look({kPathsOfB});
  const Told one = play.machine.told();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(one[0].starts_with("Major fault.io.path.failed")) << one[0];
  play.failed = {"sd16", "sd32", "sd48", "sd64"};
  play.look({kPathsOfB});
  const Told all = play.machine.told();
  EXPECT_LE(all.size(), 2u);
  EXPECT_TRUE(all[0].starts_with("Critical fault.io.multipath.no_path mpathb")) << all[0];
  play.failed.clear();
  play.look({kPathsOfB});
  EXPECT_EQ(play.machine.told(), Told{});
}

TEST(Maps, WhatGoesWhileTheMachineRunsWasTakenAway) {
  MapsPlay play;
  play.look({kPathsOfA, volume("vg0-home", 'v', 'a', {3}), volume("vg0-snap", 'v', 'b', {3})});
  play.look({volume("vg0-home", 'v', 'a', {3})});
  EXPECT_EQ(play.machine.told(), Told{});
  play.boot = "boot-2";
  play.look({volume("vg0-home", 'v', 'a', {3})});
  EXPECT_EQ(play.machine.told(), Told{});
}

// multipathd removes an unused map when its last path is gone.
TEST(Maps, AMapThatGoesWithItsPathsWhileTheMachineRuns) {
  MapsPlay play;
  play.look({kPathsOfA, kPathsOfB});
  play.unplugged = {"sd16", "sd32", "sd48", "sd64"};
  for (const char* device : {"sd16", "sd32", "sd48", "sd64", "dm-1"}) play.udev("remove", device);
  play.look({kPathsOfA});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.io.multipath.gone mpathb"});
  play.unplugged.clear();  // the disks are back under the same names, multipathd's map is not
  play.look({kPathsOfA});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.io.multipath.gone mpathb"});
  play.look({kPathsOfA, kPathsOfB});
  EXPECT_EQ(play.machine.told(), Told{});
}

// The paths went one after the other, so the last scan saw none.
TEST(Maps, AMapThatHadLostAllPathsBeforeItWent) {
  MapsPlay play;
  play.look({kPathsOfA, kPathsOfB});
  play.unplugged = {"sd16", "sd32", "sd48", "sd64"};
  play.look({kPathsOfA, map_of("mpathb", kPathsOfB.uuid, {2})});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.io.multipath.path_missing mpathb"});
  play.look({kPathsOfA, map_of("mpathb", kPathsOfB.uuid, {})});
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.io.multipath.no_path mpathb mpathb"})
      << "the same case is worse";
  play.udev("remove", "dm-1");
  play.look({kPathsOfA});
  const auto& suspects = play.machine.of("fault.io.multipath.path_missing").suspects;
  EXPECT_TRUE(std::any_of(suspects.begin(), suspects.end(), [](const Suspect& one) {
    return one.fault_class == "fault.io.multipath.gone" && one.status == SuspectStatus::faulty;
  }));
}

TEST(Maps, AMapThatAPersonFlushed) {
  for (const bool deletes_the_devices : {false, true}) {
    MapsPlay play;
    play.look({kPathsOfA, kPathsOfB});
    play.udev("remove", "dm-1");
    for (const char* device : {"sd16", "sd32", "sd48", "sd64"})
      if (deletes_the_devices) {
        play.unplugged.insert(device);
        play.udev("remove", device);
      }
    play.look({kPathsOfA});
    play.unplugged = {"sd16", "sd32", "sd48", "sd64"};
    play.look({kPathsOfA});
    EXPECT_EQ(play.machine.told(), Told{}) << deletes_the_devices;
    play.boot = "boot-2";
    play.look({kPathsOfA});
    EXPECT_EQ(play.machine.told(), Told{}) << deletes_the_devices;
  }
}

// Flushed once, created again, and lost with its paths.
TEST(Maps, AFlushIsForgottenWhenTheMapIsThereAgain) {
  MapsPlay play;
  play.look({kPathsOfA, kPathsOfB});
  play.udev("remove", "dm-1");
  play.udev("change", "dm-1", "mpathb");
  play.look({kPathsOfA, kPathsOfB});
  play.unplugged = {"sd16", "sd32", "sd48", "sd64"};
  for (const char* device : {"sd16", "sd32", "sd48", "sd64", "dm-1"}) play.udev("remove", device);
  play.look({kPathsOfA});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.io.multipath.gone mpathb"});
}

// The memory of an earlier version names no devices.
TEST(Maps, AMemoryOfAnEarlierVersion) {
  const auto known = volumes::known_maps_from_json(nlohmann::json::parse(
      R"({"mpath-1": {"name": "mpatha", "boot": "b", "paths": 2, "disks": []}})"));
  EXPECT_EQ(known.at("mpath-1").paths, 2u);
  EXPECT_TRUE(known.at("mpath-1").devices.empty());
}

TEST(Maps, AGroupOfWhichABootActivatesNothing) {
  MapsPlay play;
  const std::vector<DmMap> all{volume("vg--data-home", 'd', 'a', {3, 4}),
                               volume("vg--data-srv", 'd', 'b', {4, 5}),
                               volume("root-root", 'r', 'a', {1})};
  play.look(all);
  EXPECT_EQ(play.machine.told(), Told{});
  play.boot = "boot-2";
  play.away = {Machine::disk(5)};
  play.look({all[2]});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.lvm.group.incomplete vg-data"});
  const std::string words = play.machine.words("fault.lvm.group.incomplete");
  EXPECT_TRUE(mentions(words, "vg--data-home, vg--data-srv")) << words;
  EXPECT_TRUE(mentions(words, Machine::disk(5))) << words;
  EXPECT_TRUE(mentions(words, "'vgchange -ay vg-data'")) << words;
  play.away.clear();
  play.look(all);
  EXPECT_EQ(play.machine.told(), Told{});
}

TEST(Maps, AGroupOfWhichOneVolumeLacksItsDisk) {
  for (const bool is_away : {true, false}) {
    MapsPlay play;
    const std::vector<DmMap> all{volume("vg0-home", 'd', 'a', {3}),
                                 volume("vg0-srv", 'd', 'b', {5})};
    play.look(all);
    play.boot = "boot-2";
    if (is_away) play.away = {Machine::disk(5)};
    play.look({all[0]});
    EXPECT_EQ(play.machine.told(), is_away ? Told{"Major fault.lvm.group.incomplete vg0"} : Told{})
        << "a volume that its user activates";
  }
}

// A volume group on removable disks is reported missing only if one of its volumes is mounted at boot.
TEST(Maps, AGroupOnUsbDisksThatIsUnplugged) {
  const DmMap srv = volume("usb-srv", 'u', 'a', {3, 4}), home = volume("root-home", 'r', 'a', {1});
  for (const bool required : {false, true})
    for (const bool one_fixed : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", required, one_fixed));
      MapsPlay play;
      play.needs.removable = {srv.below[0].name};
      if (!one_fixed) play.needs.removable.insert(srv.below[1].name);
      if (required) {
        play.needs.required = {"/dev/mapper/usb-srv"};
        play.needs.leads[srv.device] = play.needs.required;
      }
      DmMap other = home;
      other.device = "dm-9";
      play.look({srv, other});
      play.boot = "boot-2";
      play.needs.leads.clear();
      play.away = {Machine::disk(3), Machine::disk(4)};
      play.look({other});
      EXPECT_EQ(play.machine.told(),
                required || one_fixed ? Told{"Major fault.lvm.group.incomplete usb"} : Told{});
    }
}

// More legs are lost than the level survives. Each may hold remaining data, so no disk is to be replaced.
TEST(Maps, AVolumeThatHasLostTooManyLegs) {
  MapsPlay play;
  const DmMap data = volume("vg0-data", 'd', 'a', {1, 2, 3});
  play.lvm = "vg0-data: 0 524288 raid raid5_ls 3 AAA 524288/524288 idle 0 0 -\n";
  play.look({data});
  EXPECT_EQ(play.machine.told(), Told{});
  play.lvm = "vg0-data: 0 524288 raid raid5_ls 3 AaA 1024/524288 idle 0 0 -\n";
  play.look({data});
  EXPECT_EQ(play.machine.told(), Told{"Major fault.lvm.raid.degraded vg0-data"})
      << "a disk that came back, and that LVM was not told to take in";
  EXPECT_TRUE(
      mentions(play.machine.words("fault.lvm.raid.degraded"), "'lvchange --refresh' takes it in"));
  play.lvm = "vg0-data: 0 524288 raid raid5_ls 3 ADD 524288/524288 idle 0 0 -\n";
  play.look({data});
  ASSERT_EQ(play.machine.told().size(), 1u) << "the case goes on, and is worse";
  EXPECT_TRUE(play.machine.told()[0].starts_with("Critical fault.lvm.volume.failed vg0-data"))
      << play.machine.told()[0];
  const std::string words = play.machine.words("fault.lvm.volume.failed");
  EXPECT_TRUE(mentions(words, "raid5_ls has lost more of its legs than it survives")) << words;
  EXPECT_TRUE(mentions(words, "Do not run 'lvconvert --repair'")) << words;
  EXPECT_TRUE(play.machine.lit.empty());
  EXPECT_TRUE(play.machine.asked.empty());
  play.lvm = "vg0-data: 0 524288 raid raid5_ls 3 AAA 524288/524288 idle 0 0 -\n";
  play.look({data});
  EXPECT_EQ(play.machine.told(), Told{});
}

DmMap pool(const std::string& name, char id, const std::vector<int>& disks) {
  return map_of(name, "LVM-" + std::string(32, 'd') + std::string(32, id) + "-tpool", disks);
}

TEST(Maps, AThinPoolAndACacheThatFail) {
  MapsPlay play;
  const std::vector<DmMap> all{pool("vg0-pool", 'a', {1}), volume("vg0-fast", 'd', 'b', {2})};
  const std::string thin = "vg0-pool-tpool: 0 2097152 thin-pool ";
  const std::string rw = "1 90/4096 8/16384 - rw discard_passdown queue_if_no_space - 1024\n";
  const std::string well =
      "vg0-fast: 0 2097152 cache 8 27/4096 128 1/8192 0 52 0 24 0 0 0 1 "
      "writethrough 2 migration_threshold 2048 smq 0 rw -\n";
  play.lvm = thin + rw + well;
  play.look(all);
  EXPECT_EQ(play.machine.told(), Told{});
  play.lvm = thin + "Fail\n" + well;
  play.look(all);
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.lvm.volume.failed vg0-pool"});
  play.lvm = thin + rw + "vg0-fast: 0 2097152 cache Fail\n";
  play.look(all);
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.lvm.volume.failed vg0-fast"});
}

// Full pools are nobody's broken part: no disk is named, and the texts say how to get space.
TEST(Maps, PoolsThatHaveNoSpaceLeft) {
  struct Row {
    const char* status;
    Told told;
    std::vector<const char*> says;
  };
  const auto critical = [](const char* fault) {
    return Told{fmt::format("Critical {} vg0-pool", fault)};
  };
  for (const Row& row : std::initializer_list<Row>{
           {"1 90/4096 13271/16384 - rw discard_passdown queue_if_no_space - 1024",
            {"Minor defect.lvm.pool.filling vg0-pool"},
            {"has used 80.9 % of its space", "'lvextend -L +SIZE vg0/pool'"}},
           {"1 3400/4096 8/16384 - rw discard_passdown queue_if_no_space - 1024",
            {"Minor defect.lvm.pool.metadata-filling vg0-pool"},
            {"has used 83 % of its metadata", "'lvextend --poolmetadatasize +SIZE vg0/pool'"}},
           {"1 90/4096 16384/16384 - out_of_data_space discard_passdown queue_if_no_space - 1024",
            critical("defect.lvm.pool.full"),
            {"No part of the machine is broken", "Replace no disk",
             "'lvextend -L +SIZE vg0/pool'"}},
           {"1 4096/4096 8/16384 - ro discard_passdown queue_if_no_space needs_check 1024",
            critical("defect.lvm.pool.metadata-full"),
            {"its metadata space is used up", "lvextend --poolmetadatasize", "Replace no disk"}},
           {"1 90/4096 8/16384 - ro discard_passdown queue_if_no_space needs_check 1024",
            critical("fault.lvm.pool.needs-check"),
            {"'lvconvert --repair vg0/pool'", "Look first for a case of a disk"}}}) {
    SCOPED_TRACE(row.status);
    MapsPlay play;
    play.lvm = "vg0-pool-tpool: 0 2097152 thin-pool " + std::string(row.status) + "\n";
    play.look({pool("vg0-pool", 'a', {1, 2})});
    EXPECT_EQ(play.machine.told(), row.told);
    const std::string fault = row.told[0].substr(
        row.told[0].find(' ') + 1, row.told[0].rfind(' ') - row.told[0].find(' ') - 1);
    const std::string words = play.machine.words(fault);
    for (const char* part : row.says) EXPECT_TRUE(mentions(words, part)) << part << "\n" << words;
    EXPECT_TRUE(play.machine.lit.empty());
    EXPECT_TRUE(play.machine.asked.empty());
    play.lvm =
        "vg0-pool-tpool: 0 2097152 thin-pool 1 90/4096 8/16384 - rw discard_passdown "
        "queue_if_no_space - 1024\n";
    play.look({pool("vg0-pool", 'a', {1, 2})});
    EXPECT_EQ(play.machine.told(), Told{});
  }
}

TEST(Maps, NamesOfGroups) {
  EXPECT_EQ(volumes::group_of_volume("vg0-root"), "vg0");
  EXPECT_EQ(volumes::group_of_volume("a--b----c-d--e"), "a-b--c");
  EXPECT_EQ(volumes::group_of_volume("alone"), "alone");
}

}  // namespace
}  // namespace fmd::reports
