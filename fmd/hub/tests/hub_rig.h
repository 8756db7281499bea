// A hub with peers on sockets of their own; records what the hub passes on.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fmd/base/json.h"
#include "fmd/hub/hub.h"

namespace fmd::hub_test {

using nlohmann::json;

constexpr int64_t kSecond = 1000000000;
constexpr uint64_t kStepUs = 20000;
inline const uid_t kOwnUid = geteuid();

struct Recorder : PluginIntake {
  struct Request {
    PeerId peer;
    uint64_t id;
    std::string what;
    size_t count = 0;
  };
  std::vector<Request> hellos, events, inventories;
  std::vector<protocol::EventsMessage::Rejected> rejected;
  std::vector<PluginFinding> findings;
  std::vector<std::string> changed;
  size_t readings = 0;
  int handlers = 0;

  void plugin_hello(PeerId peer, uint64_t id, const std::string& name) override {
    hellos.push_back({peer, id, name});
  }
  void plugin_events(PeerId peer, uint64_t id, const std::string& name,
                     protocol::EventsMessage m) override {
    events.push_back({peer, id, name, m.events.size()});
    for (auto& one : m.rejected) rejected.push_back(std::move(one));
  }
  void plugin_inventory(PeerId peer, uint64_t id, InventoryUpdate update) override {
    inventories.push_back({peer, id, update.source, update.resources.size()});
  }
  void plugin_readings(const std::string&, protocol::ReadingsMessage message) override {
    readings += message.readings.size();
  }
  void plugin_finding(const PluginFinding& finding) override { findings.push_back(finding); }
  void plugin_changed(const std::string& name) override { changed.push_back(name); }
  void handlers_changed() override { ++handlers; }
};

inline PluginGrant given_to(const std::string& user, bool notifier = false) {
  PluginGrant grant;
  grant.user = user;
  grant.notifier = notifier;
  return grant;
}

class HubTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(sd_event_new(&loop_), 0);
    hub_ = std::make_unique<PluginHub>(
        loop_, Clock{[this] { return 5 + boot_; }, [this] { return boot_; }}, intake_, kOwnUid);
  }
  void TearDown() override {
    hub_.reset();
    for (int fd : peers_) ::close(fd);
    sd_event_unref(loop_);
  }

  int connect(int send_buffer = 0, uid_t uid = 0) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    if (send_buffer > 0)
      setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    hub_->add_peer(pair[0], Peer{1234, uid, uid, {}});
    peers_.push_back(pair[1]);
    return pair[1];
  }

  void settle() {
    while (sd_event_run(loop_, kStepUs) > 0) {
    }
  }

  void say(int fd, const std::string& text) {
    ASSERT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    settle();
  }

  void request(int fd, uint64_t id, const std::string& method, const json& params) {
    say(fd,
        json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() + "\n");
  }

  int plugin(const std::string& name, const json& more = json::object(), uid_t uid = 0) {
    const int fd = connect(0, uid);
    json params = {{"name", name}, {"protocol", 1}, {"observes", {"ereport.*"}}};
    params.update(more);
    request(fd, 1, "hello", params);
    return fd;
  }

  // Everything the hub has sent so far, as lines; closed tells whether it hung up after them.
  std::vector<json> hear(int fd, bool* closed = nullptr) {
    std::string text;
    char bytes[65536];
    ssize_t got;
    while ((got = recv(fd, bytes, sizeof bytes, 0)) > 0)
      text.append(bytes, static_cast<size_t>(got));
    if (closed) *closed = got == 0;
    std::vector<json> lines;
    for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      lines.push_back(json::parse(text.substr(at, end - at)));
    return lines;
  }

  void expect_cut_off(int fd, const std::string& reason) {
    bool closed = false;
    const auto lines = hear(fd, &closed);
    EXPECT_TRUE(closed);
    ASSERT_FALSE(lines.empty());
    EXPECT_NE(lines.back()["error"]["message"].get<std::string>().find(reason), std::string::npos)
        << lines.back();
    ASSERT_FALSE(intake_.findings.empty());
    EXPECT_EQ(intake_.findings.back().event_class, "ereport.fmd.plugin.protocol");
  }

  sd_event* loop_ = nullptr;
  int64_t boot_ =
      1000000000 * kSecond;  // later than any real one: the loop's own timer never fires
  Recorder intake_;
  std::unique_ptr<PluginHub> hub_;
  std::vector<int> peers_;
};

}  // namespace fmd::hub_test
