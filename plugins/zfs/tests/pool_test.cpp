// History and inventory of pools: which vdevs hold the data, which left and why.

#include <ctime>

#include "fmd/base/json.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/pool_history.h"
#include "plugins/zfs/pool_look.h"
#include "plugins/zfs/redundancy.h"
#include "plugins/zfs/spare_choice.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs::pool_test {
namespace {

using test::fixture;
using test::kPool;
using test::Names;
using test::status_text;

constexpr int64_t kSecond = 1000000000;

const std::string kSpared =
    "  raidz2-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED too "
    "many errors\n"
    "      /dev/sdh ONLINE\nspares\n  /dev/sdh INUSE currently in use\n";
const std::string kUnspared =
    "  raidz2-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\nspares\n  /dev/sdh AVAIL\n";

class History : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  // One look; true if that leaf has all its data.
  bool full(const std::string& text, const std::string& leaf) {
    std::vector<Pool> pools{names.pool(text)};
    mark_resilvered(pools, memory, previous);
    note_changes(pools, memory, destroyed);
    previous = now += kSecond;
    last = pools;
    return pools[0].find(names.guid(leaf))->full;
  }
  std::string gone(const std::string& leaf) {
    auto it = memory.gone.find(vdev_fmri(kPool, names.guid(leaf)));
    return it == memory.gone.end() ? "" : it->second.reason + it->second.replaced_by;
  }
  std::string fmri(const std::string& leaf) { return vdev_fmri(kPool, names.guid(leaf)); }

  static constexpr int64_t kAt = 1795229825;  // Sat Nov 21 02:57:05 2026
  const std::string kDone = "resilvered 1M in 00:00:02 with 0 errors on Sat Nov 21 02:57:07 2026";
  const std::string kEarlier =
      "resilvered 1M in 00:00:02 with 0 errors on Sat Nov 21 02:57:04 2026";
  const std::string kRunning = "resilver in progress since Sat Nov 21 02:57:05 2026";
  Names names;
  Memory memory;
  std::vector<Pool> last;
  std::set<uint64_t> destroyed;
  int64_t previous = 0, now = kAt * kSecond;
};

TEST_F(History, ASpareIsFullOnlyAfterItsResilver) {
  EXPECT_TRUE(full(status_text(kUnspared, kEarlier), "/dev/sda"));
  note_attached(memory, names.guid("/dev/sdh"), kAt * kSecond + 300);
  EXPECT_FALSE(full(status_text(kSpared, kEarlier), "/dev/sdh"))
      << "attached, resilver not begun: an older one is shown";
  EXPECT_FALSE(full(status_text(kSpared, kRunning), "/dev/sdh")) << "begun, not marked yet";
  EXPECT_TRUE(full(status_text(kSpared, kDone), "/dev/sdh"));
  EXPECT_TRUE(full(status_text(kSpared, kRunning), "/dev/sdh")) << "another disk's resilver";
  EXPECT_TRUE(full(status_text(kUnspared, kDone), "/dev/sda"));
  note_attached(memory, names.guid("/dev/sdh"), now);
  EXPECT_FALSE(full(status_text(kSpared, kDone), "/dev/sdh")) << "used a second time";
}

TEST_F(History, WithoutItsEventTheLookBeforeBounds) {
  EXPECT_TRUE(full(status_text(kUnspared, kEarlier), "/dev/sda"));
  EXPECT_FALSE(full(status_text(kSpared, kEarlier), "/dev/sdh"));
  EXPECT_TRUE(full(status_text(kSpared, kDone), "/dev/sdh"));
}

TEST_F(History, AfterARestartAnEndedResilverCounts) {
  EXPECT_TRUE(full(status_text(kSpared, kEarlier), "/dev/sdh"))
      << "nothing known: it can only have been for this";
  Memory fresh;
  memory = fresh;
  EXPECT_FALSE(full(status_text(kSpared, kRunning), "/dev/sdh"));
}

TEST_F(History, AResilverWithErrorsDoesNotCount) {
  full(status_text(kUnspared, "none requested"), "/dev/sda");
  EXPECT_FALSE(full(
      status_text(kSpared, "resilvered 1M in 00:00:02 with 3 errors on Sat Nov 21 02:59:07 2026"),
      "/dev/sdh"));
}

