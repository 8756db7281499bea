#include "fmd/hub/hub.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fmd/base/json.h"
#include "fmd/hub/tests/hub_rig.h"
#include "fmd/model/inventory.h"

namespace fmd::hub_test {
namespace {

TEST_F(HubTest, HelloIsAnsweredWhenTheDaemonSaysSo) {
  const int fd = plugin("zfs");
  ASSERT_EQ(intake_.hellos.size(), 1u);
  EXPECT_TRUE(hear(fd).empty()) << "not before everything earlier is committed";
  hub_->welcome(intake_.hellos[0].peer, intake_.hellos[0].id, {"77", "", true});
  const auto lines = hear(fd);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["result"]["cursor"], "77");
  EXPECT_EQ(lines[0]["result"]["boot"], true);
  EXPECT_EQ(lines[0]["id"], 1);
}

TEST_F(HubTest, EventsInventoryReadingsAndStatusAreHandedIn) {
  const int fd = plugin("zfs");
  request(fd, 2, "events",
          {{"events", {{{"class", "ereport.x.y"}, {"resource", "zfs://pool=1"}, {"time", 1}}}}});
  request(fd, 3, "inventory", {{"resources", {{{"fmri", "zfs://pool=1"}, {"type", "zfs-pool"}}}}});
  say(fd,
      R"({"jsonrpc":"2.0","method":"readings","params":{"readings":[{"resource":"zfs://pool=1","name":"t","value":1.5}]}})"
      "\n");
  say(fd,
      R"({"jsonrpc":"2.0","method":"status","params":{"state":"not-observed","reason":"no zpool"}})"
      "\n");
  ASSERT_EQ(intake_.events.size(), 1u);
  EXPECT_EQ(intake_.events[0].count, 1u);
  ASSERT_EQ(intake_.inventories.size(), 1u);
  EXPECT_EQ(intake_.inventories[0].what, "zfs");
  EXPECT_EQ(intake_.readings, 1u);
  EXPECT_EQ(hub_->table().find("zfs")->shown_state(), "not-observed");
  EXPECT_EQ(hub_->table().find("zfs")->reason, "no zpool");
  EXPECT_EQ(hub_->table().find("zfs")->process.pid, 1234);
}

TEST_F(HubTest, NonsenseIsCutOffAndReportedAndOthersGoOn) {
  const int good = plugin("good");
  const int bad = plugin("bad");
  say(bad, "nonsense\n");
  expect_cut_off(bad, "malformed");
  EXPECT_EQ(intake_.findings.back().name, "bad");
  request(good, 2, "events", {{"events", json::array()}});
  EXPECT_EQ(intake_.events.size(), 1u);
}

TEST_F(HubTest, TheFirstMessageMustBeHelloAndTheSecondMustNot) {
  const int early = connect();
  request(early, 1, "events", {{"events", json::array()}});
  expect_cut_off(early, "hello");
  const int twice = plugin("twice");
  request(twice, 2, "hello", {{"name", "twice"}, {"protocol", 1}});
  expect_cut_off(twice, "second hello");
}

TEST_F(HubTest, OversizedLineIsCutOff) {
  const int fd = plugin("big");
  std::string flood(100000, 'x');
  for (int i = 0; i < 11; ++i) {
    (void)!::send(fd, flood.data(), flood.size(), MSG_NOSIGNAL);
    settle();
  }
  ASSERT_FALSE(intake_.findings.empty());
  EXPECT_NE(intake_.findings.back().reason.find("bytes"), std::string::npos);
}

TEST_F(HubTest, APeerThatDoesNotReadIsCutOffAtTheBound) {
  const int fd = plugin("slow");
  const json big = {{"text", std::string(1 << 20, 'x')}};
  for (size_t i = 0; i <= Connection::kMaxOutput >> 20; ++i)
    hub_->answer(intake_.hellos[0].peer, 9, big);
  settle();
  ASSERT_FALSE(intake_.findings.empty());
  EXPECT_NE(intake_.findings.back().reason.find("does not read"), std::string::npos);
  (void)fd;
}

TEST_F(HubTest, APeerThatTakesNothingForHalfAMinuteIsCutOff) {
  const int fd = plugin("stuck", {{"heartbeat_ms", 3600000}});
  hub_->answer(intake_.hellos[0].peer, 9, {{"text", std::string(1 << 20, 'x')}});
  settle();
  boot_ += Connection::kMaxStallNs;
  hub_->set_flow(Flow::acked);  // arms the timer again
  hub_->check_now();
  ASSERT_FALSE(intake_.findings.empty());
  EXPECT_NE(intake_.findings.back().reason.find("not read"), std::string::npos);
  (void)fd;
}

TEST_F(HubTest, TheNewerConnectionOfANameTakesOver) {
  const int first = plugin("zfs", {{"handles", {"zfs://"}}});
  std::string outcome;
  hub_->call({"zfs://pool=1", "retire", "zfs://pool=1", "k", "{}"},
             [&](const PluginAnswer& a) { outcome = a.status; });
  const int second = plugin("zfs", {{"handles", {"zfs://"}}});
  bool closed = false;
  hear(first, &closed);
  EXPECT_TRUE(closed);
  EXPECT_EQ(outcome, "failed") << "its command is given up";
  EXPECT_TRUE(intake_.findings.empty());
  EXPECT_TRUE(hub_->handles("zfs://pool=1"));
  hub_->welcome(intake_.hellos[1].peer, 1, {});
  EXPECT_EQ(hear(second).size(), 1u);
}

TEST_F(HubTest, ANameIsTakenOverByTheSameUserOrRootOnly) {
  hub_->set_grants({{"pager", given_to("1001")}});
  const int first = plugin("zfs");
  expect_cut_off(plugin("zfs", json::object(), 1001), "may not be the plugin");
  EXPECT_TRUE(hub_->table().find("zfs")->connected());
  bool closed = false;
  hear(first, &closed);
  EXPECT_FALSE(closed);
  const int owners = plugin("pager", {{"observes", json::array()}}, 1001);
  hear(owners, &closed);
  EXPECT_FALSE(closed);
  plugin("pager", {{"observes", json::array()}});  // root's may
  hear(owners, &closed);
  EXPECT_TRUE(closed);
  expect_cut_off(plugin("pager", {{"observes", json::array()}}, 1001), "does not take over");
  EXPECT_EQ(hub_->table().find("pager")->process.uid, 0u);
}

TEST_F(HubTest, AGrantTakenBackEndsTheConnection) {
  hub_->set_grants({{"pager", given_to("1001")}});
  const int fd = plugin("pager", {{"observes", json::array()}}, 1001);
  EXPECT_EQ(intake_.hellos.size(), 1u);
  hub_->set_grants({});
  settle();
  expect_cut_off(fd, "may not be the plugin");
}

TEST_F(HubTest, EventsThatItDoesNotObserveAreRejectedWithTheirText) {
  const int fd = plugin("zfs", {{"observes", {"ereport.fs.zfs.*", "sysevent.x"}}});
  json events = json::array();
  for (const char* name : {"ereport.fs.zfs.io", "ereport.disk.io.medium", "sysevent.x"})
    events.push_back({{"class", name}, {"resource", "zfs://pool=1"}, {"time", 1}});
  request(fd, 2, "events", {{"events", events}});
  ASSERT_EQ(intake_.events.size(), 1u);
  EXPECT_EQ(intake_.events[0].count, 2u);
  ASSERT_EQ(intake_.rejected.size(), 1u);
  EXPECT_EQ(intake_.rejected[0].index, 1u);
  EXPECT_EQ(intake_.rejected[0].reason,
            "ereport.disk.io.medium is not among what it observes: \"observes\" of its hello "
            "names ereport.fs.zfs.*, sysevent.x");
  EXPECT_EQ(json::parse(intake_.rejected[0].raw)["resource"], "zfs://pool=1");
}

TEST_F(HubTest, ANotifierThatDescribesOrMeasuresIsCutOff) {
  hub_->set_grants({{"mail", given_to("1001", true)}});
  const json about = {{"observes", json::array()}, {"handles", {"outbox:mail"}}};
  const int describes = plugin("mail", about, 1001);
  hear(describes);
  request(describes, 2, "inventory",
          {{"resources", {{{"fmri", "dev://wwn=1"}, {"type", "disk"}}}}});
  expect_cut_off(describes, "does not let it describe");
  const int measures = plugin("mail", about, 1001);
  hear(measures);
  say(measures,
      R"({"jsonrpc":"2.0","method":"readings","params":{"readings":[{"resource":"dev://wwn=1","name":"t","value":1}]}})"
      "\n");
  bool closed = false;
  hear(measures, &closed);
  EXPECT_TRUE(closed);
  EXPECT_TRUE(intake_.inventories.empty());
  EXPECT_EQ(intake_.readings, 0u);
}

TEST_F(HubTest, ACommandIsAnsweredRefusedLateOrLost) {
  const int fd = plugin("zfs", {{"handles", {"zfs://"}}});
  std::vector<PluginAnswer> answers;
  const auto note = [&](PluginAnswer a) { answers.push_back(std::move(a)); };
  PluginCall call{"zfs://pool=1", "retire", "zfs://pool=1", "key-1", R"({"to":"degraded"})", 60000};
  hub_->call(call, note);
  settle();
  const json sent = hear(fd).at(0);
  EXPECT_EQ(sent["method"], "command");
  EXPECT_EQ(sent["params"]["key"], "key-1");
  EXPECT_EQ(sent["params"]["args"]["to"], "degraded");
  EXPECT_EQ(sent["params"]["deadline_ms"], 60000);
  say(fd, json{{"jsonrpc", "2.0"},
               {"id", sent["id"]},
               {"result", {{"status", "done"}, {"reason", "ok"}}}}
                  .dump() +
              "\n");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status, "done");

