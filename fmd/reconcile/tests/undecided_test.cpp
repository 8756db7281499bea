// Where several disks of one path failed at once, and it is not clear whether it is the disks.
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

class UndecidedTest : public ReconcilerTest {
 protected:
  UndecidedTest() {
    rule_text += R"(
[[rule]]
name = "shared"
kind = "common"
faults = ["fault.t.bad"]
along = ["path"]
parts = "disk"
count = 2
within = "60s"
wait = "5s"
fault = "fault.t.shared"

[[fault]]
class = "fault.t.shared"
dictionary = "TEST"
number = 9
severity = "Critical"
title = "shared"
description = "shared"
response = "shared"
impact = "shared"
action = "shared"
)";
  }
  // Eight disks on one controller, three of them fail.
  void three_of_eight() {
    std::vector<Edge> edges;
    for (int i = 1; i <= 8; ++i) {
      if (i > 4) put_disk(disk(i), "S" + std::to_string(i), "used");
      edges.push_back({Relation::path, disk(i)});
    }
    put("hc://hba=1", "hba", {{"name", "HBA 1"}}, edges);
    for (int i = 1; i <= 3; ++i) convict(i);
    wait(61);
    engine->on_time(now);
    hear();
  }
};

TEST_F(UndecidedTest, NothingIsRetiredAndNoSpareIsUsed) {
  three_of_eight();
  for (const std::string& sent : act()) EXPECT_NE(sent.find("set_led"), std::string::npos) << sent;
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "refused undecided");
  EXPECT_EQ(state(), "SOLVED");
  wait(86400);
  restart();
  EXPECT_TRUE(act().empty()) << "time alone decides nothing";
}

TEST_F(UndecidedTest, NorWhereZfsHasTakenItOutItself) {
  three_of_eight();
  put_vdev(1, {{"service", "out-of-service"}, {"state", "FAULTED"}});
  for (const std::string& sent : act()) EXPECT_NE(sent.find("set_led"), std::string::npos) << sent;
  EXPECT_EQ(action(ActionKind::spare, vdev(1)), "waiting undecided");
}

TEST_F(UndecidedTest, TheLastOneLeftIsRetired) {
  three_of_eight();
  act();
  judge(Engine::Verdict::acquitted, "case-1");
  judge(Engine::Verdict::repaired, "case-2");
  const Lines sent = act();
  EXPECT_EQ(std::count_if(
                sent.begin(), sent.end(),
                [](const std::string& s) { return s.starts_with("retire zfs://pool=1/vdev=3"); }),
            1);
}

}  // namespace
}  // namespace fmd::test