TEST_F(History, AScrubMayHaveTakenTheScanLine) {
  full(status_text(kUnspared, kEarlier), "/dev/sda");
  note_attached(memory, names.guid("/dev/sdh"), kAt * kSecond);
  note_resilver_ended(memory, kPool, (kAt + 2) * kSecond);
  EXPECT_TRUE(full(status_text(kSpared, "scrub canceled on Sat Nov 21 02:59:07 2026"), "/dev/sdh"));
}

TEST_F(History, ReplacedDetachedAndBack) {
  full(status_text("  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n"), "/dev/sda");
  full(status_text("  mirror-0 DEGRADED\n    replacing-0 DEGRADED\n      /dev/sda REMOVED\n      "
                   "/dev/sdc ONLINE\n    /dev/sdb ONLINE\n",
                   kRunning),
       "/dev/sda");
  EXPECT_EQ(gone("/dev/sda"), "") << "only when the pair has dissolved";
  full(status_text("  mirror-0 ONLINE\n    /dev/sdc ONLINE\n    /dev/sdb ONLINE\n", kDone),
       "/dev/sdc");
  EXPECT_EQ(gone("/dev/sda"), "replaced" + fmri("/dev/sdc"));
  EXPECT_EQ(gone("replacing-0"), "detached");
  full(status_text("  /dev/sdc ONLINE\n"), "/dev/sdc");
  EXPECT_EQ(gone("/dev/sdb"), "detached");
  EXPECT_EQ(gone("/dev/sda"), "replaced" + fmri("/dev/sdc"))
      << "told on, the core may not have heard";
}

TEST_F(History, ACancelledReplacementIsNone) {
  full(status_text("  mirror-0 DEGRADED\n    replacing-0 DEGRADED\n      /dev/sda REMOVED\n      "
                   "/dev/sdc ONLINE\n    /dev/sdb ONLINE\n",
                   kRunning),
       "/dev/sda");
  full(status_text("  mirror-0 DEGRADED\n    /dev/sda REMOVED\n    /dev/sdb ONLINE\n"), "/dev/sda");
  EXPECT_EQ(gone("/dev/sdc"), "detached");
}

TEST_F(History, ReplacedWhileNobodyLooked) {
  full(status_text("  raidz1-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n"), "/dev/sda");
  auto stored = Memory::from_json(memory.to_json());
  ASSERT_TRUE(stored);
  EXPECT_EQ(*stored, memory);
  memory = *stored;
  previous = 0;
  full(status_text("  raidz1-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdc ONLINE\n", kDone),
       "/dev/sda");
  EXPECT_EQ(gone("/dev/sdb"), "replaced" + fmri("/dev/sdc"));
}

TEST_F(History, ASpareThatStaysAndOneThatReturns) {
  full(status_text(kSpared, kDone), "/dev/sdh");
  full(status_text(kUnspared, kDone), "/dev/sda");
  EXPECT_EQ(gone("/dev/sdh"), "") << "back among the spares";
  full(status_text(kSpared, kDone), "/dev/sdh");
  full(status_text("  raidz2-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdh ONLINE\n", kDone),
       "/dev/sdh");
  EXPECT_EQ(gone("/dev/sdb"), "replaced" + fmri("/dev/sdh"));
  EXPECT_EQ(gone("/dev/sdh"), "");
}

TEST_F(History, ExportedAndDestroyed) {
  full(status_text(kUnspared), "/dev/sda");
  note_changes({}, memory, destroyed);
  EXPECT_EQ(gone("/dev/sda"), "removed");
  EXPECT_EQ(memory.gone[pool_fmri(kPool)].reason, "removed");
  full(status_text(kUnspared), "/dev/sda");
  EXPECT_EQ(gone("/dev/sda"), "") << "imported again";
  EXPECT_FALSE(memory.gone.contains(pool_fmri(kPool)));
  note_changes({}, memory, destroyed);
  full(status_text("  raidz2-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdc ONLINE\n"), "/dev/sdc");
  EXPECT_EQ(gone("/dev/sdb"), "replaced" + fmri("/dev/sdc")) << "while it was away";
  note_changes({}, memory, {kPool});
  EXPECT_EQ(gone("/dev/sda"), "destroyed");
  EXPECT_EQ(memory.gone[pool_fmri(kPool)].reason, "destroyed");
}