  hub_->call(call, note);
  boot_ += 60 * kSecond;
  hub_->check_now();
  settle();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].reason, "no answer in 60s");
  const json late = hear(fd).at(0);
  say(fd,
      json{{"jsonrpc", "2.0"}, {"id", late["id"]}, {"result", {{"status", "done"}}}}.dump() + "\n");
  EXPECT_EQ(answers.size(), 2u) << "too late";

  hub_->call(call, note);
  ::shutdown(fd, SHUT_RDWR);
  settle();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[2].status, "failed");
  hub_->call(call, note);
  settle();
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_NE(answers[3].reason.find("no plugin"), std::string::npos);
  EXPECT_GE(intake_.handlers, 2);
}

TEST_F(HubTest, WhoWantsALateAnswerIsToldAgain) {
  const int fd = plugin("zfs", {{"handles", {"zfs://"}}});
  std::vector<PluginAnswer> answers;
  PluginCall call{"zfs://pool=1", "retire", "zfs://pool=1", "key-1", "{}", 60000, true};
  const auto note = [&](PluginAnswer a) { answers.push_back(std::move(a)); };
  const auto answer = [&](const json& sent) {
    say(fd, json{{"jsonrpc", "2.0"}, {"id", sent["id"]}, {"result", {{"status", "done"}}}}.dump() +
                "\n");
  };
  hub_->call(call, note);
  settle();
  const json sent = hear(fd).at(0);
  boot_ += 60 * kSecond;
  hub_->check_now();
  settle();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].unanswered);
  answer(sent);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].status, "done");
  EXPECT_FALSE(answers[1].unanswered);
  answer(sent);
  EXPECT_EQ(answers.size(), 2u) << "once";
}

