// safe_to_pull against random pools as fmd-zfs describes them: it never says yes if pulling the
// disk would suspend a pool or remove a last copy, and says yes often enough to be useful.
#include "fmd/advice/pull_safety.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "fmd/advice/pull_order.h"
#include "fmd/advice/storage.h"
#include "fmd/base/json.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "tests/lib/made.h"
#include "tests/words/random_pool.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

constexpr int kWorlds = 1500;

Inventory inventory_of(const std::vector<RandomPool>& pools) {
  InventoryUpdate update{"zfs", {}, {}, true};
  for (const RandomPool& p : pools) {
    zfs::InventoryContext context;
    context.disk = [&p](const zfs::Vdev& vdev) {
      const auto at = p.disks.find(vdev.guid);
      return at == p.disks.end() ? std::string() : at->second;
    };
    for (auto& [fmri, doc] : zfs::pool_resources(p.pool, context))
      update.resources.push_back(*Inventory::resource_from_json(doc));
  }
  InventoryUpdate disks{"disk", {}, {}, true};
  for (int i = 0; i < 24; ++i) {
    Resource disk;
    disk.fmri = fmt::format("dev://wwn={}", i);
    disk.type = "disk";
    disk.properties["serial"] = fmt::format("S{}", i);
    disks.resources.push_back(std::move(disk));
  }
  Inventory inventory;
  inventory.apply(disks);
  inventory.apply(update);
  return inventory;
}

TEST(PullSafety, NeverSaysYesWhereDataWouldGo) {
  int yes = 0, harmless = 0;
  for (int world = 0; world < kWorlds; ++world) {
    Dice dice(static_cast<uint64_t>(world) + 1);
    std::vector<RandomPool> pools{random_pool(dice, "tank", 1)};
    if (dice.one_in(3)) pools.push_back(random_pool(dice, "pond", 2));
    const Inventory inventory = inventory_of(pools);
    for (int i = 0; i < 24; ++i) {
      const std::string disk = fmt::format("dev://wwn={}", i);
      const PullSafety safety = pull_safety(inventory, disk);
      const bool harmed = std::any_of(pools.begin(), pools.end(),
                                      [&](const RandomPool& p) { return is_harmed_by(p, {disk}); });
      std::string drawn;
      for (const RandomPool& p : pools) drawn += described(p);
      ASSERT_FALSE(safety.yes() && harmed)
          << "world " << world << ", " << disk << ": " << safety.why << "\n"
          << drawn;
      ASSERT_FALSE(safety.why.empty()) << disk;
      for (const RandomPool& p : pools) {
        const Resource* pool = inventory.find(fmt::format("zfs://pool={}", p.pool.guid));
        const std::string survivor = fmt::format("pool {} survives without it", p.pool.name);
        ASSERT_FALSE(pool && safety.yes() && safety.why.find(survivor) != safety.why.npos &&
                     survives(inventory, *pool) == 0)
            << "world " << world << ", " << disk << ": " << safety.why << "\n"
            << drawn;
      }
      const bool used = !inventory.parents(disk, Relation::redundancy).empty();
      if (used && !harmed) ++harmless;
      if (safety.yes()) ++yes;
    }
  }
  EXPECT_GT(yes, harmless / 2) << "of " << harmless << " that could be pulled";
}

TEST(Survives, IsNeverMoreThanIsTrue) {
  int exact = 0, worlds = 0;
  for (int world = 0; world < 600; ++world) {
    Dice dice(static_cast<uint64_t>(world) + 77);
    RandomPool p = random_pool(dice, "tank", 1);
    // One disk per vdev: two vdevs on one disk are a different fault.
    int next = 0;
    for (auto& [guid, disk] : p.disks) disk = fmt::format("dev://wwn={}", next++);
    const Inventory inventory = inventory_of({p});
    const auto said = survives(inventory, *inventory.find("zfs://pool=1"));
    const int really = really_survives(p);
    ++worlds;
    if (!said) continue;
    ASSERT_LE(*said, really) << "world " << world << "\n" << described(p);
    if (*said == really) ++exact;
  }
  EXPECT_GT(exact, worlds / 2);
}

