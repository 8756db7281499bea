// Who is told what: tests of channels, maintenance windows and explanations, by the whole daemon.
#include "fmd/daemon/tests/control_rig.h"

namespace fmd::test {
namespace {

class NotifyingTest : public ControlTest {
 protected:
  void SetUp() override {
    ControlTest::SetUp();
    plugin("test");
    send_bay();
    mail_ = plugin("mail", {{"commands", {"deliver"}}, {"handles", {"outbox:mail"}}});
  }

  json answer_delivery(const std::string& status, const std::string& reason = "") {
    const json command = next_line(mail_);
    EXPECT_EQ(command["params"]["name"], "deliver") << command;
    tell(mail_, {{"jsonrpc", "2.0"},
                 {"id", command["id"]},
                 {"result", {{"status", status}, {"reason", reason}}}});
    return command["params"]["args"];
  }
  json book(const json& uuid) {
    return json::parse(*control().explain_notify(json({{"uuid", uuid}}).dump()));
  }
  std::string window(const std::string& part) {
    const int64_t now = std::time(nullptr) * int64_t{1000000000};
    return json({{"part", part}, {"until", now + int64_t{3600} * 1000000000}, {"reason", "work"}})
        .dump();
  }

  int mail_ = -1;
};

TEST_F(NotifyingTest, ADefaultChannelComesWithItsPlugin) {
  write("fmd.toml", "");
  ASSERT_TRUE(control().reload("root").empty());
  const auto channels = [&] {
    std::string names;
    const json config = json::parse(*control().get_config());
    for (const auto& [name, settings] : config["notify"].items()) names += name + ' ';
    return names;
  };
  EXPECT_EQ(channels(), "mail ");
  plugin("snmp", {{"commands", {"deliver"}}, {"handles", {"outbox:snmp"}}});
  run_until([&] { return channels() == "mail snmp "; });
  EXPECT_EQ(channels(), "mail snmp ");
}

TEST_F(NotifyingTest, ATestSaysWhatEachChannelSaid) {
  std::vector<Result<std::string>> answers;
  control().test_notify("", "root", [&](const Result<std::string>& a) { answers.push_back(a); });
  EXPECT_TRUE(answers.empty());
  const json args = answer_delivery("failed", "451 greylisted");
  EXPECT_EQ(args["event"], "test");
  run_until([&] { return !answers.empty(); });
  ASSERT_TRUE(answers[0]);
  const json said = json::parse(*answers[0]);
  ASSERT_EQ(said.size(), 2u) << said;
  EXPECT_EQ(said[0]["channel"], "snmp") << "nobody is there for it: it is known at once";
  EXPECT_EQ(said[0]["status"], "failed");
  EXPECT_EQ(said[1]["reason"], "451 greylisted");
  control().test_notify("fax", "root", [&](const Result<std::string>& a) { answers.push_back(a); });
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_FALSE(answers[1]);
}

TEST_F(NotifyingTest, WhatWaitedIsToldWhenTheWindowIsEnded) {
  const auto id = control().add_maintenance(window("SLOT 03"), "root");
  ASSERT_TRUE(id) << id.error().text();
  EXPECT_EQ(json::parse(*control().list_maintenance())[0]["scope"], kBay);
  send_event("ereport.test.broken", kDisk);
  ASSERT_EQ(cases().size(), 1u);
  const json uuid = cases()[0]["uuid"];
  run_until([&] { return book(uuid).size() == 1; });
  EXPECT_EQ(book(uuid)[0]["state"], "not-sent");
  EXPECT_NE(book(uuid)[0]["why"].get<std::string>().find("SLOT 03"), std::string::npos);
  EXPECT_EQ(json::parse(*control().list_outbox()), json::array());
  stop();
  start();
  mail_ = plugin("mail", {{"commands", {"deliver"}}, {"handles", {"outbox:mail"}}});
  EXPECT_EQ(json::parse(*control().list_maintenance()).size(), 1u) << "a restart does not end it";
  ASSERT_TRUE(control().end_maintenance(*id, "root"));
  const json args = answer_delivery("done");
  EXPECT_EQ(args["event"], "diagnosed");
  EXPECT_NE(args["body"].get<std::string>().find("maintenance"), std::string::npos);
  run_until([&] { return book(uuid).size() > 1 && book(uuid)[1]["state"] == "delivered"; });
  EXPECT_EQ(book(uuid).size(), 3u) << "a restart is no news: " << book(uuid);
  EXPECT_FALSE(control().end_maintenance(*id, "root")) << "it has ended";
}

TEST_F(NotifyingTest, AWindowIsShownByTheNameOfItsPart) {
  ASSERT_TRUE(control().add_maintenance(window(kBay), "root"));
  const json shown = json::parse(*control().list_maintenance());
  EXPECT_EQ(shown[0]["scope"], kBay);
  EXPECT_EQ(shown[0]["name"], "SLOT 03");
}

TEST_F(NotifyingTest, AWindowNeedsAPartThatIsThereAndAnEnd) {
  EXPECT_FALSE(control().add_maintenance(window("nowhere"), "root"));
  EXPECT_FALSE(control().add_maintenance(R"({"part":"SLOT 03","reason":"x"})", "root"));
  EXPECT_TRUE(control().add_maintenance(window(""), "root"));
}

}  // namespace
}  // namespace fmd::test
