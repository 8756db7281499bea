#include "plugins/sdk/plugin.h"

#include <gtest/gtest.h>

#include "fmd/protocol/lines.h"
#include "plugins/sdk/internal/event_queue.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

using nlohmann::json;
using testing::FakeCore;
using testing::Loop;
using testing::TempTree;

class PluginTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  std::string socket_ = tree_.root() + "/s";
  std::unique_ptr<FakeCore> core_ = std::make_unique<FakeCore>(loop_, socket_);
  std::unique_ptr<Plugin> plugin_;
  std::vector<std::string> cursors_;
  std::vector<std::pair<CommandRequest, Plugin::Reply>> commands_;

  void start() {
    plugin_ = std::make_unique<Plugin>(
        loop_, PluginInfo{"test", {"sysevent.test.*"}, {"refresh"}, {"dev://"}}, socket_);
    plugin_->on_connected([this](const std::string& cursor) { cursors_.push_back(cursor); });
    plugin_->on_command([this](const CommandRequest& request, Plugin::Reply reply) {
      commands_.emplace_back(request, std::move(reply));
    });
  }
  void connect() {
    start();
    ASSERT_TRUE(loop_.until([&] { return cursors_.size() == 1; }));
  }
  static OutEvent event(int64_t time) { return {"sysevent.test.x", "dev://wwn=1", time, 0, {}}; }
  bool idle() {
    return loop_.until([&] { return plugin_->connected() && plugin_->unacked_events() == 0; });
  }
  std::vector<int64_t> times() const {
    std::vector<int64_t> result;
    for (const auto& e : core_->events) result.push_back(e["time"]);
    return result;
  }
};

TEST_F(PluginTest, SaysHelloAndHandsOverTheCursor) {
  core_->cursor = "17";
  connect();
  EXPECT_EQ(cursors_.front(), "17");
  EXPECT_TRUE(plugin_->first_since_boot());
  const json hello = core_->of("hello").at(0);
  EXPECT_EQ(hello["name"], "test");
  EXPECT_EQ(hello["protocol"], 1);
  EXPECT_EQ(hello["handles"], json({"dev://"}));
  EXPECT_EQ(hello["transient"], false);
  EXPECT_GT(hello["heartbeat_ms"], 0);
}

TEST_F(PluginTest, GoesOnWithWhatTheCoreKeepsThoughItIsNotOnDisk) {
  core_->commit = false;
  connect();
  const auto sent = [&] {
    std::vector<uint64_t> ids;
    for (const json& message : core_->messages)
      if (message.value("method", "") == "events") ids.push_back(message["id"].get<uint64_t>());
    return ids;
  };
  for (int i = 1; i <= 20; ++i) plugin_->send_events({event(i)}, std::to_string(i));
  ASSERT_TRUE(loop_.until([&] { return sent().size() == EventQueue::kMaxBatches; }));
  core_->send(R"({"jsonrpc":"2.0","method":"kept","params":{"requests":[-1,"x",null]}})"
              "\n");
  const json kept = {{"jsonrpc", "2.0"}, {"method", "kept"}, {"params", {{"requests", sent()}}}};
  core_->send(kept.dump() + "\n");
  // The rest of the queue goes in one message.
  ASSERT_TRUE(loop_.until([&] { return sent().size() == EventQueue::kMaxBatches + 1; }));
  EXPECT_EQ(plugin_->unacked_events(), 20u) << "none is given away";
  core_->commit = true;
  core_->disconnect();
  ASSERT_TRUE(idle());
  EXPECT_EQ(times().size(), 20u) << "each again, once";
}

// The core cannot write, the connection breaks, and then the write succeeds.
TEST_F(PluginTest, WhatTheCoreHasInMemoryIsNotSentAgainAndIsTold) {
  core_->commit = false;
  connect();
  plugin_->send_events({event(1), event(2)}, "2");
  ASSERT_TRUE(loop_.until([&] { return core_->count("events") == 1; }));
  core_->in_memory = "2";
  core_->disconnect();
  ASSERT_TRUE(loop_.until([&] { return cursors_.size() == 2; }));
  EXPECT_EQ(cursors_.back(), "2");
  plugin_->send_events({event(3)}, "3");
  ASSERT_TRUE(loop_.until([&] { return core_->count("events") == 2; }));
  EXPECT_EQ(core_->of("events").back()["events"].size(), 1u);
  EXPECT_EQ(plugin_->unacked_events(), 3u) << "it is not on disk";
  core_->send(R"({"jsonrpc":"2.0","method":"written","params":{"cursor":"2"}})"
              "\n");
  EXPECT_TRUE(loop_.until([&] { return plugin_->unacked_events() == 1; }));
}

