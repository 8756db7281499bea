// Multipath maps and LVM volumes: parsing dmsetup's output, and the resulting resources.
#include "plugins/volumes/dm_model.h"

#include <set>

#include "plugins/volumes/tests/dm_rig.h"
#include "plugins/volumes/volumes_plugin.h"

namespace fmd::volumes::testing {
namespace {

// Failures without a udev event need scans at the full rate, however long nothing has changed.
TEST(VolumesCalm, IsForHostsWithNothingButMultipath) {
  DmMap map, volume;
  map.uuid = "mpath-1";
  volume.uuid = "LVM-1";
  MdScan array;
  array.arrays.emplace_back();
  EXPECT_TRUE(udev_tells_all({}, {}, {}, {}));
  EXPECT_TRUE(udev_tells_all({}, {map, map}, {}, {}));
  EXPECT_FALSE(udev_tells_all({}, {map, volume}, {}, {}));
  EXPECT_FALSE(udev_tells_all(array, {map}, {}, {}));
  EXPECT_FALSE(udev_tells_all({}, {}, std::vector<BtrfsFileSystem>(1), {}));
  EXPECT_FALSE(udev_tells_all({}, {}, {}, std::vector<RaidVolume>(1)));
}

TEST(DmStatusTest, Multipath) {
  // Two groups of one path each, service-time; the second path has failed twice.
  const DmStatus status = parse_dm_status(
      "vg0-root: 0 8388608 linear \n"
      "mpath a: b: 0 131072 multipath 2 0 0 0 2 1 A 0 1 2 8:16 A 0 0 1 E 0 1 2 8:32 F 2 0 1 \n");
  ASSERT_EQ(status.multipath.size(), 1u);
  EXPECT_EQ(status.multipath.at("mpath a: b"),
            (std::vector<MultipathPath>{{"8:16", true, 0}, {"8:32", false, 2}}));
}

TEST(DmStatusTest, MultipathAsRecorded) {
  const DmStatus status = parse_dm_status(
      "1Linux_scsi_debug_2000: 0 131072 multipath 2 0 1 0 2 1 A 0 1 2 8:112 A 0 0 1 E 0 1 2 8:128 "
      "A 0 0 1 \n");
  EXPECT_EQ(status.multipath.at("1Linux_scsi_debug_2000"),
            (std::vector<MultipathPath>{{"8:112", true, 0}, {"8:128", true, 0}}));
}

TEST(DmStatusTest, Raid) {
  const DmStatus status = parse_dm_status(
      "vg0-data: 0 524288 raid raid1 2 AD 524288/524288 idle 0 0 -\n"
      "vg0-fresh: 0 524288 raid raid5_ls 3 AAa 1024/262144 recover 0 0 -\n");
  EXPECT_EQ(status.raid.at("vg0-data"), (DmRaid{"raid1", "AD", 524288, 524288, "idle", 0}));
  EXPECT_EQ(status.raid.at("vg0-fresh"), (DmRaid{"raid5_ls", "AAa", 1024, 262144, "recover", 0}));
}

// Formats: Documentation/admin-guide/device-mapper.
TEST(DmStatusTest, OlderMirrors) {
  const DmStatus status = parse_dm_status(
      "vg0-old: 0 1048576 mirror 2 253:3 253:4 1024/1024 1 AD 3 disk 253:2 A\n"
      "vg0-new: 0 1048576 mirror 2 253:6 253:7 40/1024 1 AA 1 core\n"
      "vg0-three: 0 8192 mirror 3 8:1 8:17 8:33 8/8 1 RAS 3 clustered-disk 253:9 A\n"
      "vg0-cut: 0 8192 mirror 2 8:1 8:17 8/8 1 A\n");
  EXPECT_EQ(status.raid.at("vg0-old"), (DmRaid{"raid1", "AD", 1024, 1024, "idle", 0}));
  EXPECT_EQ(status.raid.at("vg0-new"), (DmRaid{"raid1", "AA", 40, 1024, "resync", 0}));
  EXPECT_EQ(status.raid.at("vg0-three").legs, "DAa");
  EXPECT_FALSE(status.raid.contains("vg0-cut"));
}

TEST(DmStatusTest, TargetsThatHaveFailed) {
  const DmStatus status = parse_dm_status(
      "vg0-dead-tpool: 0 209715200 thin-pool Fail\n"
      "vg0-odd-tpool: 0 209715200 thin-pool Error\n"
      "vg0-fast: 0 41943040 cache Fail\n"
      "vg0-slow: 0 41943040 cache 8 27/4096 128 1/8192 0 52 0 24 0 0 0 2 metadata2 writethrough 2 "
      "migration_threshold 2048 smq 0 rw - \n"
      "vg0-log: 0 41943040 writecache -5 2048 2048 0 0 0 0 0 0 0 0 0 0 0\n"
      "vg0-log2: 0 41943040 writecache 0 2048 2048 0 0 0 0 0 0 0 0 0 0 0\n"
      "vg0-part-missing_0_0: 0 2097152 error \n"
      "vg0-part: 0 2097152 linear \n"
      "vg0-root: 0 8388608 linear \n");
  std::set<std::string> names;
  for (const auto& [name, why] : status.failed) names.insert(name);
  EXPECT_EQ(names,
            (std::set<std::string>{"vg0-dead", "vg0-fast", "vg0-log", "vg0-odd", "vg0-part"}));
  EXPECT_EQ(status.failed.at("vg0-part"), "it was activated without one of its disks");
  EXPECT_TRUE(status.pools.empty());
}

TEST(DmStatusTest, PoolsAsKernelsPrintThem) {
  using State = DmPool::State;
  const auto state_of = [](const std::string& status) {
    const DmStatus all = parse_dm_status("vg0-pool-tpool: 0 209715200 thin-pool " + status + "\n");
    EXPECT_EQ(all.pools.size(), 1u) << status;
    return all.pools.empty() ? State::well : all.pools.at("vg0-pool").state;
  };
  for (
      const auto& [status, expected] : std::initializer_list<std::pair<const char*, State>>{
          {"7 1021/4096 81920/1638400 - rw no_discard_passdown queue_if_no_space - 1024 ",
           State::well},
          {"1 90/4096 0/16384 - rw discard_passdown error_if_no_space - 1024", State::well},
          {"0 12/2048 100/16384 7 rw discard_passdown queue_if_no_space", State::well},
          {"7 1021/4096 1638400/1638400 - out_of_data_space discard_passdown error_if_no_space - "
           "1024 ",
           State::full},
          {"7 1021/4096 1638400/1638400 - rw discard_passdown queue_if_no_space ", State::full},
          {"7 1021/4096 1638390/1638400 - out_of_data_space discard_passdown queue_if_no_space - 0",
           State::full},
          {"3 4096/4096 81920/1638400 - ro discard_passdown queue_if_no_space - 1024",
           State::needs_metadata},
          {"3 4010/4096 81920/1638400 - ro discard_passdown queue_if_no_space needs_check 1024",
           State::needs_metadata},
          {"7 1021/4096 81920/1638400 - ro discard_passdown queue_if_no_space needs_check 1024 ",
           State::needs_check},
          {"7 1021/4096 81920/1638400 - ro discard_passdown queue_if_no_space", State::needs_check},
          {"7 1021/4096 81920/1638400 - rw discard_passdown queue_if_no_space needs_check 1024 ",
           State::needs_check},
          {"7 0/0 0/0 - rw discard_passdown queue_if_no_space - 1024 ", State::well}})
    EXPECT_EQ(state_of(status), expected) << status;
}

TEST(DmStatusTest, NamesOfPools) {
  const auto name_of = [](const std::string& printed) {
    const DmStatus all = parse_dm_status(
        printed + ": 0 2097152 thin-pool 1 90/4096 8/16384 - rw discard_passdown - 1024\n");
    return all.pools.empty() ? "" : all.pools.begin()->first;
  };
  EXPECT_EQ(name_of("vg0-pool-tpool"), "vg0-pool");
  EXPECT_EQ(name_of("docker-thinpool"), "docker-thinpool");
  EXPECT_EQ(name_of("vg0-my--tpool"), "vg0-my--tpool") << "a volume of that name";
  EXPECT_EQ(name_of("vg0-my--tpool-tpool"), "vg0-my--tpool");
}

TEST(DmStatusTest, VdoPools) {
  const DmStatus status = parse_dm_status(
      "vg0-well-vpool: 0 41943040 vdo /dev/dm-5 normal - online online 904911 5242880\n"
      "vg0-full-vpool: 0 41943040 vdo /dev/dm-6 normal - online offline 5242880 5242880\n"
      "vg0-back-vpool: 0 41943040 vdo /dev/dm-7 normal recovering online online 5 5242880\n"
      "vg0-dead-vpool: 0 41943040 vdo /dev/dm-8 read-only - error online 1 2\n"
      "vg0-mute-vpool: 0 41943040 vdo /dev/dm-9 read-only - error\n");
  EXPECT_EQ(status.pools.at("vg0-well"), (DmPool{DmPool::State::well, 904911, 5242880, 0, 0}));
  EXPECT_EQ(status.pools.at("vg0-full").state, DmPool::State::full);
  EXPECT_EQ(status.pools.at("vg0-back").state, DmPool::State::well);
  EXPECT_EQ(status.pools.at("vg0-dead").state, DmPool::State::forced_read_only);
  EXPECT_EQ(status.pools.at("vg0-mute").data_all, 0u);
}

TEST(DmStatusTest, SnapshotsThatAreLost) {
  const DmStatus status = parse_dm_status(
      "vg0-night: 0 8388608 snapshot Invalid\n"
      "vg0-noon: 0 8388608 snapshot Overflow\n"
      "vg0-well: 0 8388608 snapshot 2048/8192 16\n"
      "vg0-root: 0 8388608 snapshot-origin \n");
  EXPECT_EQ(status.lost_snapshots, (std::set<std::string>{"vg0-night", "vg0-noon"}));
}

TEST(DmStatusTest, WhatDoesNotReadAsSuchIsLeftOut) {
  for (const char* line : {"",
                           ":",
                           "a: ",
                           "a: 0 1",
                           "a: 0 1 multipath",
                           "a: 0 1 multipath 2 0",
                           "No devices found",
                           "a: 0 1 multipath 0 0 1 1 A 0 9 2 8:16 A 0 0 1",
                           "a: 0 1 multipath 99999999999999999999",
                           "a: 0 1 multipath 18446744073709551615 1",
                           "a: 0 1 raid raid1 3 AA 1/2 idle 0",
                           "a: 0 1 raid raid1 2 AA 12 idle 0",
                           "a: x 1 raid raid1 2 AA 1/2 idle 0",
                           "a: 0 1 thin-pool",
                           "a: 0 1 thin-pool 1 2/3",
                           "a: 0 1 thin-pool 1 2 3 - rw",
                           "a: 0 1 thin-pool 1 2/3 4/ - rw",
                           "a: 0 1 thin-pool 1 2/99999999999999999999 4/5 - rw",
                           "a: 0 1 vdo",
                           "a: 0 1 vdo /dev/dm-1",
                           "a: 0 1 snapshot",
                           "a: 0 1 writecache",
                           "a: 0 1 cache"}) {
    const DmStatus status = parse_dm_status(line);
    EXPECT_TRUE(status.multipath.empty() && status.raid.empty() && status.failed.empty() &&
                status.pools.empty() && status.lost_snapshots.empty())
        << line;
  }
}

TEST_F(DmTest, AMapItsDiskAndItsPaths) {
  const auto all =
      look("mpatha: 0 131072 multipath 2 0 0 0 1 1 A 0 2 2 8:16 A 0 0 1 8:32 F 1 0 1\n");
  const json map = properties(all, map_);
  EXPECT_EQ(map["health"], "degraded");
  EXPECT_EQ(map["paths"], 2);
  EXPECT_EQ(map["paths_active"], 1);
  EXPECT_EQ(map["paths_missing"], 0);
  EXPECT_EQ(all.at(map_)["edges"], json::array({{{"relation", "path"}, {"to", disk_of(1)}}}));
  EXPECT_EQ(properties(all, "dev://path=pci-0000:01:00.0-sas")["multipath_state"], "active");
  EXPECT_EQ(properties(all, "dev://path=pci-0000:02:00.0-sas")["multipath_state"], "failed");
  EXPECT_EQ(properties(all, "dev://path=pci-0000:02:00.0-sas")["multipath_failures"], 1);
  EXPECT_EQ(properties(all, "dev://path=pci-0000:02:00.0-sas")["multipath_health"], "degraded");
}

TEST_F(DmTest, APathThatIsGoneIsMissing) {
  look("");
  t_.tree.remove("/sys/devices/virtual/block/dm-0/slaves/sdc");
  const json map =
      properties(look("mpatha: 0 131072 multipath 2 0 0 0 1 1 A 0 1 2 8:16 A 0 0 1\n"), map_);
  EXPECT_EQ(map["paths_missing"], 1);
  EXPECT_EQ(map["health"], "optimal");
}

// A known path is identified again only if it is another appearance of a disk.
TEST_F(DmTest, AKnownPathIsNotReadAnew) {
  const auto disk_below = [&] { return look("").at(map_)["edges"][0]["to"]; };
  const std::string device = "/sys/devices/pci0000:00/host0/0:0:1:0/";
  t_.tree.remove("/sys/devices/virtual/block/dm-0/slaves/sdc");
  t_.tree.file(device + "block/sdb/diskseq", "7\n");
  EXPECT_EQ(disk_below(), disk_of(1));
  t_.tree.file(device + "wwid", "naa." + wwn_of(2) + "\n");
  EXPECT_EQ(disk_below(), disk_of(1));
  t_.tree.file(device + "block/sdb/diskseq", "8\n");
  EXPECT_EQ(disk_below(), disk_of(2));
}

TEST_F(DmTest, OneWhomNobodyKnewIsReadAnew) {
  const std::string device = "/sys/devices/pci0000:00/host0/0:0:1:0/";
  t_.tree.remove("/sys/devices/virtual/block/dm-0/slaves/sdc");
  t_.tree.file(device + "block/sdb/diskseq", "7\n");
  t_.tree.remove(device + "wwid");
  t_.tree.remove(device + "vpd_pg80");
  EXPECT_TRUE(look("").at(map_)["edges"].empty());
  t_.tree.file(device + "wwid", "naa." + wwn_of(1) + "\n");
  EXPECT_EQ(look("").at(map_)["edges"][0]["to"], disk_of(1));
}

TEST_F(DmTest, ARefreshReadsEachAnew) {
  const std::string device = "/sys/devices/pci0000:00/host0/0:0:1:0/";
  t_.tree.remove("/sys/devices/virtual/block/dm-0/slaves/sdc");
  t_.tree.file(device + "block/sdb/diskseq", "7\n");
  FakeCore core(loop_, t_.tree.root() + "/s");
  sdk::Host without_tools(loop_, t_.tree.root(), t_.tree.root() + "/tools");
  VolumesPlugin plugin(loop_, without_tools, t_.tree.root() + "/s", rare_looks());
  ASSERT_TRUE(loop_.until([&] { return core.resources.contains(map_); }));
  EXPECT_EQ(core.resources[map_]["edges"][0]["to"], disk_of(1));
  t_.tree.file(device + "wwid", "naa." + wwn_of(2) + "\n");
  const uint64_t id = core.command("refresh", "", map_);
  ASSERT_TRUE(loop_.until([&] { return core.answers.contains(id); }));
  EXPECT_EQ(core.resources[map_]["edges"][0]["to"], disk_of(2));
}

// Without dmsetup, the map's folder in sysfs shows it.
TEST_F(DmTest, AMapWithoutPaths) {
  look("");
  for (const char* slave : {"sdb", "sdc"})
    t_.tree.remove(std::string("/sys/devices/virtual/block/dm-0/slaves/") + slave);
  for (const char* status : {"mpatha: 0 131072 multipath 2 0 0 0 0 0\n", ""}) {
    const json map = properties(look(*status ? status : nullptr), map_);
    EXPECT_EQ(map.value("health", ""), "failed") << status;
    EXPECT_EQ(map["paths_missing"], 2) << status;
  }
}

// multipathd removes a map after its last path; a person removes it before, or keeps the paths.
TEST_F(DmTest, AMapThatGoesWhileTheMachineRuns) {
  t_.tree.file("/proc/sys/kernel/random/boot_id", "b007\n");
  enum class Way { with_its_paths, flushed, flushed_and_deleted };
  for (const Way way : {Way::with_its_paths, Way::flushed, Way::flushed_and_deleted}) {
    SCOPED_TRACE(static_cast<int>(way));
    SetUp();
    FakeCore core(loop_, t_.tree.root() + "/s");
    sdk::Host without_tools(loop_, t_.tree.root(), t_.tree.root() + "/tools");
    VolumesPlugin plugin(loop_, without_tools, t_.tree.root() + "/s", rare_looks());
    ASSERT_TRUE(loop_.until([&] { return core.resources.contains(map_); }));
    if (way != Way::with_its_paths) plugin.on_udev({"remove", "block", "dm-0"});
    if (way != Way::flushed)
      for (const int number : {1, 2}) {
        t_.pull(number);
        plugin.on_udev({"remove", "block", MdTree::name_of(number)});
      }
    if (way == Way::with_its_paths) plugin.on_udev({"remove", "block", "dm-0"});
    for (const char* folder : {"/sys/block/dm-0", "/sys/class/block/dm-0"}) t_.tree.remove(folder);
    const uint64_t id = core.command("refresh", "", map_);
    ASSERT_TRUE(loop_.until([&] { return core.answers.contains(id); }));
    if (way == Way::with_its_paths) {
      EXPECT_EQ(core.property(map_, "health"), "missing");
      EXPECT_EQ(core.property(map_, "paths_before"), 2);
    } else {
      EXPECT_NE(core.property(map_, "health"), "missing");
    }
  }
}

TEST_F(DmTest, NoPathAtAll) {
  EXPECT_EQ(properties(look("mpatha: 0 131072 multipath 2 0 0 0 1 0 E 0 2 2 8:16 F 1 0 1 8:32 F "
                            "1 0 1\n"),
                       map_)["health"],
            "failed");
  // A missing value is unknown.
  EXPECT_FALSE(properties(look(nullptr), map_).contains("health"));
}

TEST_F(DmTest, HealthOfLvmsRaid) {
  const std::string vg = "LVM-" + std::string(32, 'v');
  map("dm-4", "vg0-data", vg + std::string(32, 'b'), {"sdb"});
  const auto health = [&](const std::string& raid) {
    const auto all = look(("vg0-data: 0 524288 raid " + raid + " 0 0 -\n").c_str());
    return properties(all, "dm://uuid=" + vg + std::string(32, 'b'))["health"];
  };
  for (const auto& [raid, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"raid1 2 AA 9/9 idle", "optimal"},
           {"raid1 2 AD 9/9 idle", "degraded"},
           {"raid1 2 -A 9/9 idle", "degraded"},
           {"raid1 2 D- 9/9 idle", "failed"},
           {"raid1 3 DAD 9/9 idle", "degraded"},
           {"raid5_ls 3 AAa 1/9 recover", "rebuilding"},
           {"raid5_ls 3 AAa 1/9 idle", "degraded"},
           {"raid1 2 aa 1/9 resync", "rebuilding"},
           {"raid5_ls 4 ADAD 9/9 idle", "failed"},
           {"raid4 3 AAD 9/9 idle", "degraded"},
           {"raid6_zr 5 DDAAA 9/9 idle", "degraded"},
           {"raid6_ls_6 5 DDA-A 9/9 idle", "failed"},
           {"raid10 4 DADA 9/9 idle", "degraded"},
           {"raid10_near 4 AADD 9/9 idle", "failed"},
           {"raid0 2 AD 9/9 idle", "failed"},
           {"raid6_nr 4 AAAA 2/9 check", "optimal"}})
    EXPECT_EQ(health(raid), expected) << raid;
}

TEST_F(DmTest, LvmsVolumes) {
  const std::string vg = "LVM-" + std::string(32, 'v');
  map("dm-3", "vg0-data_rimage_0", vg + std::string(32, 'a') + "-rimage", {"sdb"});
  map("dm-4", "vg0-data", vg + std::string(32, 'b'), {"dm-3"});
  map("dm-5", "vg0-plain", vg + std::string(32, 'c'), {"sdc"});
  const auto all = look("vg0-data: 0 524288 raid raid1 2 AD 524288/524288 idle 0 0 -\n");
  const json data = properties(all, "dm://uuid=" + vg + std::string(32, 'b'));
  EXPECT_EQ(data["health"], "degraded");
  EXPECT_EQ(data["observed"], "observed");
  EXPECT_EQ(all.at("dm://uuid=" + vg + std::string(32, 'b'))["edges"],
            json::array({{{"relation", "redundancy"}, {"to", disk_of(1)}}}));
  const json plain = properties(all, "dm://uuid=" + vg + std::string(32, 'c'));
  EXPECT_EQ(plain["observed"], "not-observed");
  EXPECT_EQ(plain["health"], "optimal");
  EXPECT_EQ(all.count("dm://uuid=" + vg + std::string(32, 'a') + "-rimage"), 0u);
}

// A thin pool is a hidden volume: its map has "-tpool" behind the name and the UUID. The map beside it, with "-pool" behind
// the UUID alone, and the parts of the pool are left out.
TEST_F(DmTest, LvmsPools) {
  const std::string thin = "LVM-" + std::string(32, 'v') + std::string(32, 't'),
                    vdo = "LVM-" + std::string(32, 'v') + std::string(32, 'd');
  map("dm-3", "vg--0-big--pool_tdata", thin + "-tdata", {"sdb"});
  map("dm-4", "vg--0-big--pool_tmeta", thin + "-tmeta", {"sdc"});
  map("dm-5", "vg--0-big--pool-tpool", thin + "-tpool", {"dm-3", "dm-4"});
  map("dm-6", "vg--0-big--pool", thin + "-pool", {"dm-5"});
  map("dm-7", "vg--0-pages-vpool", vdo + "-vpool", {"sdc"});
  const auto all = look(
      "vg--0-big--pool-tpool: 0 2097152 thin-pool 1 400/4096 1638400/1638400 - out_of_data_space "
      "discard_passdown queue_if_no_space - 1024\n"
      "vg--0-pages-vpool: 0 41943040 vdo /dev/dm-5 normal - online online 904911 5242880\n");
  const json pool = properties(all, "dm://uuid=" + thin + "-tpool");
  EXPECT_EQ(pool["name"], "vg--0-big--pool");
  EXPECT_EQ(pool["volume"], "vg-0/big-pool");
  EXPECT_EQ(pool["path"], "/dev/mapper/vg--0-big--pool-tpool");
  EXPECT_EQ(pool["health"], "optimal");
  EXPECT_EQ(pool["observed"], "observed");
  EXPECT_EQ(pool["pool_state"], "full");
  EXPECT_EQ(pool["data_percent"], 100.0);
  EXPECT_EQ(pool["metadata_percent"], 9.7);
  const json edges = all.at("dm://uuid=" + thin + "-tpool")["edges"];
  EXPECT_FALSE(edges.empty());
  const json pages = properties(all, "dm://uuid=" + vdo + "-vpool");
  EXPECT_EQ(pages["volume"], "vg-0/pages");
  EXPECT_EQ(pages["data_percent"], 17.2);
  EXPECT_FALSE(pages.contains("metadata_percent"));
  for (const char* hidden : {"-tdata", "-tmeta", "-pool"})
    EXPECT_EQ(all.count("dm://uuid=" + thin + hidden), 0u) << hidden;
}

// A pool of LVM's that only others make volumes in (Docker).
TEST_F(DmTest, APoolWithoutVolumesOfLvms) {
  const std::string pool = "LVM-" + std::string(32, 'v') + std::string(32, 'p');
  map("dm-3", "docker-thinpool_tdata", pool + "-tdata", {"sdb"});
  map("dm-4", "docker-thinpool", pool + "-pool", {"dm-3"});
  const json told = properties(look("docker-thinpool: 0 2097152 thin-pool 9 90/4096 8/16384 - rw "
                                    "discard_passdown error_if_no_space - 1024\n"),
                               "dm://uuid=" + pool + "-pool");
  EXPECT_EQ(told["volume"], "docker/thinpool");
  EXPECT_EQ(told["pool_state"], "well");
}

// The kernel removes no LVM volume: a case about one that a person removed is over.
TEST_F(DmTest, AVolumeThatGoesWhileTheMachineRunsIsDetached) {
  const std::string uuid = "LVM-" + std::string(32, 'v') + std::string(32, 's');
  map("dm-3", "vg0-night", uuid, {"sdb"});
  FakeCore core(loop_, t_.tree.root() + "/s");
  sdk::Host without_tools(loop_, t_.tree.root(), t_.tree.root() + "/tools");
  VolumesPlugin plugin(loop_, without_tools, t_.tree.root() + "/s", rare_looks());
  ASSERT_TRUE(loop_.until([&] { return core.resources.contains("dm://uuid=" + uuid); }));
  for (const char* folder : {"/sys/block/dm-3", "/sys/class/block/dm-3"}) t_.tree.remove(folder);
  const uint64_t id = core.command("refresh", "", map_);
  ASSERT_TRUE(loop_.until([&] { return core.answers.contains(id); }));
  json gone;
  for (const json& message : core.messages)
    if (message.value("method", "") == "inventory")
      for (const json& one : message["params"].value("gone", json::array())) gone = one;
  EXPECT_EQ(gone, (json{{"fmri", "dm://uuid=" + uuid}, {"reason", "detached"}}));
}

TEST_F(DmTest, ALostSnapshot) {
  const std::string uuid = "LVM-" + std::string(32, 'v') + std::string(32, 's');
  map("dm-3", "vg0-night", uuid, {"sdb"});
  const auto snapshot = [&](const char* state) {
    const auto all = look(("vg0-night: 0 8388608 snapshot " + std::string(state)).c_str());
    return properties(all, "dm://uuid=" + uuid).value("snapshot", "");
  };
  EXPECT_EQ(snapshot("16/2048 8"), "");
  EXPECT_EQ(snapshot("Invalid"), "lost");
}

}  // namespace
}  // namespace fmd::volumes::testing
