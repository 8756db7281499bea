// Manual orders: answered once the part's plugin has answered, even if the caller has left.
#include "fmd/bus/tests/bus_rig.h"

namespace fmd::test {
namespace {

class OrdersTest : public BusServerTest {
 protected:
  // Sends without waiting for the answer; reply must outlive it.
  void send_off(Reply& reply, const char* member, const char* types, const char* part,
                const char* level = nullptr) {
    const auto message = method(bus::kPath, bus::kName, member);
    sd_bus_message_append(message.get(), types, part, level);
    sd_bus_call_async(client_.get(), nullptr, message.get(), on_reply, &reply, kAnswerUs);
  }
};

TEST_F(OrdersTest, ListsWhatFmdHasDone) {
  serve(std::set<uint32_t>{});
  EXPECT_EQ(text_of(call("ListActions", "")), "[]");
  control_.actions = {{{"kind", "retire"}, {"part", "zfs://pool=1/vdev=2"}}};
  EXPECT_EQ(json::parse(text_of(call("ListActions", ""))), control_.actions);
}

TEST_F(OrdersTest, AnAnswerComesWhenThePluginHasAnswered) {
  serve();
  control_.orders_answer = false;
  Reply retired, restored;
  send_off(retired, "Retire", "ss", "SLOT 06", "degraded");
  send_off(restored, "Restore", "s", "SLOT 06");
  ASSERT_TRUE(until([&] { return control_.changes.size() == 2; }));
  EXPECT_EQ(control_.changes[0], "retire [SLOT 06] degraded by " + own_name());
  EXPECT_EQ(control_.changes[1], "restore [SLOT 06] by " + own_name());
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]") << "nobody else is held up";
  EXPECT_EQ(retired.message, nullptr);
  control_.answer_orders();
  ASSERT_TRUE(until([&] { return retired.message && restored.message; }));
  EXPECT_EQ(text_of(retired), "SLOT 06 is degraded now");
  EXPECT_EQ(text_of(restored), "SLOT 06 is in service now");
}

TEST_F(OrdersTest, AReplacementNamesBothParts) {
  serve();
  EXPECT_EQ(text_of(call("Replace", "ssb", "SLOT 06", "SLOT 07", 0)),
            "SLOT 06 is being replaced now");
  EXPECT_EQ(text_of(call("Replace", "ssb", "SLOT 06", "S7", 1)), "SLOT 06 is being replaced now");
  EXPECT_EQ(control_.changes,
            (std::vector<std::string>{"replace [SLOT 06] [SLOT 07] by " + own_name(),
                                      "replace [SLOT 06] [S7] forced by " + own_name()}));
}

TEST_F(OrdersTest, ARefusalSaysWhy) {
  serve();
  control_.order_text = "!the last copy of data is on it";
  const Reply refused = call("Retire", "ss", "SLOT 06", "out-of-service");
  EXPECT_EQ(refused.name, bus::kErrorFailed);
  EXPECT_EQ(refused.text, "the last copy of data is on it");
  EXPECT_EQ(call("Restore", "s", "SLOT 06").text, "the last copy of data is on it");
}

TEST_F(OrdersTest, OthersAreAllowedByPolkitAndNamed) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::allow);
  EXPECT_EQ(text_of(call("Retire", "ss", "SLOT 06", "out-of-service")),
            "SLOT 06 is out-of-service now");
  EXPECT_EQ(control_.changes,
            std::vector<std::string>{"retire [SLOT 06] out-of-service by " + own_name()});
}

// The password dialogue shows the parts concerned.
TEST_F(OrdersTest, PolkitsQuestionNamesTheParts) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::refuse);
  EXPECT_TRUE(call("Replace", "ssb", "SLOT 06", "SLOT 07", 0).error);
  EXPECT_TRUE(call("Replace", "ssb", "SLOT 06", "SLOT 07", 1).error);
  EXPECT_TRUE(call("Retire", "ss", "SLOT 06", "degraded").error);
  EXPECT_TRUE(call("Restore", "s", "SLOT 06").error);
  ASSERT_EQ(polkit.details.size(), 4U);
  EXPECT_EQ(
      polkit.details[0],
      (std::map<std::string, std::string>{
          {"polkit.message", "Authentication is required to replace $(part) by $(replacement)"},
          {"part", "disk S4 in SLOT 06"},
          {"replacement", "disk S4 in SLOT 07"}}));
  EXPECT_NE(polkit.details[1]["polkit.message"].find("overwrite what is on $(replacement)"),
            std::string::npos);
  EXPECT_EQ(polkit.details[2]["part"], "disk S4 in SLOT 06");
  EXPECT_EQ(polkit.details[2]["level"], "degraded");
  EXPECT_TRUE(polkit.details[3].empty());
}

TEST_F(OrdersTest, ACallerThatLeavesMeanwhileIsNoTrouble) {
  serve();
  control_.orders_answer = false;
  Reply lost;
  send_off(lost, "Retire", "ss", "SLOT 06", "degraded");
  ASSERT_TRUE(until([&] { return control_.changes.size() == 1; }));
  client_ = connect();  // the old client's connection closes
  control_.answer_orders();
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]");
  EXPECT_EQ(log_.size(), 1u) << "only that it is on the bus: " << log_.back();
}

}  // namespace
}  // namespace fmd::test
