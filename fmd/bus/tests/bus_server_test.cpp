// Queries, permissions for changes, and a bus that comes and goes.
#include "fmd/bus/tests/bus_rig.h"

namespace fmd::test {
namespace {

TEST_F(BusServerTest, AnswersQueriesWithControlsDocuments) {
  serve(std::set<uint32_t>{});
  const json cases = json::parse(text_of(call("ListCases", "s", "{}")));
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0]["uuid"], kUuid);
  control_.config = {{"version", "x"}};
  EXPECT_EQ(json::parse(text_of(call("GetConfig", "")))["version"], "x");
  const Reply bad = call("ListEvents", "s", "not json");
  EXPECT_EQ(bad.name, bus::kErrorFailed);
  EXPECT_EQ(bad.text, "the query is not JSON");
}

TEST_F(BusServerTest, AnAnswerTooBigForTheBusIsAnErrorAndNotADisconnection) {
  serve();
  control_.oversized.assign(31u << 20, 'x');
  EXPECT_EQ(call("ListOutbox", "").name, SD_BUS_ERROR_LIMITS_EXCEEDED);
  control_.oversized.clear();
  EXPECT_EQ(text_of(call("ListOutbox", "")), "[]");
}

class UnreadTest : public BusServerTest {
 protected:
  // A connection that sends queries and never reads the replies.
  bus::BusPtr ask_in_vain(int times, const char* method = "ListOutbox") {
    bus::BusPtr silent = connect();
    EXPECT_TRUE(until([&] { return sd_bus_is_ready(silent.get()) > 0; }));
    sd_bus_detach_event(silent.get());
    for (int i = 0; i < times; ++i) {
      sd_bus_message* raw = nullptr;
      sd_bus_message_new_method_call(silent.get(), &raw, bus::kName, bus::kPath, bus::kName,
                                     method);
      const bus::MessagePtr message(raw);
      uint64_t cookie = 0;  // requesting one makes the message expect a reply
      EXPECT_GE(sd_bus_send(silent.get(), raw, &cookie), 0);
    }
    EXPECT_GE(sd_bus_flush(silent.get()), 0);
    return silent;
  }
};

TEST_F(UnreadTest, WhoAsksAndNeverReadsIsAnsweredNoMoreUntilHeLeaves) {
  serve(std::set<uint32_t>{});
  control_.oversized.assign(4u << 20, 'x');
  // Another silent caller for each refusal that does not last: how much of a reply the sockets take
  // depends on the machine's load, and only the rest counts as unread.
  std::vector<bus::BusPtr> silent;
  EXPECT_TRUE(until([&] {
    silent.push_back(ask_in_vain(1));
    return call("ListSerd", "").name == SD_BUS_ERROR_LIMITS_EXCEEDED;
  })) << "of that user";
  silent.clear();
  EXPECT_TRUE(until([&] { return !call("ListOutbox", "").error; }));
}

TEST_F(UnreadTest, RefusalsToThoseThatHaveLeftTakeNoRoom) {
  serve(std::set<uint32_t>{});
  for (int i = 0; i < 45; ++i) {
    const bus::BusPtr silent = ask_in_vain(500, "NoSuchMethod");
    ASSERT_EQ(call("NoSuchMethod", "").name, SD_BUS_ERROR_UNKNOWN_METHOD) << i;
  }
}

TEST_F(UnreadTest, WhoReadsMayAskForMoreThanMayLieUnread) {
  serve(std::set<uint32_t>{});
  control_.oversized.assign(4u << 20, 'x');
  for (int i = 0; i < 40; ++i) ASSERT_FALSE(call("ListOutbox", "").error) << i;
}

TEST_F(UnreadTest, ManySmallCallersThatHaveLeftTakeNoRoom) {
  serve(std::set<uint32_t>{});
  control_.oversized.assign(200u << 10,
                            'x');  // too small for a Ping of its own
  for (int i = 0; i < 300; ++i) {
    client_ = connect();
    ASSERT_FALSE(call("ListOutbox", "").error) << i;
  }
}

TEST_F(UnreadTest, ThePrivilegedAreAnsweredAllTheSame) {
  serve();
  control_.oversized.assign(4u << 20, 'x');
  const bus::BusPtr silent = ask_in_vain(16);
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]");
}