TEST_F(PluginTest, EndsWhenTheCoreLostWhatItBeganBehind) {
  core_->cursor = "7";
  core_->in_memory = "9";
  connect();
  EXPECT_EQ(cursors_.back(), "9");
  core_->in_memory.clear();  // killed before it wrote
  core_->disconnect();
  int code = 0;
  EXPECT_TRUE(loop_.until([&] { return sd_event_get_exit_code(loop_, &code) >= 0; }));
  EXPECT_EQ(code, 1) << "its unit starts it again, and it reads behind 7";
  EXPECT_EQ(cursors_.size(), 1u);
}

TEST_F(PluginTest, ConnectsOnceTheCoreIsThere) {
  core_->stop();
  start();
  plugin_->send_events({event(1)}, "1");
  plugin_->send_status("not-observed", "no tool");
  loop_.drain();
  core_->listen();
  ASSERT_TRUE(idle());
  EXPECT_EQ(times(), (std::vector<int64_t>{1}));
  EXPECT_EQ(core_->of("status").at(0)["reason"], "no tool");
}

TEST_F(PluginTest, KeepsEventsUntilAcked) {
  core_->commit = false;
  connect();
  plugin_->send_events({event(1), event(2)}, "2");
  ASSERT_TRUE(loop_.until([&] { return core_->count("events") == 1; }));
  EXPECT_EQ(plugin_->unacked_events(), 2u);
  core_->disconnect();
  core_->commit = true;
  ASSERT_TRUE(idle());
  EXPECT_EQ(times(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(cursors_.back(), "2") << "the source would read them once more";
}

TEST_F(PluginTest, AnAckThatIsLostDoesNotDoubleEvents) {
  core_->ack = false;
  connect();
  plugin_->send_events({event(1)}, "");
  ASSERT_TRUE(loop_.until([&] { return core_->events.size() == 1; }));
  core_->disconnect();
  core_->ack = true;
  plugin_->send_events({event(2)}, "");
  ASSERT_TRUE(idle());
  EXPECT_EQ(times(), (std::vector<int64_t>{1, 2}));
}

TEST_F(PluginTest, AStormArrivesWholeAndInOrder) {
  connect();
  constexpr int kEvents = 9500;
  std::vector<OutEvent> storm;
  for (int i = 0; i < kEvents; ++i) storm.push_back(event(i));
  plugin_->send_events(std::move(storm), "end");
  ASSERT_TRUE(idle());
  ASSERT_EQ(core_->events.size(), static_cast<size_t>(kEvents));
  for (int i = 0; i < kEvents; ++i) ASSERT_EQ(core_->events[static_cast<size_t>(i)]["time"], i);
  EXPECT_EQ(core_->cursor, "end");
}

TEST_F(PluginTest, ACommandIsDoneOnceAKey) {
  connect();
  const auto first = core_->command("refresh", "k1", "dev://wwn=1", {{"a", 1}});
  const auto second = core_->command("refresh", "k1", "dev://wwn=1");
  ASSERT_TRUE(loop_.until([&] { return !commands_.empty(); }));
  loop_.drain();
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].first.args["a"], 1);
  EXPECT_EQ(commands_[0].first.resource, "dev://wwn=1");
  commands_[0].second({"refused", "last copy", {{"x", 2}}});
  ASSERT_TRUE(loop_.until([&] { return core_->answers.contains(second); }));
  EXPECT_EQ(core_->answers[first], core_->answers[second]);
  EXPECT_EQ(core_->answers[first]["reason"], "last copy");
  EXPECT_EQ(core_->answers[first]["detail"]["x"], 2);
  const auto third = core_->command("refresh", "k1", "dev://wwn=1");
  ASSERT_TRUE(loop_.until([&] { return core_->answers.contains(third); }));
  EXPECT_EQ(core_->answers[third]["status"], "refused");
  EXPECT_EQ(commands_.size(), 1u);
}

TEST_F(PluginTest, AnAnswerSurvivesAReconnect) {
  connect();
  core_->command("refresh", "k1", "dev://wwn=1");
  ASSERT_TRUE(loop_.until([&] { return commands_.size() == 1; }));
  core_->disconnect();
  ASSERT_TRUE(loop_.until([&] { return cursors_.size() == 2; }));
  const auto repeat = core_->command("refresh", "k1", "dev://wwn=1");
  commands_[0].second({"done", "", {}});
  ASSERT_TRUE(loop_.until([&] { return core_->answers.contains(repeat); }));
  EXPECT_EQ(core_->answers[repeat]["status"], "done");
  EXPECT_EQ(core_->answers.size(), 1u) << "an answer to an id of the old connection";
}

