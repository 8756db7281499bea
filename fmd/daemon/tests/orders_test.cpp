// Taking parts out of service and back by hand, and the list of what fmd has done.
#include "fmd/daemon/tests/control_rig.h"

namespace fmd::test {
namespace {

constexpr const char* kVdev = "zfs://pool=1/vdev=1";

class OrdersTest : public ControlTest {
 protected:
  void SetUp() override {
    ControlTest::SetUp();
    fd_ = plugin("test", {{"handles", {"zfs://"}}});
    send_bay();
    send_vdev(1, "in-service");
  }

  void send_vdev(int number, const std::string& service, const std::string& by = "") {
    const std::string fmri = "zfs://pool=1/vdev=" + std::to_string(number);
    request(fd_, "inventory",
            {{"resources",
              {{{"fmri", fmri},
                {"type", "zfs-vdev"},
                {"properties",
                 {{"name", "vdev" + std::to_string(number)},
                  {"service", service},
                  {"retired_by", by},
                  {"group", "zfs://pool=1"}}},
                {"edges", {{{"relation", "redundancy"}, {"to", kDisk}}}}}}}});
  }

  void pull_disk() {
    request(
        fd_, "inventory",
        {{"resources", {{{"fmri", kBay}, {"type", "bay"}, {"properties", {{"label", "SLOT 03"}}}}}},
         {"gone", {{{"fmri", kDisk}, {"reason", "removed"}}}}});
  }

  // The next command that the daemon sends, answered with that status.
  json answer_command(const std::string& status, const std::string& reason = "") {
    const json command = next_line(fd_);
    EXPECT_EQ(command["method"], "command") << command;
    tell(fd_, {{"jsonrpc", "2.0"},
               {"id", command["id"]},
               {"result", {{"status", status}, {"reason", reason}}}});
    run_until([&] { return !answers_.empty(); });
    return command["params"];
  }

  Control::Ordered note() {
    return [this](const Result<std::string>& answer) { answers_.push_back(answer); };
  }

  json actions() { return json::parse(*control().list_actions()); }

