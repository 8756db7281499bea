// Back-pressure: how much is taken of a plugin before it is on disk, and while it cannot be.
#include <gtest/gtest.h>

#include <numeric>

#include "fmd/hub/tests/hub_rig.h"

namespace fmd::hub_test {
namespace {

constexpr uint64_t kFirst = 2;                          // request; hello was 1
constexpr uint64_t kMany = PluginHub::kMaxUnacked + 4;  // requests
constexpr uint64_t kEnd = kFirst + kMany;

TEST_F(HubTest, OneBatchMoreIsNotTakenBeforeTheFirstIsAcked) {
  const int fd = plugin("fast");
  for (uint64_t id = kFirst; id < kEnd; ++id)
    request(fd, id, "events", {{"events", json::array()}});
  EXPECT_EQ(intake_.events.size(), PluginHub::kMaxUnacked);
  EXPECT_EQ(hub_->table().find("fast")->batches_unacked, PluginHub::kMaxUnacked);
  hub_->acked(intake_.events[0].peer, 2);
  hub_->acked(intake_.events[0].peer, 2);  // it is gone
  settle();
  EXPECT_EQ(intake_.events.size(), PluginHub::kMaxUnacked + 1);
  for (uint64_t id = kFirst + 1; id < kEnd - 2; ++id) {
    hub_->acked(intake_.events[0].peer, id);
    settle();
  }
  EXPECT_EQ(intake_.events.size(), kMany);
}

TEST_F(HubTest, AnIdThatComesAgainCountsAgain) {
  const int fd = plugin("odd");
  for (uint64_t i = 0; i < kMany; ++i) request(fd, 2, "events", {{"events", json::array()}});
  EXPECT_EQ(intake_.events.size(), PluginHub::kMaxUnacked);
}

TEST_F(HubTest, OneThatIsNotReadBecauseItsBatchesWaitIsNotSilent) {
  const int fd = plugin("zfs", {{"heartbeat_ms", 1000}});
  for (uint64_t id = kFirst; id < kEnd; ++id)
    request(fd, id, "events", {{"events", json::array()}});
  say(fd, R"({"jsonrpc":"2.0","method":"heartbeat"})"
          "\n");
  for (int i = 0; i < 30; ++i) {
    boot_ += 4 * kSecond;
    hub_->check_now();
  }
  EXPECT_TRUE(intake_.findings.empty()) << "nobody listens to it";
  for (uint64_t id = kFirst; id < kEnd; ++id) hub_->acked(intake_.events[0].peer, id);
  settle();
  boot_ += 4 * kSecond;
  hub_->check_now();
  ASSERT_EQ(intake_.findings.size(), 1u) << "now it is";
  EXPECT_EQ(intake_.findings[0].event_class, "ereport.fmd.plugin.silent");
}

const std::string kBeat = R"({"jsonrpc":"2.0","method":"heartbeat"})"
                          "\n";

// With the real boot clock, so that the loop's timers fire. The hub sets them while its clock is 5 s behind; once the clock is
// corrected they are overdue.
class OverdueHub : public HubTest {
 protected:
  void SetUp() override {
    HubTest::SetUp();
    const auto boot = [this] {
      timespec now{};
      clock_gettime(CLOCK_BOOTTIME, &now);
      return now.tv_sec * kSecond + now.tv_nsec - behind_ns_;
    };
    hub_ = std::make_unique<PluginHub>(loop_, Clock{boot, boot}, intake_, kOwnUid);
    talker_ = greet("talker");
    mute_ = greet("mute");
    hub_->check_now();
    behind_ns_ = 0;
  }
  // Not plugin(), which runs the loop until nothing is due.
  int greet(const std::string& name) {
    const int fd = connect();
    const std::string hello =
        json{{"jsonrpc", "2.0"},
             {"id", 1},
             {"method", "hello"},
             {"params", {{"name", name}, {"protocol", 1}, {"heartbeat_ms", 1000}}}}
            .dump() +
        "\n";
    EXPECT_GT(::send(fd, hello.data(), hello.size(), MSG_NOSIGNAL), 0);
    for (int runs = 0; runs < 20; ++runs) EXPECT_GE(sd_event_run(loop_, 0), 0);
    EXPECT_EQ(intake_.hellos.back().what, name);
    return fd;
  }
  // At least one more line is there whenever the loop looks.
  void talk(int looks) {
    for (; intake_.findings.empty() && looks > 0; --looks) {
      for (int lines = 0; lines < 10; ++lines)
        (void)!::send(talker_, kBeat.data(), kBeat.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ASSERT_GE(sd_event_run(loop_, 0), 0);
    }
  }
  int64_t behind_ns_ = 5 * kSecond;
  int talker_ = -1, mute_ = -1;
};

TEST_F(OverdueHub, EndlessInputDoesNotDelayTheChecks) {
  talk(1000);
  ASSERT_EQ(intake_.findings.size(), 1u);
  EXPECT_EQ(intake_.findings[0].name, "mute");
}

TEST_F(OverdueHub, AHeartbeatInTheSocketCounts) {
  ASSERT_GT(::send(mute_, kBeat.data(), kBeat.size(), MSG_NOSIGNAL), 0);
  talk(1000);
  EXPECT_TRUE(intake_.findings.empty()) << intake_.findings[0].name;
}

const json kKnowsKept = {{"kept", true}};
const json kNoEvents = {{"events", json::array()}};

std::vector<uint64_t> kept_in(const std::vector<json>& lines) {
  std::vector<uint64_t> out;
  for (const json& line : lines)
    if (line.value("method", "") == "kept")
      for (const json& id : line["params"]["requests"]) out.push_back(id.get<uint64_t>());
  return out;
}

TEST_F(HubTest, WhileNothingReachesTheDiskEachIsToldWhatIsKeptAndGoesOn) {
  const int fd = plugin("zfs", kKnowsKept);
  const int other = plugin("disk", kKnowsKept);
  for (uint64_t id = kFirst; id < kEnd; ++id) request(fd, id, "events", kNoEvents);
  ASSERT_EQ(intake_.events.size(), PluginHub::kMaxUnacked);
  hub_->set_flow(Flow::ahead);
  settle();
  EXPECT_EQ(intake_.events.size(), kMany);
  std::vector<uint64_t> each(kMany);
  std::iota(each.begin(), each.end(), kFirst);
  EXPECT_EQ(kept_in(hear(fd)), each) << "each once";
  EXPECT_TRUE(hear(other).empty());
  hub_->set_flow(Flow::acked);
  request(fd, kEnd, "events", kNoEvents);
  EXPECT_EQ(intake_.events.size(), kMany + 1) << "what is kept is no request under way";
  for (uint64_t id = kFirst; id <= kEnd; ++id) hub_->acked(intake_.events[0].peer, id);
  EXPECT_EQ(hub_->table().find("zfs")->batches_unacked, 0u);
  EXPECT_TRUE(hear(fd).empty());
}

TEST_F(HubTest, OneThatDoesNotKnowTheWordWaits) {
  const int fd = plugin("old");
  hub_->set_flow(Flow::ahead);
  for (uint64_t id = kFirst; id < kEnd; ++id) request(fd, id, "events", kNoEvents);
  EXPECT_EQ(intake_.events.size(), PluginHub::kMaxUnacked + 1);
  EXPECT_TRUE(hear(fd).empty());
}

TEST_F(HubTest, WithMemoryFullTooAnswersAreReadAndANewOneIsHeard) {
  const int fd =
      plugin("enclosure", {{"kept", true}, {"handles", {"hc://"}}, {"commands", {"set_led"}}});
  hub_->set_flow(Flow::ahead);
  hub_->set_flow(Flow::held);
  for (uint64_t id = 2; id < 2 + PluginHub::kMaxUnacked; ++id) request(fd, id, "events", kNoEvents);
  EXPECT_TRUE(hear(fd).empty()) << "none is called kept";
  std::string status;
  hub_->call({"hc://bay=1", "set_led", "hc://bay=1", "k", "{}"},
             [&](const PluginAnswer& answer) { status = answer.status; });
  const auto asked = hear(fd);
  ASSERT_EQ(asked.size(), 1u);
  say(fd,
      json{{"jsonrpc", "2.0"}, {"id", asked[0]["id"]}, {"result", {{"status", "done"}}}}.dump() +
          "\n");
  EXPECT_EQ(status, "done");
  const size_t hellos = intake_.hellos.size();
  const int late = plugin("late", kKnowsKept);
  EXPECT_EQ(intake_.hellos.size(), hellos + 1);
  request(late, 2, "events", kNoEvents);
  EXPECT_EQ(intake_.events.back().what, "late");
}

TEST_F(HubTest, InventoryThatIsTakenInCostsNothingMore) {
  const int fd = plugin("zfs", kKnowsKept);
  hub_->set_flow(Flow::held);
  for (uint64_t id = 2; id < 40; ++id) {
    request(fd, id, "inventory",
            {{"complete", false}, {"resources", json::array()}, {"gone", json::array()}});
    ASSERT_EQ(intake_.inventories.size(), id - 1);
    hub_->taken_in(intake_.inventories.back().peer, id);
    EXPECT_EQ(kept_in(hear(fd)), std::vector<uint64_t>{id});
  }
}

TEST_F(HubTest, OneThatDoesNotReadIsCutOffByTheLoop) {
  const int deaf = plugin("deaf", kKnowsKept);
  const PeerId peer = intake_.hellos.back().peer;
  for (uint64_t id = 2; id < 8; ++id) request(deaf, id, "events", kNoEvents);
  hub_->answer(peer, 99, {{"text", std::string(Connection::kMaxOutput + (1 << 20), 'x')}});
  hub_->set_flow(Flow::ahead);  // all in one turn of the loop
  hub_->set_flow(Flow::held);
  hub_->acked(peer, 2);
  settle();
  bool closed = false;
  hear(deaf, &closed);
  EXPECT_TRUE(closed);
  EXPECT_FALSE(hub_->table().find("deaf")->connected());
  ASSERT_FALSE(intake_.findings.empty());
  EXPECT_EQ(intake_.findings.back().event_class, "ereport.fmd.plugin.protocol");
}

// What it sent over connections before is in memory still.
TEST_F(HubTest, WhatIsKeptOfOneHasItsBoundOverAllItsConnections) {
  hub_->set_flow(Flow::ahead);
  const json big = {{"events", json::array()}, {"cursor", std::string(900 << 10, 'x')}};
  const std::string line =
      json{{"jsonrpc", "2.0"}, {"id", 2}, {"method", "events"}, {"params", big}}.dump() + "\n";
  for (int connection = 0; connection < 8; ++connection) {
    const int fd = plugin("flood", kKnowsKept);
    for (int sent = 0; sent < 6; ++sent) {
      for (size_t at = 0; at < line.size();) {
        const ssize_t took = ::send(fd, line.data() + at, line.size() - at, MSG_NOSIGNAL);
        if (took <= 0) break;  // it stays in the socket
        at += static_cast<size_t>(took);
        settle();
      }
    }
  }
  const size_t most =
      (Unacked::kMostBytes + PluginHub::kMaxUnacked * wire::kMaxLine) / (line.size() - 1) + 1;
  EXPECT_EQ(intake_.events.size(), most);
}

TEST(Unacked, OneThatFloodsLeavesRoom) {
  Unacked unacked;
  for (uint64_t id = 1; id <= 10; ++id) unacked.add(1, id, "flood", 10, 1000);
  EXPECT_EQ(unacked.keep(1).size(), 4u);
  EXPECT_EQ(unacked.unkept(1), 6u);
  unacked.remove(1, 1);
  EXPECT_EQ(unacked.keep(1), std::vector<uint64_t>{5});
  for (uint64_t id = 2; id <= 10; ++id) unacked.remove(1, id);
  unacked.remove(1, 10);
  EXPECT_EQ(unacked.count(1), 0u);
}

TEST(Unacked, BytesOfOneHaveTheirBoundAndComeBack) {
  Unacked unacked;
  const size_t each = Unacked::kMostBytes / 4;
  for (uint64_t id = 1; id <= 8; ++id) unacked.add(1, id, "big", each, 1);
  EXPECT_EQ(unacked.keep(1).size(), 4u);
  EXPECT_TRUE(unacked.is_full("big"));
  EXPECT_FALSE(unacked.is_full("other"));
  unacked.add(2, 1, "other", each, 1);
  EXPECT_EQ(unacked.keep(2).size(), 1u);
  unacked.remove(1, 1);
  EXPECT_FALSE(unacked.is_full("big"));
  EXPECT_EQ(unacked.keep(1), std::vector<uint64_t>{5});
}

}  // namespace
}  // namespace fmd::hub_test