Case about(const std::string& disk) {
  Case c;
  c.replaces = true;
  c.uuid = disk;
  c.state = CaseState::solved;
  Suspect s;
  s.resource = s.fru = disk;
  s.serial = disk.substr(disk.find('=') + 1);
  c.suspects = {std::move(s)};
  return c;
}

// Each disk is safe to pull by itself. Disks that are not safe together are listed one after the
// other.
TEST(PullOrder, NeverAllowsTogetherWhatTakesALastCopy) {
  int together = 0, one_by_one = 0;
  for (int world = 0; world < 600; ++world) {
    Dice dice(static_cast<uint64_t>(world) + 311);
    RandomPool p = random_pool(dice, "tank", 1);
    int next = 0;
    for (auto& [guid, disk] : p.disks) disk = fmt::format("dev://wwn={}", next++);
    const Inventory inventory = inventory_of({p});
    const PartIndex index(inventory);
    std::vector<Case> cases;
    for (const auto& [guid, disk] : p.disks) cases.push_back(about(disk));
    std::vector<const Case*> open;
    for (const Case& c : cases) open.push_back(&c);
    for (const PullOrder& order : pull_orders(open, {inventory, index})) {
      ASSERT_GE(order.disks.size(), 2u);
      EXPECT_TRUE(
          order.text.starts_with("Pull one disk of pool tank at a time, ") ||
          order.text.starts_with("If you have to pull disks of pool tank, pull one at a time, "))
          << order.text;
      EXPECT_EQ(order.together, order.text.find("may no longer") == order.text.npos) << order.text;
      ++(order.together ? together : one_by_one);
      const std::set<std::string> all(order.disks.begin(), order.disks.end());
      ASSERT_FALSE(order.together && is_harmed_by(p, all)) << "world " << world << "\n"
                                                           << described(p) << order.text;
    }
  }
  EXPECT_GT(together, 10);
  EXPECT_GT(one_by_one, 100);
}

// "4+ 3": a raidz2 whose disks 4 and 3 are faulted, the first beside a spare that holds all data.
// "5d" still works, marked degraded. "5h" is only too hot.
std::vector<PullOrder> orders_of_raidz(const std::vector<std::string>& ailing) {
  const auto text = [](std::string value) { return Value(std::move(value)); };
  std::vector<Resource> all;
  std::vector<Edge> leaves;
  std::vector<Case> cases;
  int64_t opened_ns = 0;
  for (const std::string& one : ailing) {
    const std::string n(1, one.front());
    const std::string fmri = "zfs://pool=1/vdev=" + n, disk = "dev://wwn=" + n;
    all.push_back(made(disk, "disk", {{"serial", text("S" + n)}}, {}));
    all.push_back(made(fmri, "zfs-vdev",
                       {{"name", text("sd" + n)},
                        {"pool", text("tank")},
                        {"role", text("data")},
                        {"group", text("zfs://pool=1")},
                        {"losses_group", text("raidz2-0")},
                        {"losses_left", int64_t{1}},
                        {"service", text(one.ends_with('d')   ? "degraded"
                                         : one.ends_with('h') ? "in-service"
                                                              : "out-of-service")},
                        {"spare", text(one.ends_with('+') ? "active" : "none")}},
                       {{Relation::redundancy, disk}}));
    leaves.push_back({Relation::redundancy, fmri});
    cases.push_back(about(disk));
    cases.back().opened_ns = ++opened_ns;
    cases.back().replaces = !one.ends_with('h');
  }
  all.push_back(made("zfs://pool=1/vdev=9", "zfs-vdev",
                     {{"name", text("raidz2-0")}, {"vdev_type", text("raidz")}}, leaves));
  all.push_back(made("zfs://pool=1", "zfs-pool",
                     {{"name", text("tank")}, {"health", text("DEGRADED")}},
                     {{Relation::redundancy, "zfs://pool=1/vdev=9"}}));
  Inventory inventory;
  inventory.apply({"t", std::move(all), {}, true});
  const PartIndex index(inventory);
  std::vector<const Case*> open;
  for (const Case& c : cases) open.push_back(&c);
  return pull_orders(open, {inventory, index});
}