// "bmc" is granted as much as fmd-enclosure, sorts before it, describes the LED as well and answers first.
TEST_F(HubTest, AnotherPluginNeitherDrivesAnLedNorAnswersForIt) {
  const std::string bay = "hc://chassis=1/bay=4";
  PluginGrant of_bays;
  of_bays.handles = {"hc://"};
  hub_->set_grants({{"enclosure", of_bays}, {"bmc", of_bays}});
  Inventory inventory;
  for (const char* source : {"enclosure", "bmc"}) {
    InventoryUpdate update;
    update.source = source;
    Resource led;
    led.fmri = bay;
    led.type = "bay";
    led.properties = {{"led.fault", Value(std::string("off"))}};
    update.resources = {led};
    (void)inventory.apply(update);
  }
  hub_->route_by(inventory);
  const json takes = {{"handles", {bay}}, {"commands", {"set_led"}}, {"observes", json::array()}};
  const int liar = plugin("bmc", takes), shelf = plugin("enclosure", takes);
  std::vector<PluginAnswer> answers;
  const PluginCall call{bay, "set_led", bay, "key-1", R"({"indication":"fault","on":true})", 60000};
  hub_->call(call, [&](PluginAnswer a) { answers.push_back(std::move(a)); });
  settle();
  const std::vector<json> heard = hear(liar);
  EXPECT_TRUE(heard.empty()) << "the LED's command: " << json(heard);
  const std::vector<json> sent = hear(shelf);
  ASSERT_EQ(sent.size(), 1u);
  const auto answer = [&](int fd, const std::string& status) {
    say(fd,
        json{{"jsonrpc", "2.0"}, {"id", sent[0]["id"]}, {"result", {{"status", status}}}}.dump() +
            "\n");
  };
  answer(liar, "done");
  EXPECT_TRUE(answers.empty()) << "only who was asked answers";
  answer(shelf, "refused");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status, "refused");
  ::shutdown(shelf, SHUT_RDWR);
  settle();
  hub_->call(call, [&](PluginAnswer a) { answers.push_back(std::move(a)); });
  settle();
  EXPECT_TRUE(hear(liar).empty()) << "while fmd-enclosure is away";
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].status, "failed");
}