TEST_F(BusServerTest, APrivilegedCallerNeedsNoPolkit) {
  serve();  // this test's uid is the daemon's own
  const Reply reply = call("Locate", "sb", "SLOT 06", 1);
  EXPECT_EQ(text_of(reply), "hc://chassis=5/bay=6");
  EXPECT_EQ(control_.changes.back(), "locate [SLOT 06] on by " + own_name());
}

TEST_F(BusServerTest, OthersAreAllowedByPolkit) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::allow);
  const Reply reply = call("Judge", "sssb", "replaced", "", "SLOT 06", 1);
  ASSERT_FALSE(reply.error) << reply.text;
  const char* sender = nullptr;
  sd_bus_get_unique_name(client_.get(), &sender);
  ASSERT_EQ(polkit.asked.size(), 1u);
  EXPECT_EQ(polkit.asked[0], std::string("org.fmd.faultmanager1.judge by ") + sender);
  ASSERT_EQ(control_.changes.size(), 1u);
}

TEST_F(BusServerTest, EachChangeHasItsPolkitAction) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::refuse);
  EXPECT_TRUE(call("Judge", "sssb", "repaired", kUuid, "", 0).error);
  EXPECT_TRUE(call("Acknowledge", "ss", kUuid, "seen").error);
  EXPECT_TRUE(call("Locate", "sb", "SLOT 06", 1).error);
  EXPECT_TRUE(call("HoldLocate", "s", "SLOT 06").error);
  EXPECT_TRUE(call("Retire", "ss", "SLOT 06", "out-of-service").error);
  EXPECT_TRUE(call("Restore", "s", "SLOT 06").error);
  EXPECT_TRUE(call("Replace", "ssb", "SLOT 06", "SLOT 07", 0).error);
  EXPECT_TRUE(call("SetDryRun", "b", 1).error);
  EXPECT_TRUE(call("Reload", "").error);
  std::vector<std::string> actions;
  for (const auto& asked : polkit.asked) actions.push_back(asked.substr(0, asked.find(' ')));
  EXPECT_EQ(actions, (std::vector<std::string>{
                         "org.fmd.faultmanager1.judge", "org.fmd.faultmanager1.acknowledge",
                         "org.fmd.faultmanager1.locate", "org.fmd.faultmanager1.locate",
                         "org.fmd.faultmanager1.retire", "org.fmd.faultmanager1.restore",
                         "org.fmd.faultmanager1.replace", "org.fmd.faultmanager1.configure",
                         "org.fmd.faultmanager1.configure"}));
  EXPECT_TRUE(control_.changes.empty());
  EXPECT_FALSE(control_.dry_run());
}

TEST_F(BusServerTest, RefusalsSayWhatToDo) {
  serve(std::set<uint32_t>{});
  const Reply absent = call("Reload", "");
  EXPECT_EQ(absent.name, SD_BUS_ERROR_ACCESS_DENIED);
  EXPECT_NE(absent.text.find("polkit"), std::string::npos) << absent.text;
  EXPECT_NE(absent.text.find("as root"), std::string::npos) << absent.text;
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::refuse);
  EXPECT_EQ(call("Reload", "").name, SD_BUS_ERROR_ACCESS_DENIED);
  polkit.answer = MockPolkit::Answer::error;
  const Reply broken = call("Reload", "");
  EXPECT_EQ(broken.name, SD_BUS_ERROR_ACCESS_DENIED);
  EXPECT_NE(broken.text.find("out of order"), std::string::npos) << broken.text;
  polkit.answer = MockPolkit::Answer::challenge;
  EXPECT_EQ(call("Reload", "").name, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED);
  EXPECT_TRUE(control_.changes.empty());
}

TEST_F(BusServerTest, InteractionIsAllowedOnlyWhenTheCallerAllowsIt) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::allow);
  auto message = method(bus::kPath, bus::kName, "Reload");
  sd_bus_message_set_allow_interactive_authorization(message.get(), 1);
  send(message);
  call("Reload", "");
  ASSERT_EQ(polkit.asked.size(), 2u);
  EXPECT_NE(polkit.asked[0].find(" interactive"), std::string::npos);
  EXPECT_EQ(polkit.asked[1].find(" interactive"), std::string::npos);
}

