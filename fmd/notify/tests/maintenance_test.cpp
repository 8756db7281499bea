// Maintenance windows: which cases they cover, and what is reported when.
#include "fmd/notify/maintenance.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "fmd/notify/alerts.h"
#include "fmd/notify/tests/telling_rig.h"

namespace fmd::maintenance_test {
namespace {

constexpr int64_t kHour = 3600 * kSecondNs;

MaintenanceWindow window(const std::string& scope, int64_t from, int64_t until) {
  return {"", scope, scope.empty() ? "" : "it", from, until, "new backplane", "root"};
}

TEST(Maintenance, CoversThePartAndWhatIsInIt) {
  Inventory inventory;
  InventoryUpdate update;
  update.source = "test";
  for (const auto& [fmri, type] : std::map<std::string, std::string>{
           {"zfs://pool=11", "zfs-pool"}, {"zfs://pool=11/vdev=22", "zfs-vdev"}}) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    if (type == "zfs-pool") r.edges = {{Relation::redundancy, "zfs://pool=11/vdev=22"}};
    update.resources.push_back(std::move(r));
  }
  inventory.apply(update);
  const Case c = solved_case();
  const auto covers = [&](const std::string& scope) {
    Maintenance maintenance;
    EXPECT_TRUE(maintenance.add(window(scope, 0, kHour), 1));
    return maintenance.covering(c, inventory, 5) != nullptr;
  };
  EXPECT_TRUE(covers(""));
  EXPECT_TRUE(covers("hc://chassis=1"));
  EXPECT_TRUE(covers("hc://chassis=1/bay=6"));
  EXPECT_TRUE(covers("dev://wwn=5000c500a0000006"));
  EXPECT_TRUE(covers("zfs://pool=11"));
  EXPECT_FALSE(covers("hc://chassis=1/bay=60"));
  EXPECT_FALSE(covers("hc://chassis=1/bay=7"));
  EXPECT_FALSE(covers("zfs://pool=12"));
}

TEST(Maintenance, EverySuspectMustBeInIt) {
  Maintenance maintenance;
  ASSERT_TRUE(maintenance.add(window("hc://chassis=1/bay=6", 0, kHour), 1));
  Case c = solved_case();
  Suspect other = vdev_suspect();
  other.resource = other.asru = "zfs://pool=11/vdev=23";
  other.fru = "dev://wwn=7";
  other.bay = "hc://chassis=1/bay=7";
  c.suspects.push_back(other);
  EXPECT_FALSE(maintenance.covering(c, Inventory(), 5));
  c.suspects.back().status = SuspectStatus::acquitted;
  EXPECT_TRUE(maintenance.covering(c, Inventory(), 5));
}

TEST(Maintenance, HasABeginningAnEndAndAReason) {
  Maintenance maintenance;
  EXPECT_FALSE(maintenance.add(window("", 0, kHour), kHour)) << "over already";
  EXPECT_FALSE(maintenance.add(window("", 0, 40 * 24 * kHour), 1)) << "too long";
  MaintenanceWindow mute = window("", 0, kHour);
  mute.reason.clear();
  EXPECT_FALSE(maintenance.add(mute, 1));
  ASSERT_TRUE(maintenance.add(window("", kHour, 2 * kHour), 1));
  const Case c = solved_case();
  EXPECT_FALSE(maintenance.covering(c, Inventory(), kHour - 1));
  EXPECT_TRUE(maintenance.covering(c, Inventory(), kHour));
  EXPECT_FALSE(maintenance.covering(c, Inventory(), 2 * kHour));
  EXPECT_TRUE(maintenance.on_time(2 * kHour - 1).empty());
  EXPECT_EQ(maintenance.next_change_ns({kHour, 7}), 7 + kHour);
  EXPECT_EQ(maintenance.on_time(2 * kHour).size(), 1u);
  EXPECT_FALSE(maintenance.next_change_ns({kHour, 7}));
}

TEST(Maintenance, OutlivesARestart) {
  Maintenance before;
  ASSERT_EQ(*before.add(window("x", 0, kHour), 1), "1");
  ASSERT_EQ(*before.add(window("y", 0, kHour), 1), "2");
  EXPECT_FALSE(before.end("nine"));
  ASSERT_TRUE(before.end("1"));
  std::map<std::string, std::string> rows;
  for (const StateRow& row : before.take_changes()) rows[row.key] = row.doc;
  EXPECT_EQ(rows["1"], "");
  Maintenance after;
  ASSERT_TRUE(after.restore({{"maintenance", "2", rows["2"]}}));
  EXPECT_EQ(after.list(5), before.list(5));
  EXPECT_EQ(*after.add(window("z", 0, kHour), 1), "3");
}

// The messages about a case while `under_work` holds them back.
class HeldTest : public ::testing::Test, public TellingRig {
 protected:
  void SetUp() override {
    held = [this](const Case&) { return under_work; };
  }
  void end() {
    under_work = false;
    telling().let_go();
  }
  bool under_work = true;
};

TEST_F(HeldTest, WhatIsStillSoIsToldAtTheEndAndSaysWhyLate) {
  const Case& c = add(solved_case());
  news("diagnosed", c);
  EXPECT_TRUE(pass(7200).empty());
  EXPECT_FALSE(telling().next_deadline_ns()) << "it does not spin meanwhile";
  const auto withheld = telling().take_withheld();
  ASSERT_EQ(withheld.size(), 1u);
  EXPECT_EQ(withheld[0].event, CaseEvent::diagnosed);
  end();
  const auto told = pass(1);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "diagnosed");
  ASSERT_EQ(told[0].whats_new.size(), 1u);
  EXPECT_NE(told[0].whats_new[0].find("maintenance"), std::string::npos);
  EXPECT_TRUE(pass(7200).empty()) << "once";
}

