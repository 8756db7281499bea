// Multipath maps and LVM volumes: parsing dmsetup's output, and the resulting resources.
#include "plugins/volumes/dm_model.h"

#include <set>

#include "plugins/volumes/tests/md_rig.h"
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
TEST(DmStatusTest, TargetsThatHaveFailed) {
  const DmStatus status = parse_dm_status(
      "vg0-pool-tpool: 0 209715200 thin-pool 7 1021/4096 81920/1638400 - ro discard_passdown "
      "queue_if_no_space needs_check 1024 \n"
      "vg0-well-tpool: 0 209715200 thin-pool 7 1021/4096 81920/1638400 - rw no_discard_passdown "
      "queue_if_no_space - 1024 \n"
      "vg0-full-tpool: 0 209715200 thin-pool 7 1021/4096 1638400/1638400 - out_of_data_space "
      "discard_passdown error_if_no_space - 1024 \n"
      "vg0-dead-tpool: 0 209715200 thin-pool Fail\n"
      "vg0-fast: 0 41943040 cache Fail\n"
      "vg0-slow: 0 41943040 cache 8 27/4096 128 1/8192 0 52 0 24 0 0 0 2 metadata2 writethrough 2 "
      "migration_threshold 2048 smq 0 rw - \n"
      "vg0-log: 0 41943040 writecache -5 2048 2048 0 0 0 0 0 0 0 0 0 0 0\n"
      "vg0-log2: 0 41943040 writecache 0 2048 2048 0 0 0 0 0 0 0 0 0 0 0\n"
      "vg0-vpool-vpool: 0 41943040 vdo /dev/dm-5 read-only - error online 1 2\n"
      "vg0-part-missing_0_0: 0 2097152 error \n"
      "vg0-part: 0 2097152 linear \n"
      "vg0-root: 0 8388608 linear \n");
  std::set<std::string> names;
  for (const auto& [name, why] : status.failed) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"vg0-dead", "vg0-fast", "vg0-log", "vg0-part", "vg0-pool",
                                          "vg0-vpool-vpool"}));
  EXPECT_EQ(status.failed.at("vg0-part"), "it was activated without one of its disks");
}

TEST(DmStatusTest, WhatDoesNotReadAsSuchIsLeftOut) {
  for (const char* line :
       {"", ":", "a: ", "a: 0 1", "a: 0 1 multipath", "a: 0 1 multipath 2 0", "No devices found",
        "a: 0 1 multipath 0 0 1 1 A 0 9 2 8:16 A 0 0 1", "a: 0 1 multipath 99999999999999999999",
        "a: 0 1 multipath 18446744073709551615 1", "a: 0 1 raid raid1 3 AA 1/2 idle 0",
        "a: 0 1 raid raid1 2 AA 12 idle 0", "a: x 1 raid raid1 2 AA 1/2 idle 0", "a: 0 1 thin-pool",
        "a: 0 1 thin-pool 1 2/3", "a: 0 1 writecache", "a: 0 1 cache"}) {
    const DmStatus status = parse_dm_status(line);
    EXPECT_TRUE(status.multipath.empty() && status.raid.empty() && status.failed.empty()) << line;
  }
}

class DmTest : public ::testing::Test {
 protected:
  Loop loop_;
  MdTree t_;
  sdk::Host host_{loop_, t_.tree.root(), ""};
  MostPaths most_;
  std::vector<DmMap> known_;

  void SetUp() override {
    t_.plug(1);
    t_.plug(2);
    for (const int number : {1, 2}) {
      const std::string block =
          "/sys/devices/pci0000:00/host0/0:0:" + std::to_string(number) + ":0/";
      t_.tree.file(block + "wwid", "naa." + wwn_of(1) + "\n");  // one disk, two paths
      t_.tree.file(block + "block/" + MdTree::name_of(number) + "/dev",
                   "8:" + std::to_string(16 * number) + "\n");
      t_.tree.link("/dev/disk/by-path/pci-0000:0" + std::to_string(number) + ":00.0-sas",
                   "../../" + MdTree::name_of(number));
    }
    map("dm-0", "mpatha", "mpath-3" + wwn_of(1), {"sdb", "sdc"});
  }
  // The plugin scans only on request or on an event.
  Options rare_looks() const {
    Options options;
    options.rescan = 1h;
    options.state_file = t_.tree.root() + "/memory.json";
    return options;
  }
  void map(const std::string& device, const std::string& name, const std::string& uuid,
           const std::vector<std::string>& slaves) {
    const std::string folder = "/sys/devices/virtual/block/" + device;
    t_.tree.file(folder + "/dm/name", name + "\n");
    t_.tree.file(folder + "/dm/uuid", uuid + "\n");
    t_.tree.file(folder + "/size", "131072\n");
    t_.tree.folder(folder + "/slaves");
    for (const std::string& slave : slaves)
      t_.tree.link(folder + "/slaves/" + slave, "/sys/class/block/" + slave);
    t_.tree.link("/sys/block/" + device, folder);
    t_.tree.link("/sys/class/block/" + device, folder);
  }
  std::map<std::string, json> look(const char* status) {
    const auto maps = dm_from_json(to_json(scan_dm(host_, known_)));
    known_ = maps;
    note_paths(maps, most_);
    const DmStatus told = parse_dm_status(status ? status : "");
    return dm_resources(maps, status ? &told : nullptr, most_);
  }
  static json properties(const std::map<std::string, json>& all, const std::string& fmri) {
    const auto at = all.find(fmri);
    return at == all.end() ? json() : at->second["properties"];
  }
  const std::string map_ = "dm://uuid=mpath-3" + wwn_of(1);
};

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

}  // namespace
}  // namespace fmd::volumes::testing
