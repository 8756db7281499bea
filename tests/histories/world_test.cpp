// Tests that the world behaves as ZFS does; otherwise the histories prove nothing.
#include <gtest/gtest.h>

#include "carry_out.h"
#include "look.h"
#include "names.h"
#include "world.h"

namespace fmd::histories {
namespace {

constexpr Hand kPerson{Hand::Who::person, {}, false}, kZed{Hand::Who::zed, {}, false};

Shape shape_of(TopShape top, int spares) {
  Shape shape;
  shape.pools.push_back({{top}, spares, 10});
  shape.bay_known.assign(static_cast<size_t>(shape.bays()), true);
  shape.leds.assign(static_cast<size_t>(shape.bays()), LedShape::works);
  return shape;
}

const TopShape kMirror{TopShape::Type::mirror, 0, 2}, kRaidz2{TopShape::Type::raidz, 2, 5};

Command command(CommandName name, int leaf, const std::string& args, const std::string& key) {
  Command c;
  c.name = name;
  c.resource = leaf_fmri(0, leaf);
  c.args = args;
  c.key = key;
  return c;
}

class WorldTest : public testing::Test {
 protected:
  CommandResult run(CommandName name, int leaf, const std::string& args, const std::string& key) {
    return carry_out(world, command(name, leaf, args, key), false, now);
  }
  CommandResult retire(int leaf, const std::string& to, const std::string& key) {
    return run(CommandName::retire, leaf, R"({"to":")" + to + R"("})", key);
  }
  void pass(Ns time) {
    now += time;
    world.tick(now);
  }
  std::string told(int leaf, const char* property) {
    return look(world, Source::zfs).at(leaf_fmri(0, leaf)).get(property);
  }