  int fd_ = -1;
  std::vector<Result<std::string>> answers_;
};

// For polkit's question, whatever name the caller gave.
TEST_F(OrdersTest, APartIsNamedInWords) {
  for (const char* part : {"SLOT 03", "S1", kDisk, kBay, kVdev})
    EXPECT_EQ(control().name_part(part), "disk S1 in SLOT 03") << part;
  EXPECT_EQ(control().name_part("no such\npart"), "no such\\x0apart");
  EXPECT_LE(control().name_part(std::string(10'000, 'x')).size(), 200U);
}

TEST_F(OrdersTest, APartIsTakenOutByAnyNameOfWhatItStandsOn) {
  for (const char* part : {"SLOT 03", "S1", kDisk, kBay, kVdev}) {
    answers_.clear();
    control().retire(part, "out-of-service", "root", note());
    EXPECT_TRUE(answers_.empty()) << "not before the plugin has answered";
    const json sent = answer_command("failed", "try again");
    EXPECT_EQ(sent["name"], "retire") << part;
    EXPECT_EQ(sent["resource"], kVdev);
    EXPECT_EQ(sent["args"]["to"], "out-of-service");
    ASSERT_EQ(answers_.size(), 1u);
    ASSERT_FALSE(answers_[0]);
    EXPECT_NE(answers_[0].error().message.find("try again"), std::string::npos);
  }
}

TEST_F(OrdersTest, WhatWasDoneByHandIsListedUntilItIsUndone) {
  EXPECT_EQ(actions(), json::array());
  control().retire("SLOT 03", "out-of-service", "uid 1000", note());
  const std::string key = answer_command("done")["key"];
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_TRUE(answers_[0]) << answers_[0].error().text();
  send_vdev(1, "out-of-service", key);
  const json listed = actions();
  ASSERT_EQ(listed.size(), 1u) << listed;
  EXPECT_EQ(listed[0]["kind"], "retire");
  EXPECT_EQ(listed[0]["part"], kVdev);
  EXPECT_EQ(listed[0]["name"], "SLOT 03 (serial S1)");
  EXPECT_EQ(listed[0]["level"], "out-of-service");
  EXPECT_EQ(listed[0]["owner"], (json{{"person", "uid 1000"}}));
  EXPECT_EQ(listed[0]["group"], "zfs://pool=1");
  EXPECT_EQ(listed[0]["undo"], "fmadm restore \"SLOT 03\"");
  EXPECT_GT(listed[0]["since"], 0);
}

// After the disk has left its bay, its serial number remains.
TEST_F(OrdersTest, WhatWasDoneToADiskThatIsGoneIsListedByItsSerialNumber) {
  control().retire("SLOT 03", "out-of-service", "uid 1000", note());
  send_vdev(1, "out-of-service", answer_command("done")["key"]);
  pull_disk();
  const json listed = actions();
  ASSERT_EQ(listed.size(), 1u) << listed;
  EXPECT_EQ(listed[0]["name"], "SLOT 03 (serial S1)");
  EXPECT_EQ(listed[0]["undo"], "fmadm restore \"S1\"");
}

TEST_F(OrdersTest, PartsToChooseFromAreListedByTheirNames) {
  send_vdev(2, "in-service");
  control().retire("SLOT 03", "out-of-service", "root", note());
  ASSERT_EQ(answers_.size(), 1u);
  ASSERT_FALSE(answers_[0]);
  EXPECT_EQ(answers_[0].error().message,
            "\"SLOT 03\" may be any of vdev1, vdev2: name one of these");
}

TEST_F(OrdersTest, AnOrderThatMakesNoSenseIsRefusedAtOnce) {
  send_vdev(2, "in-service");
  const std::vector<std::tuple<std::string, std::string, std::string>> wrong = {
      {"SLOT 03", "sideways", "sideways"},
      {"SLOT 99", "degraded", "SLOT 99"},
      {"SLOT 03", "degraded", "vdev1, vdev2"},  // two stand on it: both are named
      {"fmd://plugin=test", "degraded", "cannot be taken out of service"}};
  for (const auto& [part, level, said] : wrong) {
    answers_.clear();
    control().retire(part, level, "root", note());
    ASSERT_EQ(answers_.size(), 1u) << part;
    ASSERT_FALSE(answers_[0]) << part;
    EXPECT_NE(answers_[0].error().message.find(said), std::string::npos)
        << answers_[0].error().message;
  }
}

TEST_F(OrdersTest, ADiskTakesThePlaceOfAnother) {
  request(fd_, "inventory",
          {{"resources",
            {{{"fmri", "dev://serial=M:S9"},
              {"type", "disk"},
              {"properties", {{"serial", "S9"}, {"path", "/dev/sdx"}, {"content", "used"}}}}}}});
  const auto refused = [&](const char* part, const char* with, bool force, const std::string& why) {
    answers_.clear();
    control().replace(part, with, force, "root", note());
    ASSERT_EQ(answers_.size(), 1u);
    ASSERT_FALSE(answers_[0]);
    EXPECT_NE(answers_[0].error().message.find(why), std::string::npos)
        << answers_[0].error().message;
  };
  refused("SLOT 03", "S99", false, "no part is known by the name");
  refused("SLOT 03", kVdev, true, "is vdev1 itself");
  refused("fmd://plugin=test", "S9", true, "cannot be taken out of service");
  refused("SLOT 03", "S9", false, "the new disk with serial S9 is not blank. 'fmadm replace");
  answers_.clear();
  control().replace("SLOT 03", "S9", true, "root", note());
  EXPECT_TRUE(answers_.empty()) << "not before the plugin has answered";
  const json sent = answer_command("done", "vdev1 is being replaced, the new disk resilvers");
  EXPECT_EQ(sent["name"], "replace");
  EXPECT_EQ(sent["resource"], kVdev);
  EXPECT_EQ(sent["args"], (json{{"by", "person"},
                                {"device", "dev://serial=M:S9"},
                                {"force", true},
                                {"path", "/dev/sdx"},
                                {"serial", "S9"}}));
  ASSERT_TRUE(answers_[0]) << answers_[0].error().text();
  EXPECT_EQ(*answers_[0], "vdev1 is being replaced, the new disk resilvers");
}

TEST_F(OrdersTest, PuttingBackWhatIsInServiceSaysSo) {
  control().restore("SLOT 03", "root", note());
  ASSERT_EQ(answers_.size(), 1u);
  ASSERT_TRUE(answers_[0]);
  EXPECT_NE(answers_[0]->find("already"), std::string::npos) << *answers_[0];
}

TEST_F(OrdersTest, WhoWaitsWhenTheDaemonStopsIsToldSo) {
  control().retire("SLOT 03", "out-of-service", "root", note());
  EXPECT_TRUE(answers_.empty());
  static_cast<ControlService&>(control()).stop();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_FALSE(answers_[0]);
}

TEST_F(OrdersTest, WhoWaitsWhenThePluginGoesIsToldSo) {
  control().retire("SLOT 03", "out-of-service", "root", note());
  EXPECT_TRUE(answers_.empty());
  ::shutdown(fd_, SHUT_RDWR);
  run_until([&] { return !answers_.empty(); });
  ASSERT_EQ(answers_.size(), 1u);
  ASSERT_FALSE(answers_[0]);
  EXPECT_NE(answers_[0].error().message.find("may still take effect"), std::string::npos)
      << answers_[0].error().message;
}

}  // namespace
}  // namespace fmd::test