TEST_F(History, DamagedMemoryIsAnError) {
  for (const char* bad : {"", "{}", "[]", "{\"places\":{\"x\":1}}"})
    EXPECT_FALSE(Memory::from_json(bad)) << bad;
}

TEST(Spares, TheBestOne) {
  Names names;
  const Pool pool =
      names.pool(status_text("  draid2:4d:8c:1s-0 ONLINE\n    /dev/sda ONLINE\n  raidz1-1 ONLINE\n "
                             "   /dev/sdb ONLINE\nspares\n"
                             "  draid2-0-0 AVAIL\n  draid2-9-0 AVAIL\n  /dev/ssd AVAIL\n  /dev/big "
                             "AVAIL\n  /dev/fit AVAIL\n  /dev/tiny AVAIL\n"
                             "  /dev/used INUSE\n  /dev/dead FAULTED\n"));
  const auto facts = [](const Vdev& vdev) -> DeviceFacts {
    if (vdev.name == "ssd") return {100, false};
    if (vdev.name == "big") return {300, true};
    if (vdev.name == "tiny") return {99, true};
    return {vdev.name == "fit" ? 200u : 100u, true};
  };
  const auto order = [&](const char* leaf, SpareOrder first = SpareOrder::distributed_first) {
    std::string text;
    auto spares = choose_spares(pool, pool.index_of(names.guid(leaf)), facts, first);
    if (!spares) return spares.error().message;
    for (const Vdev& spare : *spares) text += spare.name + " ";
    return text;
  };
  EXPECT_EQ(order("/dev/sda"), "draid2-0-0 fit big ssd ");
  EXPECT_EQ(order("/dev/sdb"), "fit big ssd ");
  EXPECT_EQ(order("/dev/sda", SpareOrder::disks_first), "fit big ssd draid2-0-0 ");
  EXPECT_EQ(spares_available(pool, pool.index_of(names.guid("/dev/sda"))), 5);
  EXPECT_EQ(spares_available(pool, pool.index_of(names.guid("/dev/sdb"))), 4);
  const Pool none = names.pool(status_text("  /dev/sda ONLINE\nspares\n  /dev/used INUSE\n"));
  auto why = choose_spares(none, 1, facts);
  ASSERT_FALSE(why);
  EXPECT_NE(why.error().message.find("no spare of pool 'tank' is available"), std::string::npos);
  const Pool small = names.pool(status_text("  /dev/sda ONLINE\nspares\n  /dev/tiny AVAIL\n"));
  EXPECT_NE(choose_spares(small, 1, facts).error().message.find("big enough"), std::string::npos);
}

// A missing property says nothing: the finding of a stuck spare would stay forever.
TEST(Spares, AFreeSpareIsReportedAsNotStuck) {
  Names names;
  const Pool pool = names.pool(status_text("  /dev/sda ONLINE\nspares\n  /dev/sdf AVAIL\n"));
  const auto resources = pool_resources(pool, {});
  EXPECT_EQ(resources.at(vdev_fmri(kPool, names.guid("/dev/sdf")))["properties"]["stuck"], false);
}