  World world{shape_of(kRaidz2, 1)};  // leafs 0 to 4 and spare 5
  Ns now = 0;
};

TEST_F(WorldTest, ThePluginRefusesTheLastCopy) {
  EXPECT_EQ(retire(0, "out-of-service", "a").status, CommandStatus::done);
  EXPECT_EQ(retire(1, "degraded", "b").status, CommandStatus::done);
  EXPECT_NE(told(2, "retire_refusal"), "");
  EXPECT_EQ(retire(2, "out-of-service", "c").status, CommandStatus::refused);
  EXPECT_EQ(world.state(2), VdevState::online);
  EXPECT_EQ(told(2, "degrade_refusal"), "");
  EXPECT_EQ(retire(2, "degraded", "d").status, CommandStatus::done) << "that takes no copy away";
}

TEST_F(WorldTest, TheKernelKeepsTheLastReadableCopy) {
  World mirror{shape_of(kMirror, 0)};
  EXPECT_EQ(mirror.offline(0, kPerson), "");
  EXPECT_NE(mirror.offline(1, kPerson), "");
  mirror.pull(1);
  EXPECT_TRUE(mirror.pools[0].suspended);
  EXPECT_EQ(mirror.fault(1, kZed), "it is no vdev in use");
}

TEST_F(WorldTest, WhoMadeItSoIsKnownUntilSomebodyElseChangesIt) {
  retire(0, "degraded", "a");
  EXPECT_EQ(told(0, "retired_by"), "a");
  retire(0, "out-of-service", "b");
  EXPECT_EQ(told(0, "retired_by"), "b");
  EXPECT_EQ(run(CommandName::restore, 0, R"({"key":"a"})", "u").status, CommandStatus::refused);
  EXPECT_EQ(told(0, "state_by"), "fmd");
  world.online(0, kPerson, false);
  EXPECT_EQ(told(0, "state"), "FAULTED") << "only a clear ends that";
  world.clear(0, kPerson);
  EXPECT_EQ(told(0, "state"), "ONLINE");
  EXPECT_EQ(told(0, "retired_by"), "");
  world.offline(0, kPerson);
  EXPECT_EQ(told(0, "state_by"), "administrator");
  EXPECT_EQ(run(CommandName::restore, 0, R"({"key":"b"})", "v").status, CommandStatus::refused);
}

TEST_F(WorldTest, AnOfflineByHandOfWhatFmdHadOutIsRespected) {
  retire(0, "out-of-service", "a");
  world.offline(0, kPerson);
  EXPECT_EQ(told(0, "retired_by"), "a");
  EXPECT_EQ(run(CommandName::restore, 0, R"({"key":"a"})", "u").status, CommandStatus::refused);
  EXPECT_EQ(run(CommandName::restore, 0, R"({"by":"person"})", "v").status, CommandStatus::done);
}

TEST_F(WorldTest, RestoreBringsItBackAndResilvers) {
  retire(0, "out-of-service", "a");
  EXPECT_EQ(run(CommandName::restore, 0, R"({"key":"a"})", "u").status, CommandStatus::done);
  pass(0);
  EXPECT_FALSE(world.leafs[0].full);
  EXPECT_EQ(told(0, "busy"), "resilver");
  pass(5 * kSec);
  EXPECT_TRUE(world.leafs[0].full);
  EXPECT_TRUE(world.notices.empty()) << "echoes of fmd's own are left out";
}

TEST_F(WorldTest, ASpareResilversAndLeavesWhenTheDiskIsCleared) {
  retire(0, "degraded", "a");
  EXPECT_EQ(run(CommandName::spare_in, 0, "{}", "s").status, CommandStatus::done);
  EXPECT_EQ(told(0, "spare"), "resilvering");
  EXPECT_EQ(told(0, "spare_key"), "s");
  EXPECT_TRUE(run(CommandName::spare_in, 0, "{}", "t").already);
  pass(10 * kSec);
  EXPECT_EQ(told(0, "spare"), "active");
  EXPECT_EQ(run(CommandName::spare_out, 0, R"({"key":"s"})", "o").status, CommandStatus::refused);
  world.clear(0, kPerson);
  pass(5 * kSec);
  EXPECT_EQ(told(0, "spare"), "none");
  EXPECT_EQ(world.spares_available(0), 1);
}

TEST_F(WorldTest, AReplacementTakesTheOldOnesPlaceAndFreesTheSpare) {
  retire(0, "out-of-service", "a");
  run(CommandName::spare_in, 0, "{}", "s");
  pass(10 * kSec);
  world.pull(0);
  const int blank = 6, used = blank + 3;
  world.put(used, 0);
  const auto by = [](int disk) { return R"({"device":")" + disk_fmri(disk) + R"("})"; };
  EXPECT_EQ(run(CommandName::replace, 0, by(used), "r").status, CommandStatus::failed);
  world.pull(used);
  world.put(blank, 0);
  EXPECT_EQ(run(CommandName::replace, 0, by(blank), "r2").status, CommandStatus::done);
  EXPECT_NE(told(0, "replacing"), "");
  const Picture before = look(world, Source::zfs);
  pass(10 * kSec);
  const InventoryUpdate update =
      as_update(world, Source::zfs, before, look(world, Source::zfs), false);
  bool gone = false;
  for (const auto& g : update.gone)
    gone = gone || (g.fmri == leaf_fmri(0, 0) && g.reason == "replaced" &&
                    g.replaced_by == leaf_fmri(0, 6));
  EXPECT_TRUE(gone);
  EXPECT_EQ(world.spares_available(0), 1);
}

TEST_F(WorldTest, APulledDiskIsRemovedAndComesBackOnlyWhenSomebodySaysSo) {
  world.pull(3);
  EXPECT_EQ(told(3, "service"), "removed");
  EXPECT_EQ(world.notices.back().event_class, "resource.fs.zfs.removed");
  world.put(3, 3);
  EXPECT_EQ(told(3, "service"), "removed");
  world.online(3, kZed, true);
  EXPECT_EQ(told(3, "service"), "in-service");
  EXPECT_EQ(world.notices.back().by, "unknown");
}

TEST_F(WorldTest, ALightIsWhoseItIs) {
  world.set_led(0, false, true, kPerson);
  EXPECT_EQ(world.bays[0].fault_by, LitBy::other);
  world.set_led(0, false, true, {Hand::Who::fmd, "k", false});
  EXPECT_EQ(world.bays[0].fault_by, LitBy::unclear);
  world.set_led(1, false, true, {Hand::Who::fmd, "k", false});
  EXPECT_EQ(world.bays[1].fault_by, LitBy::fmd);
}

}  // namespace
}  // namespace fmd::histories