TEST_F(PluginTest, ACommandNobodyAnswersFails) {
  connect();
  const auto id = core_->command("refresh", "k1", "dev://wwn=1");
  ASSERT_TRUE(loop_.until([&] { return commands_.size() == 1; }));
  commands_.clear();
  ASSERT_TRUE(loop_.until([&] { return core_->answers.contains(id); }));
  EXPECT_EQ(core_->answers[id]["status"], "failed");
}

TEST_F(PluginTest, UnknownCommandsAndRequestsAreRefused) {
  connect();
  const auto command = core_->command("explode", "k1", "dev://wwn=1");
  core_->send(wire::request(99, "dance", json::object()));
  ASSERT_TRUE(loop_.until([&] { return core_->answers.size() == 2; }));
  EXPECT_EQ(core_->answers[command]["status"], "failed");
  EXPECT_EQ(core_->answers[99]["code"], -32601);
  EXPECT_TRUE(commands_.empty());
}

TEST_F(PluginTest, NonsenseFromTheCoreEndsTheConnectionOnly) {
  connect();
  core_->send("{\"jsonrpc\":\n");
  ASSERT_TRUE(loop_.until([&] { return cursors_.size() == 2; }));
  core_->send(std::string(wire::kMaxLine + 10, 'x'));
  ASSERT_TRUE(loop_.until([&] { return cursors_.size() == 3; }));
  for (const char* odd : {"{}\n", "{\"id\":\"x\",\"method\":7}\n", "{\"id\":5,\"result\":3}\n",
                          "{\"id\":-1,\"error\":[]}\n"})
    core_->send(odd);
  const auto id = core_->command("refresh", "k", "dev://wwn=1");
  ASSERT_TRUE(loop_.until([&] { return commands_.size() == 1; })) << id;
}

TEST_F(PluginTest, ARefusedHelloIsTriedAgain) {
  core_->refuse_hello = true;
  start();
  ASSERT_TRUE(loop_.until([&] { return core_->count("hello") >= 2; }));
  EXPECT_FALSE(plugin_->connected());
  core_->refuse_hello = false;
  EXPECT_TRUE(loop_.until([&] { return plugin_->connected(); }));
}

TEST_F(PluginTest, AnErrorThatMayPassKeepsTheEvents) {
  connect();
  core_->commit = false;
  plugin_->send_events({event(1)}, "1");
  ASSERT_TRUE(loop_.until([&] { return core_->count("events") == 1; }));
  const uint64_t id = core_->messages.back()["id"];
  core_->commit = true;
  core_->send(wire::error(id, -32000, "the disk is full"));
  ASSERT_TRUE(idle());
  EXPECT_EQ(times(), (std::vector<int64_t>{1}));
}

TEST_F(PluginTest, ABatchThatIsOurMistakeIsGivenUp) {
  connect();
  core_->commit = false;
  plugin_->send_events({event(1)}, "1");
  ASSERT_TRUE(loop_.until([&] { return core_->count("events") == 1; }));
  core_->send(wire::error(core_->messages.back()["id"], -32602, "no such member"));
  ASSERT_TRUE(loop_.until([&] { return plugin_->unacked_events() == 0; }));
  EXPECT_EQ(core_->connections, 1u);
}

TEST_F(PluginTest, TheStatusIsSentOnceAChange) {
  connect();
  plugin_->send_status("ok", "");
  plugin_->send_status("ok", "");
  plugin_->send_status("degraded", "x");
  ASSERT_TRUE(loop_.until([&] { return core_->count("status") == 2; }));
  core_->disconnect();
  ASSERT_TRUE(loop_.until([&] { return core_->count("status") == 3; }));
  EXPECT_EQ(core_->of("status").back()["state"], "degraded");
}