TEST_F(HeldTest, WhatIsOverByThenIsOnlyInTheBook) {
  Case& c = add(solved_case());
  news("diagnosed", c);
  EXPECT_TRUE(pass(60).empty());
  resolve(c);
  const auto told = pass(60);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].unsent, "");
  end();
  EXPECT_TRUE(pass(60).empty());
}

TEST_F(HeldTest, RepairedButNotResolvedWaitsToo) {
  Case& c = add(solved_case());
  news("diagnosed", c);
  EXPECT_TRUE(pass(60).empty());
  resolve(c, "repaired");
  EXPECT_TRUE(pass(60).empty());
  end();
  const auto told = pass(60);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "repaired");
  EXPECT_EQ(told[0].unsent, "");
}

TEST_F(HeldTest, WhoKnowsOfACaseHearsItsEndDuringTheWork) {
  under_work = false;
  Case& c = add(solved_case());
  news("diagnosed", c);
  ASSERT_EQ(pass(1).size(), 1u);
  under_work = true;
  act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare);
  EXPECT_TRUE(pass(3600).empty()) << "an update waits";
  resolve(c);
  const auto told = pass(60);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "resolved");
  EXPECT_EQ(told[0].unsent, "");
}

TEST_F(HeldTest, UpdatesOfTheWindowComeAsOneAfterIt) {
  under_work = false;
  Case& c = add(solved_case());
  news("diagnosed", c);
  ASSERT_EQ(pass(1).size(), 1u);
  under_work = true;
  act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare);
  pass(600);
  act(c, ActionKind::replace, ActionState::refused, Obstacle::not_accepted, "too small");
  EXPECT_TRUE(pass(600).empty());
  end();
  const auto told = pass(10);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].whats_new.size(), 2u);
}

TEST_F(HeldTest, WhatPassedDuringTheWindowIsNotTold) {
  under_work = false;
  Case& c = add(solved_case());
  news("diagnosed", c);
  ASSERT_EQ(pass(1).size(), 1u);
  under_work = true;
  act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare);
  pass(600);
  act(c, ActionKind::spare, ActionState::resilvering);
  pass(600);
  end();
  EXPECT_TRUE(pass(600).empty());
}

TEST_F(HeldTest, ARestartDuringTheWindowLosesNothing) {
  const Case& c = add(solved_case());
  news("diagnosed", c);
  EXPECT_TRUE(pass(60).empty());
  restart();
  EXPECT_TRUE(pass(60).empty());
  end();
  EXPECT_EQ(pass(1).size(), 1u);
}

}  // namespace
}  // namespace fmd::maintenance_test
