// Two plugins contradict each other about a disk's identity (schemas/resources.md, "disputed").
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

const std::string kWhy =
    "its disk cannot be identified for certain: according to fmd-redfish its "
    "serial is OTHER";

class DisputedTest : public ReconcilerTest {
 protected:
  void dispute(bool is_disputed) {
    put(disk(1), "disk",
        {{"serial", "S1"},
         {"path", "/dev/sdS1"},
         {"content", "used"},
         {"disputed", is_disputed ? "according to fmd-redfish its serial is OTHER" : ""}},
        {});
  }
  // All commands except those for LEDs.
  Lines sent() {
    Lines out;
    for (std::string& line : act())
      if (line.find("set_led") == std::string::npos) out.push_back(std::move(line));
    return out;
  }
};

TEST_F(DisputedTest, ItIsNotTakenOutUntilThatIsSettled) {
  dispute(true);
  convict(1);
  EXPECT_EQ(sent(), Lines{});
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "refused disputed");
  EXPECT_EQ(engine->find_case("case-1")->find_action(ActionKind::retire, vdev(1))->detail, kWhy);
  wait(86400);
  EXPECT_EQ(sent(), Lines{}) << "time alone decides nothing";
  dispute(false);
  const Lines now_sent = sent();
  ASSERT_FALSE(now_sent.empty());
  EXPECT_TRUE(now_sent[0].starts_with("retire " + vdev(1))) << now_sent[0];
}

TEST_F(DisputedTest, ASpareComesAndTheRestWaits) {
  convict(1);
  const Lines first = sent();
  ASSERT_FALSE(first.empty());
  dispute(true);
  put_vdev(1, {{"spare", "active"}, {"busy", ""}});
  EXPECT_EQ(sent(), Lines{});
  EXPECT_EQ(action(ActionKind::out_of_service, vdev(1)), "refused disputed");
  // Another part, that ZFS has taken out: a spare only adds a copy.
  put(disk(2), "disk", {{"serial", "S2"}, {"disputed", "according to fmd-ipmi its wwn is 3"}}, {});
  put_vdev(2, {{"service", "out-of-service"}, {"state", "FAULTED"}});
  convict(2);
  const Lines second = sent();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_TRUE(second[0].starts_with("spare_in " + vdev(2))) << second[0];
}

TEST_F(DisputedTest, APersonMayTakeItOut) {
  dispute(true);
  convict(1);
  EXPECT_EQ(sent(), Lines{});
  ASSERT_TRUE(reconciler->order_retire(vdev(1), Service::out_of_service, "root", now));
  const Lines ordered = sent();
  ASSERT_FALSE(ordered.empty());
  EXPECT_TRUE(ordered[0].starts_with("retire " + vdev(1))) << ordered[0];
}

}  // namespace
}  // namespace fmd::test