TEST_F(PluginTest, AnInventoryOverOneLineGoesInParts) {
  connect();
  json many = json::array();
  for (int i = 0; i < 4000; ++i)
    many.push_back({{"fmri", "dev://wwn=" + std::to_string(i)},
                    {"type", "disk"},
                    {"properties", {{"text", std::string(400, 'x')}}},
                    {"edges", json::array()}});
  // A cursor of an earlier process of this plugin, unknown to this one.
  plugin_->send_inventory({{{"fmri", "dev://wwn=old"}, {"type", "disk"}}}, json::array(), false);
  ASSERT_TRUE(loop_.until([&] { return core_->resources.contains("dev://wwn=old"); }));
  core_->disconnect();
  ASSERT_TRUE(loop_.until([&] { return core_->count("hello") == 2 && plugin_->connected(); }));
  plugin_->send_inventory(many, json::array(), true);
  ASSERT_TRUE(loop_.until([&] { return core_->gone.contains("dev://wwn=old"); }));
  EXPECT_EQ(core_->resources.size(), 4000u);
  EXPECT_EQ(core_->gone.size(), 1u) << "no part of it takes another one away";
  EXPECT_GT(core_->count("inventory"), 3u);
  many.erase(0);
  plugin_->send_inventory(many, json::array(), true);
  ASSERT_TRUE(loop_.until([&] { return core_->resources.size() == 3999; }));
  EXPECT_EQ(core_->gone["dev://wwn=0"], "removed");
  plugin_->send_inventory(json::array(), json::array(), true);
  ASSERT_TRUE(loop_.until([&] { return core_->resources.empty(); }));
}

// A longer line ends the connection, and is sent again after each reconnect.
TEST_F(PluginTest, WhateverADeviceReportsFitsInALine) {
  connect();
  const std::string huge(3 << 20, 'x');
  const auto resource = [](const std::string& fmri, json properties) {
    return json{{"fmri", fmri},
                {"type", "disk"},
                {"properties", std::move(properties)},
                {"edges", json::array()}};
  };
  json wide = json::object(), ended = json::array(), readings = json::array();
  for (int i = 0; i < 900; ++i) wide["p" + std::to_string(i)] = std::string(4000, 'x');
  for (int i = 0; i < 20000; ++i) {
    const std::string fmri = "dev://wwn=5000000000000000000000000000" + std::to_string(i);
    ended.push_back({{"fmri", fmri}, {"reason", "removed"}});
    readings.push_back({{"resource", fmri}, {"name", "value"}, {"unit", ""}, {"value", 1}});
  }
  plugin_->send_inventory(
      {resource("dev://wwn=1", {{"serial", huge}}), resource("dev://wwn=2", wide),
       resource("dev://serial=" + huge, {}), resource("dev://wwn=3", {{"serial", "S"}})},
      ended, false);
  plugin_->send_readings(readings);
  plugin_->send_status("degraded", huge);
  plugin_->send_events({event(1)}, huge);
  core_->command("refresh", "k", "dev://wwn=1");
  ASSERT_TRUE(loop_.until([&] { return commands_.size() == 1; }));
  commands_[0].second({"failed", huge, {{"text", huge}}});
  ASSERT_TRUE(
      loop_.until([&] { return core_->answers.size() == 1 && core_->count("status") == 1; }));
  ASSERT_TRUE(idle());
  EXPECT_EQ(core_->connections, 1u);
  EXPECT_EQ(core_->property("dev://wwn=3", "serial"), "S") << "not lost with the others";
  EXPECT_TRUE(core_->resources.contains("dev://wwn=2"));
  EXPECT_EQ(core_->resources.size(), 3u);
  size_t told = 0;
  for (const json& message : core_->of("readings")) told += message["readings"].size();
  EXPECT_EQ(told, 20000u);
  for (const json& message : core_->messages) EXPECT_LT(message.dump().size(), wire::kMaxLine);
}

TEST_F(PluginTest, ABrokenSerialDoesNotBreakTheConnection) {
  connect();
  plugin_->send_inventory({{{"fmri", "dev://wwn=1"},
                            {"type", "disk"},
                            {"properties", {{"serial", "a\xff\x1b"}}},
                            {"edges", json::array()}}},
                          json::array(), true);
  ASSERT_TRUE(loop_.until([&] { return core_->resources.size() == 1; }));
  EXPECT_EQ(core_->property("dev://wwn=1", "serial"), "a\xEF\xBF\xBD\x1b");
}

TEST(Timer, ALazyOneIsNeverEarly) {
  Loop loop;
  Timer timer(loop);
  const auto begun = std::chrono::steady_clock::now();
  bool fired = false;
  timer.start_lazily(std::chrono::milliseconds(40), [&] { fired = true; });
  EXPECT_TRUE(loop.until([&] { return fired; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(40));
}

}  // namespace
}  // namespace fmd::sdk