TEST_F(HubTest, SilenceWhileTheMachineSleptIsNoSilence) {
  plugin("zfs", {{"heartbeat_ms", 10000}});
  boot_ += 3600 * kSecond;
  hub_->check_now();
  EXPECT_TRUE(intake_.findings.empty());
  boot_ += 30 * kSecond;
  hub_->check_now();
  ASSERT_EQ(intake_.findings.size(), 1u);
  EXPECT_EQ(intake_.findings[0].event_class, "ereport.fmd.plugin.silent");
}

TEST_F(HubTest, OnePeersRepeatedNonsenseDoesNotFloodTheJournal) {
  for (int i = 0; i < 20; ++i) say(plugin("bad"), "nonsense\n");
  EXPECT_EQ(intake_.findings.size(), 1u);
  boot_ += 60 * kSecond;
  say(plugin("bad"), "nonsense\n");
  ASSERT_EQ(intake_.findings.size(), 2u);
  EXPECT_NE(intake_.findings[1].reason.find("19 more"), std::string::npos)
      << intake_.findings[1].reason;
}

TEST_F(HubTest, WhoConnectsAndSaysNothingIsSentAway) {
  const int fd = connect();
  boot_ += PluginHub::kHelloNs;
  hub_->check_now();
  expect_cut_off(fd, "no hello");
}

// All descriptors are in use: the peer that waits must not keep the loop busy.
TEST_F(HubTest, AConnectionThatCannotBeAcceptedWaitsASecond) {
  const std::string path = "/tmp/fmd-hub-full-" + std::to_string(getpid());
  ASSERT_TRUE(hub_->listen(path, "no-such-group"));
  settle();
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  peers_.push_back(fd);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{static_cast<rlim_t>(fd) + 1, before.rlim_max};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  int rounds = 0;
  while (rounds < 100 && sd_event_run(loop_, kStepUs) > 0) ++rounds;
  EXPECT_LT(rounds, 10);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  boot_ += PluginHub::kDoorNs;
  hub_->check_now();
  settle();
  request(fd, 1, "hello", {{"name", "zfs"}, {"protocol", 1}});
  EXPECT_EQ(intake_.hellos.size(), 1u);
  hub_->stop();
}

TEST_F(HubTest, ListensForOwnGroupOnlyAndReplacesAStaleSocket) {
  const std::string path = "/tmp/fmd-hub-test-" + std::to_string(getpid());
  ::close(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const auto listening = hub_->listen(path, "no-such-group");
  ASSERT_TRUE(listening) << listening.error().text();
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777, 0660u);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  peers_.push_back(fd);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  settle();
  request(fd, 1, "hello", {{"name", "zfs"}, {"protocol", 1}});
  ASSERT_EQ(intake_.hellos.size(), 1u);
  EXPECT_EQ(hub_->table().find("zfs")->process.pid, getpid());
  hub_->stop();
  EXPECT_NE(stat(path.c_str(), &status), 0);
}

TEST(Peer, MayBePluginByUidOrGroup) {
  const Peer root{1, 0, 0, {}}, own{1, 990, 990, {}}, member{1, 1000, 1000, {27, 991}},
      first{1, 1000, 991, {}}, stranger{1, 1000, 1000, {27}};
  for (const Peer& peer : {root, own, member, first})
    EXPECT_TRUE(may_be_plugin(peer, 990, 991)) << peer.uid;
  EXPECT_FALSE(may_be_plugin(stranger, 990, 991));
  EXPECT_FALSE(may_be_plugin(member, 990, std::nullopt));
}

}  // namespace
}  // namespace fmd::hub_test