// The first to be replaced is the one whose replacement restores redundancy.
TEST(PullOrder, ADiskWithoutASpareIsFirst) {
  const auto order = [](const std::vector<std::string>& ailing) {
    const auto orders = orders_of_raidz(ailing);
    EXPECT_EQ(orders.size(), 1u);
    std::string disks;
    if (!orders.empty())
      for (const std::string& disk : orders.front().disks) disks += disk.back();
    return disks + ": " + (orders.empty() ? "" : orders.front().text);
  };
  EXPECT_EQ(order({"4+", "3"}),
            "34: Pull one disk of pool tank at a time, disk 3 first: no spare holds its data.");
  EXPECT_EQ(order({"4+", "3", "2"}),
            "324: Pull one disk of pool tank at a time, disk 3 first: no spare holds its data.");
  EXPECT_EQ(order({"4", "3"}), "43: Pull one disk of pool tank at a time, disk 4 first.");
  EXPECT_EQ(order({"5d", "4+", "3"}),
            "345: Pull one disk of pool tank at a time, disk 3 first: no spare holds its data.")
      << "the pool works with disk 5";
  EXPECT_TRUE(orders_of_raidz({"4+"}).empty());
}

// A warm disk has a case too, and nobody wants it pulled.
TEST(PullOrder, OnlyDisksToReplaceCount) {
  EXPECT_TRUE(orders_of_raidz({"5h", "6h"}).empty());
  EXPECT_TRUE(orders_of_raidz({"5h", "4"}).empty());
  const auto orders = orders_of_raidz({"6h", "4", "3"});
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].disks, (std::vector<std::string>{"dev://wwn=4", "dev://wwn=3"}));
}

TEST(PullSafety, SaysWhatItCannotSee) {
  Dice dice(5);
  const RandomPool p = random_pool(dice, "tank", 1);
  Inventory inventory = inventory_of({p});
  EXPECT_EQ(pull_safety(inventory, "dev://wwn=nobody").why, "fmd cannot see this disk");
  Resource plugin;
  plugin.fmri = "fmd://plugin=zfs";
  plugin.type = "plugin";
  plugin.properties["state"] = "dead";
  inventory.apply({"fmd", {plugin}, {}, true});
  const PullSafety safety = pull_safety(inventory, p.disks.begin()->second);
  EXPECT_FALSE(safety.yes());
  EXPECT_EQ(safety.why, "fmd cannot see pool tank: fmd-zfs does not observe it now");
}

TEST(PullSafety, NamesTheImportThatAPoolWaitsFor) {
  Dice dice(5);
  const RandomPool p = random_pool(dice, "tank", 1);
  Inventory inventory = inventory_of({p});
  const auto pool = std::find_if(inventory.all().begin(), inventory.all().end(),
                                 [](const auto& entry) { return entry.second.type == "zfs-pool"; });
  ASSERT_NE(pool, inventory.all().end());
  Resource waiting = pool->second;
  waiting.properties["observed"] = "not-observed";
  waiting.properties["waits_for"] = "import";
  inventory.apply({"zfs", {waiting}, {}, false});
  EXPECT_EQ(
      pull_safety(inventory, p.disks.begin()->second).why,
      "fmd cannot see pool tank: a 'zpool import' runs, and other zpool commands wait for its end");
}

// An order to wait, or not to pull the disk, is not shown beside "Safe to pull: yes".
TEST(PullSafety, NoOrderToWaitIsBesideAYes) {
  int waits = 0;
  const auto look = [&](const ToldWorld& world) {
    const Say say = world.say();
    for (const char* order :
         {"Do not pull", "Wait", "before you pull", ", and replace it when ", " first: pool tank "})
      if (say.do_now.find(order) != std::string::npos) {
        ++waits;
        EXPECT_FALSE(say.safe_to_pull.yes()) << say.do_now << " " << say.safe_to_pull.why;
      }
  };
  each_world([&](const FaultClass&, SayState, const ToldWorld& world) {
    look(world);
    ToldWorld spare = world, rehearsed = world;
    spare.offer_spare();
    look(spare);
    rehearsed.rehearse();
    look(rehearsed);
    if (!world.of_disk()) return;
    ToldWorld lost = world;
    lost.lose_disk(5);
    look(lost);
    lost.put_back(5);
    look(lost);
  });
  EXPECT_GT(waits, 30);
}

}  // namespace
}  // namespace fmd::test
