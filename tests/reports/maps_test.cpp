// Multipath maps and LVM's volume groups that a boot does not bring back whole: from device-mapper's maps, over
// what fmd-volumes keeps, to what a person is told.
#include <fmt/format.h>
#include <gtest/gtest.h>

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
  std::set<std::string> away;  // disks without a device
  std::string boot = "boot-1";

  void look(const std::vector<DmMap>& maps) {
    known = volumes::known_maps_from_json(volumes::to_json(known));
    volumes::note_paths(maps, most);
    volumes::note_maps(maps, boot, known);
    volumes::DmStatus status;
    for (const DmMap& map : maps)
      if (map.multipath())
        for (const volumes::DmDevice& path : map.below)
          status.multipath[map.name].push_back({path.dev, true, 0});
    auto all = volumes::dm_resources(maps, &status, most);
    all.merge(volumes::known_resources(
        maps, known, [this](const std::string& disk) { return !away.contains(disk); }));
    machine.take("volumes", all);
    machine.pass(1800);
  }
};

DmMap map_of(const std::string& name, const std::string& uuid, const std::vector<int>& disks) {
  DmMap map{"dm-0", name, uuid, 1 << 30, {}};
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
  EXPECT_TRUE(mentions(play.machine.words("fault.io.multipath.gone"),
                       "had up to 4 paths before this boot"));
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

TEST(Maps, WhatGoesWhileTheMachineRunsWasTakenAway) {
  MapsPlay play;
  play.look({kPathsOfA, volume("vg0-home", 'v', 'a', {3}), volume("vg0-snap", 'v', 'b', {3})});
  play.look({volume("vg0-home", 'v', 'a', {3})});
  EXPECT_EQ(play.machine.told(), Told{});
  play.boot = "boot-2";
  play.look({volume("vg0-home", 'v', 'a', {3})});
  EXPECT_EQ(play.machine.told(), Told{});
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

TEST(Maps, NamesOfGroups) {
  EXPECT_EQ(volumes::group_of_volume("vg0-root"), "vg0");
  EXPECT_EQ(volumes::group_of_volume("a--b----c-d--e"), "a-b--c");
  EXPECT_EQ(volumes::group_of_volume("alone"), "alone");
}

}  // namespace
}  // namespace fmd::reports
