// [fault.repair]: whose doing repairs, and which end of what was found.
#include <gtest/gtest.h>

#include "fmd/diagnosis/engine.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::kSecond;
using test::kStart;
using test::Rig;

std::string rules_with(const std::string& repair) {
  return R"(
[[rule]]
name = "error"
kind = "immediate"
events = ["ereport.t.error"]
fault = "fault.t.broken"
[[rule]]
name = "dead"
kind = "immediate"
events = ["ereport.t.dead"]
hold = "15s"
fault = "fault.t.broken"
[[rule]]
name = "state"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["FAULTED"]
fault = "fault.t.broken"
[[rule]]
name = "hot"
kind = "threshold"
type = "zfs-vdev"
property = "temperature"
above = 60
fault = "fault.t.broken"
[[fault]]
class = "fault.t.broken"
dictionary = "T"
number = 1
severity = "Major"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
)" + repair;
}

const char* const kByAdministrator =
    "on = [\"sysevent.t.clear\"]\nwhere = { by = [\"administrator\"] }\n";

class Repair : public ::testing::Test {
 protected:
  void clear(const std::vector<std::pair<std::string, Value>>& members) {
    rig.send("sysevent.t.clear", Rig::vdev(1), now += kSecond, members);
  }
  void look(const Rig::Properties& properties) {
    rig.put(Rig::vdev(1), "zfs-vdev", properties, {}, now += kSecond);
  }
  Rig rig{rules_with(kByAdministrator)};
  int64_t now = kStart;
};

TEST_F(Repair, ByAnEventThatSaysWhoseDoingItIs) {
  rig.send("ereport.t.error", Rig::vdev(1), now);
  clear({});
  clear({{"by", std::string("unknown")}});
  EXPECT_EQ(rig.states(), "SOLVED");
  clear({{"by", std::string("administrator")}});
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST_F(Repair, AHoldIsDroppedByTheSameEventOnly) {
  rig.send("ereport.t.dead", Rig::vdev(1), now);
  clear({{"by", std::string("unknown")}});
  EXPECT_EQ(rig.states(), "UNSOLVED");
  clear({{"by", std::string("administrator")}});
  EXPECT_EQ(rig.states(), "");
}

// Errors wait for their verdict while the same fault, found in another way, begins and ends.
TEST(RepairByValue, WhatWaitsIsDroppedWhenTheSameFaultEnds) {
  Rig rig{rules_with("when = { state = [\"ONLINE\"] }\n")};
  int64_t now = kStart;
  const auto look = [&](const char* state) {
    rig.put(Rig::vdev(1), "zfs-vdev", {{"state", std::string(state)}}, {}, now += kSecond);
  };
  rig.send("ereport.t.dead", Rig::vdev(1), now);
  look("FAULTED");
  EXPECT_EQ(rig.states(), "UNSOLVED SOLVED");
  look("ONLINE");
  EXPECT_EQ(rig.states(), "RESOLVED");
  rig.engine->on_time(now += 60 * kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED") << "what the errors were about is over";
  rig.send("ereport.t.dead", Rig::vdev(1), now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED UNSOLVED") << "a new error counts";
}

TEST(RepairByValue, TheOtherValueMayComeWhileTheVerdictIsHeld) {
  for (const bool comes_back : {false, true}) {
    Rig rig{rules_with("when = { state = [\"ONLINE\"] }\n")};
    int64_t now = kStart;
    const auto look = [&](const char* state, int64_t errors) {
      rig.put(Rig::vdev(1), "zfs-vdev", {{"state", std::string(state)}, {"errors", errors}}, {},
              now += kSecond);
    };
    look("ONLINE", 0);
    rig.send("ereport.t.dead", Rig::vdev(1), now);
    look("DEGRADED", 1);
    if (comes_back) look("ONLINE", 1);
    EXPECT_EQ(rig.states(), "UNSOLVED");
    rig.engine->on_time(now += 60 * kSecond);
    EXPECT_EQ(rig.states(), "SOLVED");
    look("ONLINE", 2);
    EXPECT_EQ(rig.states(), comes_back ? "SOLVED" : "RESOLVED")
        << "a good value that was there before the verdict says nothing";
  }
}

TEST_F(Repair, AnOpenCaseKeepsWhatItWasOpenedWith) {
  rig.send("ereport.t.error", Rig::vdev(1), now);
  const auto rows = rig.engine->take_changes();
  rig.rules = test::rules_of(rules_with("on = [\"sysevent.t.clear\"]\n"), rig.schema);
  rig.engine = std::make_unique<Engine>(rig.rules, [] { return std::string("2"); });
  ASSERT_TRUE(rig.engine->restore(rows));
  clear({{"by", std::string("unknown")}});
  EXPECT_EQ(rig.states(), "SOLVED");
  clear({{"by", std::string("administrator")}});
  EXPECT_EQ(rig.states(), "RESOLVED");
}

// One class, found by events, by a state and by a limit: each has its own end.
class RepairEnds : public Repair {
 protected:
  void SetUp() override {
    rig.rules = test::rules_of(rules_with("when = { state = [\"ONLINE\"] }\nwhen_clear = true\n"),
                               rig.schema);
    rig.engine->set_rules(rig.rules);
    look({{"state", std::string("ONLINE")}, {"temperature", int64_t{30}}});
  }
};

TEST_F(RepairEnds, TheGoodValueOfThePropertyThatWasBad) {
  look({{"state", std::string("FAULTED")}});
  EXPECT_EQ(rig.states(), "SOLVED");
  look({{"state", std::string("OFFLINE")}});  // its condition is gone, and nothing is well
  EXPECT_EQ(rig.states(), "SOLVED");
  look({{"state", std::string("ONLINE")}});
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST_F(RepairEnds, TheGoodValueAfterAnother) {
  rig.send("ereport.t.error", Rig::vdev(1), now += kSecond);
  look({{"state", std::string("ONLINE")}});  // observed before the news got there
  EXPECT_EQ(rig.states(), "SOLVED");
  look({{"state", std::string("DEGRADED")}});
  look({{"state", std::string("ONLINE")}});
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST_F(RepairEnds, AnotherConditionsEndIsItsOwn) {
  look({{"state", std::string("DEGRADED")}, {"temperature", int64_t{70}}});
  EXPECT_EQ(rig.states(), "SOLVED");
  look({{"state", std::string("ONLINE")}, {"temperature", int64_t{70}}});
  EXPECT_EQ(rig.states(), "SOLVED");  // it is hot still
  look({{"state", std::string("DEGRADED")}, {"temperature", int64_t{30}}});
  EXPECT_EQ(rig.states(), "RESOLVED");
}

}  // namespace
}  // namespace fmd