TEST(Spares, WhomNoneCanComeInFor) {
  Names names;
  const std::string free = "spares\n  /dev/sdf AVAIL\n";
  const auto fmri = [&](const char* leaf) { return vdev_fmri(kPool, names.guid(leaf)); };
  const auto told = [&](const std::string& rows, const char* leaf) {
    const Pool pool = names.pool(status_text(rows));
    const int index = pool.index_of(names.guid(leaf));
    const auto resources = pool_resources(pool, {});
    EXPECT_EQ(resources.at(vdev_fmri(kPool, names.guid(leaf)))["properties"]["spares_available"],
              spares_available(pool, index));
    return std::to_string(spares_available(pool, index)) + ": " + spare_refusal(pool, index);
  };
  for (const char* state : {"ONLINE", "FAULTED"}) {
    const std::string rows =
        "  mirror-0 DEGRADED\n    spare-0 DEGRADED\n      /dev/sda DEGRADED\n      /dev/sds " +
        std::string(state) + "\n    /dev/sdb ONLINE\nspares\n  /dev/sds INUSE\n  /dev/sdf AVAIL\n";
    EXPECT_EQ(told(rows, "/dev/sds"),
              "0: " + fmri("/dev/sds") + " is itself a spare that stands in for another disk");
    EXPECT_EQ(told(rows, "/dev/sda"), "0: " + fmri("/dev/sda") + " has the spare " +
                                          fmri("/dev/sds") + " already, which is " +
                                          std::string(state) +
                                          ": 'zpool detach tank sds' makes room");
    EXPECT_EQ(told(rows, "/dev/sdb"), "1: ");
  }
  const std::string replacing =
      "  mirror-0 DEGRADED\n    replacing-0 DEGRADED\n      /dev/sda OFFLINE\n      /dev/sdc "
      "ONLINE\n    /dev/sdb ONLINE\n" +
      free;
  EXPECT_EQ(told(replacing, "/dev/sda"), "0: " + fmri("/dev/sda") + " is being replaced");
  EXPECT_EQ(told(replacing, "/dev/sdc"), "1: ") << "ZFS takes one in for the new disk";
  EXPECT_EQ(told("  /dev/sda ONLINE\nlogs\n  /dev/sdl ONLINE\n" + free, "/dev/sdl"),
            "0: " + fmri("/dev/sdl") + " is a log device, which cannot have a spare");
}

TEST(Inventory, ASparedPool) {
  Names names;
  Pool pool = names.pool(fixture("status-spare.txt"));
  VdevProperties properties{{kPool, {{"checksum_n", 20}}}};
  InventoryContext context{
      .disk = [](const Vdev& vdev) { return "dev://wwn=" + vdev.name.substr(6); },
      .device_there = [](const Vdev&) { return false; },
      .properties = &properties,
      .last_scan = "scrub"};
  auto resources = pool_resources(pool, context);
  const auto of = [&](const std::string& name) {
    return resources.at(vdev_fmri(kPool, names.guid(name)));
  };
  EXPECT_EQ(resources.size(), 10u);
  const auto bad = of("wwn-0x5000c500a0000006")["properties"];
  EXPECT_EQ(bad["service"], "degraded");
  EXPECT_EQ(bad["spare"], "resilvering");
  EXPECT_EQ(bad["spare_by"], vdev_fmri(kPool, names.guid("wwn-0x5000c500a0000007")));
  EXPECT_EQ(bad["spares_available"], 0);
  EXPECT_EQ(bad["busy"], "resilver");
  EXPECT_EQ(bad["checksum_errors"], 279);
  EXPECT_EQ(bad["group"], pool_fmri(kPool));
  EXPECT_EQ(bad["parent_type"], "spare");
  EXPECT_FALSE(bad.contains("retire_refusal")) << "raidz2";
  EXPECT_FALSE(bad.contains("replacing"));
  EXPECT_EQ(of("wwn-0x5000c500a0000006")["edges"][0]["to"], "dev://wwn=5000c500a0000006");
  EXPECT_EQ(of("wwn-0x5000c500a0000007")["properties"]["role"], "spare");
  EXPECT_EQ(of("spare-5")["edges"].size(), 2u);
  EXPECT_FALSE(of("spare-5")["properties"].contains("service"));
  const auto tank = resources.at(pool_fmri(kPool));
  EXPECT_EQ(tank["properties"]["scan"], "resilver");
  EXPECT_EQ(tank["properties"]["scan_percent"], 60.15);
  EXPECT_EQ(tank["properties"]["spares_available"], 0);
  EXPECT_EQ(tank["properties"]["checksum_n"], 20);
  EXPECT_EQ(tank["properties"]["last_scan_text"], "scrub");
  EXPECT_EQ(tank["edges"][0]["to"], vdev_fmri(kPool, names.guid("raidz2-0")));
}

