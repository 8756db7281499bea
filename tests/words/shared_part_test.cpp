// Advice about a part that several disks share: its pools by name, their redundancy, and no placeholder for one pool.
#include <gtest/gtest.h>

#include <algorithm>

#include "fmd/advice/say.h"
#include "tests/lib/made.h"
#include "tests/words/told_machine.h"

namespace fmd::test {
namespace {

constexpr const char* kController = "dev://pci=0000:00:02.0";

Case about_controller() {
  Case c;
  c.uuid = "3f6d2c40-0000-4000-8000-000000000003";
  c.state = CaseState::solved;
  c.severity = "Critical";
  c.title = "Several disks fail together";
  c.action =
      "Pull no disk: check the cable. Then run 'zpool clear POOL' and 'zpool scrub POOL' for each "
      "of "
      "their pools. A disk that md has taken out of an array does not come back by itself: run "
      "'mdadm /dev/ARRAY --re-add' with its device afterwards.";
  Suspect s;
  s.resource = s.fru = kController;
  c.suspects = {std::move(s)};
  return c;
}

Inventory behind_one_controller(bool second_pool, bool array) {
  Inventory inventory = machine();
  std::vector<Edge> disks;
  for (int n = 0; n < kDisks; ++n) disks.push_back({Relation::path, disk(n)});
  InventoryUpdate more{
      "more", {made(kController, "hba", {{"name", text("HBA")}}, disks)}, {}, true};
  if (second_pool)
    more.resources.push_back(made("zfs://pool=8", "zfs-pool", {{"name", text("dozer")}},
                                  {{Relation::redundancy, disk(1)}}));
  if (array)
    more.resources.push_back(made("md://uuid=1", "md-array", {{"name", text("md0")}},
                                  {{Relation::redundancy, disk(2)}}));
  inventory.apply(more);
  return inventory;
}

std::string steps_with(bool second_pool, bool array) {
  const Inventory inventory = behind_one_controller(second_pool, array);
  const PartIndex index(inventory);
  std::string out;
  for (const std::string& step : say_of(about_controller(), {inventory, index}).steps)
    out += step + "\n";
  return out;
}

TEST(SharedPart, NamesTheOnlyPool) {
  EXPECT_EQ(steps_with(false, false), "Then run 'zpool clear tank' and 'zpool scrub tank'.\n");
}

TEST(SharedPart, NamesEachOfSeveralPools) {
  const std::string steps = steps_with(true, false);
  EXPECT_NE(steps.find("for each of the pools tank and dozer."), std::string::npos) << steps;
}

TEST(SharedPart, NamesTheArray) {
  const std::string steps = steps_with(false, true);
  EXPECT_NE(steps.find("'mdadm /dev/md0 --re-add'"), std::string::npos) << steps;
}

TEST(SharedPart, TellsTheRedundancyOfItsPools) {
  const Inventory inventory = behind_one_controller(false, false);
  const PartIndex index(inventory);
  const Say say = say_of(about_controller(), {inventory, index});
  EXPECT_EQ(say.redundancy, "pool tank survives 2 more disks");
  EXPECT_EQ(say.safe_to_pull.answer, PullSafety::Answer::not_a_part);
}

}  // namespace
}  // namespace fmd::test
