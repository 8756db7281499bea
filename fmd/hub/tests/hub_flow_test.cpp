// Back-pressure: how much is taken of a plugin before it is on disk, and while it cannot be.
#include <gtest/gtest.h>

#include "fmd/hub/tests/hub_rig.h"

namespace fmd::hub_test {
namespace {

TEST_F(HubTest, NineBatchesAreNotTakenBeforeTheFirstIsAcked) {
  const int fd = plugin("fast");
  for (uint64_t id = 2; id < 14; ++id) request(fd, id, "events", {{"events", json::array()}});
  EXPECT_EQ(intake_.events.size(), PluginHub::kMaxUnacked);
  EXPECT_EQ(hub_->table().find("fast")->batches_unacked, PluginHub::kMaxUnacked);
  hub_->acked(intake_.events[0].peer, 2);
  hub_->acked(intake_.events[0].peer, 2);  // it is gone
  settle();
  EXPECT_EQ(intake_.events.size(), PluginHub::kMaxUnacked + 1);
  for (uint64_t id = 3; id < 12; ++id) {
    hub_->acked(intake_.events[0].peer, id);
    settle();
  }
  EXPECT_EQ(intake_.events.size(), 12u);
}

TEST_F(HubTest, AnIdThatComesAgainCountsAgain) {
  const int fd = plugin("odd");
  for (int i = 0; i < 20; ++i) request(fd, 2, "events", {{"events", json::array()}});
  EXPECT_EQ(intake_.events.size(), PluginHub::kMaxUnacked);
}

TEST_F(HubTest, OneThatIsNotReadBecauseItsBatchesWaitIsNotSilent) {
  const int fd = plugin("zfs", {{"heartbeat_ms", 1000}});
  for (uint64_t id = 2; id < 14; ++id) request(fd, id, "events", {{"events", json::array()}});
  say(fd, R"({"jsonrpc":"2.0","method":"heartbeat"})"
          "\n");
  for (int i = 0; i < 30; ++i) {
    boot_ += 4 * kSecond;
    hub_->check_now();
  }
  EXPECT_TRUE(intake_.findings.empty()) << "nobody listens to it";
  for (uint64_t id = 2; id < 14; ++id) hub_->acked(intake_.events[0].peer, id);
  settle();
  boot_ += 4 * kSecond;
  hub_->check_now();
  ASSERT_EQ(intake_.findings.size(), 1u) << "now it is";
  EXPECT_EQ(intake_.findings[0].event_class, "ereport.fmd.plugin.silent");
}

TEST_F(HubTest, WhileNothingReachesTheDiskEachIsToldWhatIsKeptAndGoesOn) {
  const int fd = plugin("zfs");
  const int other = plugin("disk");
  for (uint64_t id = 2; id < 14; ++id) request(fd, id, "events", {{"events", json::array()}});
  ASSERT_EQ(intake_.events.size(), PluginHub::kMaxUnacked);
  hub_->set_flow(Flow::ahead);
  settle();
  EXPECT_EQ(intake_.events.size(), 12u);
  std::vector<uint64_t> kept;
  for (const json& line : hear(fd)) {
    ASSERT_EQ(line["method"], "kept");
    for (const json& id : line["params"]["requests"]) kept.push_back(id.get<uint64_t>());
  }
  EXPECT_EQ(kept, (std::vector<uint64_t>{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})) << "each once";
  EXPECT_TRUE(hear(other).empty());
  hub_->set_flow(Flow::held);
  request(fd, 14, "events", {{"events", json::array()}});
  EXPECT_EQ(intake_.events.size(), 12u) << "memory is full";
  hub_->set_flow(Flow::acked);
  settle();
  EXPECT_EQ(intake_.events.size(), 12u) << "until those before are written";
  for (uint64_t id = 2; id < 14; ++id) hub_->acked(intake_.events[0].peer, id);
  settle();
  EXPECT_EQ(intake_.events.size(), 13u);
  EXPECT_TRUE(hear(fd).empty());
}

TEST_F(HubTest, WhatIsKeptOfOneHasItsBound) {
  const int fd = plugin("flood");
  hub_->set_flow(Flow::ahead);
  const json big = {{"events", json::array()}, {"cursor", std::string(200 << 10, 'x')}};
  const std::string line =
      json{{"jsonrpc", "2.0"}, {"id", 2}, {"method", "events"}, {"params", big}}.dump() + "\n";
  const size_t most = PluginHub::kMaxAheadBytes / (line.size() - 1) + 1;
  for (size_t sent = 0; sent < most + 5; ++sent) {
    for (size_t at = 0; at < line.size();) {
      const ssize_t took = ::send(fd, line.data() + at, line.size() - at, MSG_NOSIGNAL);
      if (took <= 0) break;  // it stays in the socket
      at += static_cast<size_t>(took);
      settle();
    }
    hear(fd);
  }
  EXPECT_EQ(intake_.events.size(), most);
  hub_->acked(intake_.events[0].peer, 2);
  settle();
  EXPECT_EQ(intake_.events.size(), most + 1);
}

TEST_F(HubTest, NothingIsReadWhileSourcesAreHeld) {
  const int fd = plugin("zfs", {{"heartbeat_ms", 1000}});
  hub_->set_flow(Flow::held);
  request(fd, 2, "events", {{"events", json::array()}});
  EXPECT_TRUE(intake_.events.empty());
  boot_ += 100 * kSecond;
  hub_->check_now();
  EXPECT_TRUE(intake_.findings.empty()) << "it may have spoken";
  hub_->set_flow(Flow::acked);
  settle();
  EXPECT_EQ(intake_.events.size(), 1u);
}

}  // namespace
}  // namespace fmd::hub_test