TEST(Inventory, StatesAndReplacing) {
  Names names;
  auto resources = pool_resources(names.pool(fixture("status-replacing.txt")), {});
  const auto of = [&](const std::string& name) {
    return resources.at(vdev_fmri(kPool, names.guid(name)))["properties"];
  };
  EXPECT_EQ(of("wwn-0x5000c500a0000004")["service"], "removed");
  EXPECT_EQ(of("wwn-0x5000c500a0000004")["replacing"],
            vdev_fmri(kPool, names.guid("wwn-0x5000c500a0000104")));
  EXPECT_FALSE(of("wwn-0x5000c500a0000104").contains("replacing"));
  EXPECT_EQ(of("wwn-0x5000c500a0000007")["state"], "AVAIL");
  for (const auto& [state, word] : std::map<std::string, std::string>{{"ONLINE", "in-service"},
                                                                      {"DEGRADED", "degraded"},
                                                                      {"FAULTED", "out-of-service"},
                                                                      {"OFFLINE", "out-of-service"},
                                                                      {"UNAVAIL", "out-of-service"},
                                                                      {"REMOVED", "removed"},
                                                                      {"CLOSED", "unknown"}})
    EXPECT_EQ(service_word(state), word);
}

// The condition for `autoreplace`: another disk, or a blank one, in the place of a missing one.
TEST(Inventory, WhatIsInThePlaceOfAMissingDisk) {
  Names names;
  std::string there = "dev://wwn=old", place, disk;
  bool labelled = false;
  const auto look = [&](const std::string& state) {
    Pool pool = names.pool(
        status_text("  mirror-0 DEGRADED\n    /dev/sda " + state + "\n    /dev/sdb ONLINE\n"));
    pool.autoreplace = true;
    const InventoryContext context{.disk = [](const Vdev&) { return "dev://wwn=old"; },
                                   .device_there = [](const Vdev&) { return true; },
                                   .in_place = [&](const Vdev&) { return there; },
                                   .bears_label = [&](const Vdev&) { return labelled; },
                                   .last_scan = ""};
    const auto told =
        pool_resources(pool, context).at(vdev_fmri(kPool, names.guid("/dev/sda")))["properties"];
    EXPECT_EQ(told["autoreplace"], true);
    return told["place"].get<std::string>() + " " + told.value("place_disk", "");
  };
  EXPECT_EQ(look("UNAVAIL"), "other dev://wwn=old") << "the same disk, and its label is gone";
  EXPECT_EQ(look("REMOVED"), "other dev://wwn=old");
  EXPECT_EQ(look("FAULTED"), "own ") << "bad, whether it has its label or not";
  EXPECT_EQ(look("ONLINE"), "own ");
  EXPECT_EQ(look("OFFLINE"), "own ") << "a person's wish";
  labelled = true;
  EXPECT_EQ(look("UNAVAIL"), "own ");
  labelled = false;
  there = "dev://wwn=new";
  EXPECT_EQ(look("UNAVAIL"), "other dev://wwn=new");
  EXPECT_EQ(look("FAULTED"), "other dev://wwn=new");
  EXPECT_EQ(look("ONLINE"), "own ");
  there = "";
  EXPECT_EQ(look("REMOVED"), "empty ");
}

// Four times the disks may not cost sixteen times as much: a pool of 10,000 is within the watchdog.
TEST(Properties, OfManyDisksAreReadInOneGo) {
  const auto seconds_of = [](int disks) {
    Pool pool;
    std::string text = "root-0\tashift\t12\n";
    for (int i = 0; i <= disks; ++i) {
      Vdev& vdev = pool.vdevs.emplace_back();
      vdev.guid = static_cast<uint64_t>(i + 1);
      vdev.type = i == 0 ? "root" : "disk";
      vdev.name = vdev.path = "/dev/disk/by-id/wwn-0x5000c500a" + std::to_string(i) + "-part1";
      if (i > 0) text += vdev.name + "\tchecksum_n\t5\n" + vdev.path + "\tphyspath\tp\n";
    }
    const clock_t begun = clock();
    const GotProperties got = parse_properties(text, pool);
    EXPECT_EQ(got.properties.at(1).at("ashift"), 12u);
    EXPECT_EQ(got.properties.at(2).at("checksum_n"), 5u);
    EXPECT_EQ(got.places.size(), static_cast<size_t>(disks));
    return static_cast<double>(clock() - begun) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds_of(4000), 9 * seconds_of(1000) + 0.1);
}

}  // namespace
}  // namespace fmd::zfs::pool_test