TEST_F(BusServerTest, APasswordPromptHoldsNobodyElseUpAndOneCallerCannotUseAllPlaces) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::silent);
  std::array<Reply, 8> waiting;
  for (Reply& reply : waiting) {
    const auto message = method(bus::kPath, bus::kName, "Reload");
    sd_bus_call_async(client_.get(), nullptr, message.get(), on_reply, &reply, kAnswerUs);
  }
  ASSERT_TRUE(until([&] { return polkit.asked.size() == waiting.size(); }));
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]");
  EXPECT_EQ(call("Reload", "").name, SD_BUS_ERROR_LIMITS_EXCEEDED);
  const bus::BusPtr first = std::exchange(client_, connect());
  EXPECT_EQ(call("Reload", "").name, SD_BUS_ERROR_LIMITS_EXCEEDED) << "the same user once more";
  EXPECT_TRUE(control_.changes.empty());
  polkit.release();
  EXPECT_TRUE(until([&] { return waiting.back().message != nullptr; }));
  EXPECT_EQ(control_.changes.size(), waiting.size());
}

TEST_F(BusServerTest, ControlsErrorsReachTheCaller) {
  serve();
  const Reply reply = call("Judge", "sssb", "repaired", "", "nowhere", 0);
  EXPECT_EQ(reply.name, bus::kErrorFailed);
  EXPECT_EQ(reply.text, "no part is called nowhere");
  const std::string huge(20000, 'x');
  EXPECT_EQ(call("Acknowledge", "ss", kUuid, huge.c_str()).name, SD_BUS_ERROR_INVALID_ARGS);
}

TEST_F(BusServerTest, AFreshBusAfterALostOneIsUsedAgain) {
  serve();
  client_.reset();
  bus_.stop();
  ASSERT_TRUE(until([this] { return !server_->owns_name(); }));
  ASSERT_TRUE(until([this] { return log_.size() >= 3; }));  // failed and logged
  bus_.start();
  ASSERT_TRUE(until([this] { return server_->owns_name(); }));
  client_ = connect();
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]");
  EXPECT_LE(log_.size(), 4u);  // the same trouble is logged once
}

TEST_F(BusServerTest, WithoutABusTheDaemonGoesOn) {
  BusOptions options;
  options.address = "unix:path=/nonexistent/socket";
  options.log = [this](int, std::string_view text) { log_.emplace_back(text); };
  const auto server = BusServer::create(event_.get(), control_, options);
  ASSERT_TRUE(server);
  EXPECT_TRUE(until([this] { return !log_.empty(); }));
  EXPECT_FALSE((*server)->owns_name());
  control_.put_case(case_doc(), "updated");  // missed by the client
}

TEST_F(BusServerTest, ASecondDaemonDoesNotTakeTheNameAway) {
  serve();
  FakeControl other;
  BusOptions options;
  options.address = bus_.address();
  std::vector<std::string> said;
  options.log = [&](int, std::string_view text) { said.emplace_back(text); };
  const auto second = BusServer::create(event_.get(), other, options);
  ASSERT_TRUE(second);
  ASSERT_TRUE(until([&] { return !said.empty(); }));
  EXPECT_NE(said[0].find("second fmd"), std::string::npos) << said[0];
  EXPECT_FALSE((*second)->owns_name());
  EXPECT_TRUE(server_->owns_name());
}

TEST_F(BusServerTest, AProgramThatTakesTheNameIsReportedAndOutlasted) {
  serve();
  bus::BusPtr thief = connect();
  ASSERT_GE(sd_bus_request_name(thief.get(), bus::kName, SD_BUS_NAME_REPLACE_EXISTING), 0);
  ASSERT_TRUE(until([this] { return !server_->owns_name(); }));
  ASSERT_TRUE(until([this] { return log_.size() >= 3; }));
  EXPECT_NE(log_[1].find("has taken the name"), std::string::npos) << log_[1];
  EXPECT_NE(log_[2].find("another owner"), std::string::npos) << log_[2];
  thief.reset();
  EXPECT_TRUE(until([this] { return server_->owns_name(); }));
}

}  // namespace
}  // namespace fmd::test
