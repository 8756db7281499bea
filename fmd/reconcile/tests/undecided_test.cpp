// Two disks of one path failed within minutes: it may be the disks, or what they share.
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

class UndecidedTest : public ReconcilerTest {
 protected:
  UndecidedTest() {
    rule_text += R"(
[[rule]]
name = "shared"
kind = "cause"
faults = ["fault.t.bad"]
along = ["path"]
parts = "disk"
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
  // Eight disks behind one controller, of which two fail 100 s apart. A broken controller would make a
  // third fail within 200 s.
  void two_of_eight() {
    std::vector<Edge> edges;
    for (int i = 1; i <= 8; ++i) {
      if (i > 4) put_disk(disk(i), "S" + std::to_string(i), "used");
      edges.push_back({Relation::path, disk(i)});
    }
    put("hc://hba=1", "hba", {{"name", "HBA 1"}}, edges);
    convict(1);
    later(100);
    convict(2);
    later(125);
  }
  void later(int64_t seconds) {
    for (int64_t i = 0; i < seconds; i += 5) {
      wait(5);
      engine->on_time(now);
    }
    hear();
  }
  bool retires(const Lines& sent, int n) const {
    return std::any_of(sent.begin(), sent.end(),
                       [&](const std::string& s) { return s.starts_with("retire " + vdev(n)); });
  }
};

TEST_F(UndecidedTest, NothingIsRetiredAndNoSpareIsUsed) {
  two_of_eight();
  EXPECT_TRUE(act().empty()) << "no LED either";
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "refused undecided");
  EXPECT_EQ(state(), "SOLVED");
  restart();
  EXPECT_TRUE(act().empty());
  later(80);
  EXPECT_TRUE(retires(act(), 1)) << "no other one has failed";
}

TEST_F(UndecidedTest, NorWhereZfsHasTakenItOutItself) {
  two_of_eight();
  put_vdev(1, {{"service", "out-of-service"}, {"state", "FAULTED"}});
  EXPECT_TRUE(act().empty());
  EXPECT_EQ(action(ActionKind::spare, vdev(1)), "waiting undecided");
  // The timeline has the doubt once, which may be counted differently a moment later.
  const auto& timeline = the_case().timeline;
  EXPECT_EQ(std::count_if(timeline.begin(), timeline.end(),
                          [](const TimelineEntry& e) {
                            return e.text.find("disks behind") != std::string::npos;
                          }),
            1);
  EXPECT_EQ(timeline.back().text, "no spare is brought in for vdev1 until that is decided");
}

TEST_F(UndecidedTest, TheLastOneLeftIsRetired) {
  two_of_eight();
  act();
  judge(Engine::Verdict::acquitted, "case-1");
  later(100);
  const Lines sent = act();
  EXPECT_TRUE(retires(sent, 2));
  EXPECT_FALSE(retires(sent, 1));
}

}  // namespace
}  // namespace fmd::test
