#include "fmd/bus/bus_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "fmd/bus/authorizer.h"
#include "fmd/bus/objects.h"
#include "fmd/bus/tests/fake_control.h"
#include "fmd/bus/tests/mock_polkit.h"
#include "fmd/bus/tests/private_bus.h"

namespace fmd {
namespace {

using nlohmann::json;
using test::FakeControl;
using test::MockPolkit;
using test::PrivateBus;
using Clock = std::chrono::steady_clock;

constexpr const char* kBay = "hc://chassis=5/bay=6";
constexpr const char* kUuid = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c";

json case_doc() {
  return {{"uuid", kUuid},
          {"code", "ZFS-8000-GH"},
          {"severity", "Major"},
          {"state", "SOLVED"},
          {"opened", 1000},
          {"updated", 2000},
          {"description", "Disk returns wrong data"},
          {"suspects",
           {{{"class", "fault.fs.zfs.vdev.checksum"},
             {"certainty", 100},
             {"status", "faulty"},
             {"asru", "zfs://pool=1/vdev=2"},
             {"location", "SLOT 06"},
             {"serial", "Z1\u00e4"}}}}};
}

json bay_doc() {
  return {{"fmri", kBay},
          {"type", "bay"},
          {"properties", {{"label", "SLOT 06"}, {"led.locate", "off"}}}};
}

struct Reply {
  bool error = false;
  std::string name, text;  // of an error
  bus::MessagePtr message;
};

class BusServerTest : public testing::Test {
 protected:
  BusServerTest() {
    sd_event* raw = nullptr;
    sd_event_new(&raw);
    event_.reset(raw);
    control_.put_resource(bay_doc());
    control_.put_case(case_doc(), "diagnosed");
  }

  // Runs the loop until it is so; false when that takes more than ten seconds.
  bool until(const std::function<bool()>& condition) {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (!condition()) {
      if (Clock::now() > deadline) return false;
      sd_event_run(event_.get(), 100'000);
    }
    return true;
  }

  void serve(std::optional<std::set<uint32_t>> privileged = std::nullopt) {
    BusOptions options;
    options.address = bus_.address();
    options.privileged_uids = std::move(privileged);
    options.first_retry_us = 1000;
    options.max_retry_us = 20'000;
    options.coalesce_us = 1000;
    options.log = [this](int, std::string_view text) { log_.emplace_back(text); };
    auto server = BusServer::create(event_.get(), control_, std::move(options));
    ASSERT_TRUE(server) << server.error().text();
    server_ = std::move(*server);
    ASSERT_TRUE(until([this] { return server_->owns_name(); }));
    client_ = connect();
  }

  bus::BusPtr connect() {
    sd_bus* raw = nullptr;
    sd_bus_new(&raw);
    sd_bus_set_address(raw, bus_.address().c_str());
    sd_bus_set_bus_client(raw, 1);
    EXPECT_GE(sd_bus_start(raw), 0);
    sd_bus_attach_event(raw, event_.get(), 0);
    return bus::BusPtr(raw);
  }

  bus::MessagePtr method(const char* path, const char* interface, const char* member) {
    sd_bus_message* raw = nullptr;
    sd_bus_message_new_method_call(client_.get(), &raw, bus::kName, path, interface, member);
    return bus::MessagePtr(raw);
  }

  static int on_reply(sd_bus_message* message, void* userdata, sd_bus_error*) {
    auto& reply = *static_cast<Reply*>(userdata);
    if (const sd_bus_error* error = sd_bus_message_get_error(message)) {
      reply.error = true;
      reply.name = error->name;
      reply.text = error->message ? error->message : "";
    }
    reply.message.reset(sd_bus_message_ref(message));
    return 0;
  }

  Reply send(const bus::MessagePtr& message) {
    Reply reply;
    sd_bus_slot* slot = nullptr;
    EXPECT_GE(sd_bus_call_async(client_.get(), &slot, message.get(), on_reply, &reply, 20'000'000),
              0);
    const bus::SlotPtr owned(slot);
    EXPECT_TRUE(until([&] { return reply.message != nullptr; }));
    return reply;
  }

  template <class... Args>
  Reply call(const char* member, const char* types, Args... args) {
    auto message = method(bus::kPath, bus::kName, member);
    if (*types) sd_bus_message_append(message.get(), types, args...);
    return send(message);
  }

  static std::string own_name() {
    return geteuid() == 0 ? "root" : "uid " + std::to_string(geteuid());
  }

  static std::string text_of(const Reply& reply) {
    const char* text = "";
    EXPECT_FALSE(reply.error) << reply.name << ": " << reply.text;
    EXPECT_GE(sd_bus_message_read(reply.message.get(), "s", &text), 0);
    return text;
  }

  bus::EventPtr event_;
  FakeControl control_;
  PrivateBus bus_;
  std::vector<std::string> log_;
  std::unique_ptr<BusServer> server_;
  bus::BusPtr client_;
};

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

TEST_F(BusServerTest, APrivilegedCallerNeedsNoPolkit) {
  serve();  // this test's uid is the daemon's own
  const Reply reply = call("Locate", "sb", "SLOT 06", 1);
  EXPECT_EQ(text_of(reply), "hc://chassis=5/bay=6");
  EXPECT_EQ(control_.changes.back(), "locate [SLOT 06] on by " + own_name());
}

TEST_F(BusServerTest, AHeldLightGoesOutWhenItsCallerLeaves) {
  serve();
  EXPECT_EQ(text_of(call("HoldLocate", "s", "SLOT 06")), kBay);
  EXPECT_EQ(control_.changes, std::vector<std::string>{"hold locate [SLOT 06] by " + own_name()});
  const bus::BusPtr keeper = std::exchange(client_, connect());
  EXPECT_FALSE(call("ReleaseLocate", "").error) << "another's is not touched";
  EXPECT_TRUE(control_.held.contains(kBay));
  client_ = nullptr;  // one that holds nothing leaves
  client_ = connect();
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]") << "by now fmd has heard of that";
  EXPECT_TRUE(control_.held.contains(kBay));
  sd_bus_close(keeper.get());
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(BusServerTest, AHeldLightGoesOutWhenItsCallerSaysSo) {
  serve(std::set<uint32_t>{});
  auto polkit =
      std::make_unique<MockPolkit>(event_.get(), bus_.address(), MockPolkit::Answer::allow);
  EXPECT_EQ(text_of(call("HoldLocate", "s", "SLOT 06")), kBay);
  EXPECT_EQ(polkit->asked.size(), 1u);
  polkit.reset();
  EXPECT_FALSE(call("ReleaseLocate", "").error) << "needs nobody's leave";
  EXPECT_TRUE(control_.held.empty());
}

TEST_F(BusServerTest, ACallerThatLeftBeforePolkitsAnswerHoldsNothing) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::silent);
  auto message = method(bus::kPath, bus::kName, "HoldLocate");
  sd_bus_message_append(message.get(), "s", "SLOT 06");
  sd_bus_call_async(client_.get(), nullptr, message.get(), nullptr, nullptr, 0);
  ASSERT_TRUE(until([&] { return polkit.asked.size() == 1; }));
  message.reset();
  client_.reset();
  polkit.release();
  ASSERT_TRUE(until([&] { return !control_.changes.empty(); }));
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(BusServerTest, WhoHoldsALightIsLookedForAfterARestart) {
  serve();
  text_of(call("HoldLocate", "s", "SLOT 06"));
  const std::string holder = control_.held[kBay];
  server_.reset();
  const bus::BusPtr keeper = std::exchange(client_, nullptr);
  control_.held["hc://chassis=5/bay=7"] = "0123456789abcdef0123456789abcdef:1.0";  // another bus's
  control_.held["hc://chassis=5/bay=8"] = holder.substr(0, 32) + ":1.999";
  serve();
  using Held = std::map<std::string, std::string>;
  EXPECT_TRUE(until([&] { return control_.held == Held{{kBay, holder}}; }));
  sd_bus_close(keeper.get());
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(BusServerTest, NoLightIsHeldOverTheEndOfTheBus) {
  serve();
  text_of(call("HoldLocate", "s", "SLOT 06"));
  text_of(call("ListSerd", ""));  // by now the bus has said that we are there
  bus_.stop();
  ASSERT_TRUE(until([this] { return !server_->owns_name(); }));
  EXPECT_TRUE(control_.held.contains(kBay)) << "a bus that is away says nothing";
  bus_.start();
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(BusServerTest, OthersAreAllowedByPolkit) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::allow);
  const Reply reply = call("Judge", "sss", "replaced", "", "SLOT 06");
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
  EXPECT_TRUE(call("Judge", "sss", "repaired", kUuid, "").error);
  EXPECT_TRUE(call("Acknowledge", "ss", kUuid, "seen").error);
  EXPECT_TRUE(call("Locate", "sb", "SLOT 06", 1).error);
  EXPECT_TRUE(call("HoldLocate", "s", "SLOT 06").error);
  EXPECT_TRUE(call("SetDryRun", "b", 1).error);
  EXPECT_TRUE(call("Reload", "").error);
  std::vector<std::string> actions;
  for (const auto& asked : polkit.asked) actions.push_back(asked.substr(0, asked.find(' ')));
  EXPECT_EQ(actions, (std::vector<std::string>{
                         "org.fmd.faultmanager1.judge", "org.fmd.faultmanager1.acknowledge",
                         "org.fmd.faultmanager1.locate", "org.fmd.faultmanager1.locate",
                         "org.fmd.faultmanager1.configure", "org.fmd.faultmanager1.configure"}));
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
    sd_bus_call_async(client_.get(), nullptr, message.get(), on_reply, &reply, 20'000'000);
  }
  ASSERT_TRUE(until([&] { return polkit.asked.size() == waiting.size(); }));
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]");
  EXPECT_EQ(call("Reload", "").name, SD_BUS_ERROR_LIMITS_EXCEEDED);
  EXPECT_TRUE(control_.changes.empty());
  polkit.release();
  EXPECT_TRUE(until([&] { return waiting.back().message != nullptr; }));
  EXPECT_EQ(control_.changes.size(), waiting.size());
}

TEST_F(BusServerTest, ControlsErrorsReachTheCaller) {
  serve();
  const Reply reply = call("Judge", "sss", "repaired", "", "nowhere");
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
  ASSERT_TRUE(until([this] { return log_.size() >= 3; }));  // tried in vain, and said so
  bus_.start();
  ASSERT_TRUE(until([this] { return server_->owns_name(); }));
  client_ = connect();
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]");
  EXPECT_LE(log_.size(), 4u);  // the same trouble is not said twice
}

TEST_F(BusServerTest, WithoutABusTheDaemonGoesOn) {
  BusOptions options;
  options.address = "unix:path=/nonexistent/socket";
  options.log = [this](int, std::string_view text) { log_.emplace_back(text); };
  const auto server = BusServer::create(event_.get(), control_, options);
  ASSERT_TRUE(server);
  EXPECT_TRUE(until([this] { return !log_.empty(); }));
  EXPECT_FALSE((*server)->owns_name());
  control_.put_case(case_doc(), "updated");  // news nobody hears
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

// ---- objects -----------------------------------------------------------------------------------

struct Heard {
  std::vector<std::string> signals;  // "InterfacesAdded /path", "CaseChanged uuid event"
};

int on_signal(sd_bus_message* message, void* userdata, sd_bus_error*) {
  const char *first = "", *second = "";
  std::string line = sd_bus_message_get_member(message);
  const std::string signature = sd_bus_message_get_signature(message, 1);
  if (line == "PropertiesChanged") line += std::string(" ") + sd_bus_message_get_path(message);
  if (signature.starts_with('o') && sd_bus_message_read(message, "o", &first) > 0)
    line += std::string(" ") + first;
  if (signature == "ss" && sd_bus_message_read(message, "ss", &first, &second) > 0)
    line += std::string(" ") + first + " " + second;
  static_cast<Heard*>(userdata)->signals.push_back(line);
  return 0;
}

class BusObjectsTest : public BusServerTest {
 protected:
  void listen() {
    bool ready = false;
    auto on_ready = [](sd_bus_message*, void* done, sd_bus_error*) {
      *static_cast<bool*>(done) = true;
      return 0;
    };
    sd_bus_slot* slot = nullptr;
    sd_bus_add_match_async(client_.get(), &slot,
                           "type='signal',path_namespace='/org/fmd/FaultManager1'", on_signal,
                           nullptr, &heard_);
    match_.reset(slot);
    // The bus answers in order: once this is answered the match is in force.
    sd_bus_call_method_async(client_.get(), nullptr, "org.freedesktop.DBus",
                             "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping", on_ready,
                             &ready, "");
    ASSERT_TRUE(until([&] { return ready; }));
  }
  bool hears(const std::string& line) {
    return until([&] {
      return std::find(heard_.signals.begin(), heard_.signals.end(), line) != heard_.signals.end();
    });
  }
  Reply get(const std::string& path, const char* interface, const char* property) {
    auto message = method(path.c_str(), "org.freedesktop.DBus.Properties", "Get");
    sd_bus_message_append(message.get(), "ss", interface, property);
    return send(message);
  }
  Heard heard_;
  bus::SlotPtr match_;
};

TEST_F(BusObjectsTest, ManagedObjectsAreTheCasesAndResources) {
  serve();
  const Reply reply =
      send(method(bus::kPath, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"));
  ASSERT_FALSE(reply.error) << reply.text;
  std::set<std::string> paths;
  sd_bus_message* m = reply.message.get();
  ASSERT_GE(sd_bus_message_enter_container(m, 'a', "{oa{sa{sv}}}"), 0);
  while (sd_bus_message_enter_container(m, 'e', "oa{sa{sv}}") > 0) {
    const char* path = nullptr;
    sd_bus_message_read(m, "o", &path);
    paths.insert(path);
    sd_bus_message_skip(m, "a{sa{sv}}");
    sd_bus_message_exit_container(m);
  }
  EXPECT_TRUE(paths.contains("/org/fmd/FaultManager1/case/d482f935_5c8f_4b9a_9f25_d0aaafec1e6c"));
  EXPECT_TRUE(paths.contains(bus::resource_path("hc://chassis=5/bay=6")));
}

TEST_F(BusObjectsTest, BytesThatAreNoTextCannotBreakAnObject) {
  // The engine may hold any bytes; JSON cannot carry them here, so they go in as a property.
  InventoryUpdate update;
  update.source = "hostile";
  Resource disk{"dev://serial=x", "disk", {}, {}, true, {}};
  disk.properties["serial"] = std::string("\xff\x00\x1b[31m", 7);
  update.resources.push_back(disk);
  const_cast<Engine&>(control_.engine()).on_inventory(update, 1);
  serve();
  const Reply reply =
      get(bus::resource_path("dev://serial=x"), bus::kResourceInterface, "Properties");
  ASSERT_FALSE(reply.error) << reply.text;
  const char *name = nullptr, *value = nullptr;
  sd_bus_message* m = reply.message.get();
  sd_bus_message_enter_container(m, 'v', "a{ss}");
  ASSERT_GE(sd_bus_message_read(m, "a{ss}", 1, &name, &value), 0);
  EXPECT_STREQ(value, "\\xff\\x00\\x1b[31m");
}

TEST_F(BusObjectsTest, ValidTextStaysAsItIs) {
  serve();
  EXPECT_EQ(bus::wire_text("Z1\u00e4\U0001F4BE\n"), "Z1\u00e4\U0001F4BE\n");
  EXPECT_EQ(bus::wire_text("a\xC0\xAF"), "a\\xc0\\xaf");         // overlong
  EXPECT_EQ(bus::wire_text("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(bus::wire_text("\xF5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(bus::wire_text("cut\xE2\x82"), "cut\\xe2\\x82");
}

TEST_F(BusObjectsTest, NewsOfCasesAndResources) {
  serve();
  listen();
  json second = case_doc();
  second["uuid"] = "11111111-2222-4333-8444-555555555555";
  control_.put_case(second, "diagnosed");
  EXPECT_TRUE(
      hears("InterfacesAdded /org/fmd/FaultManager1/case/11111111_2222_4333_8444_555555555555"));
  EXPECT_TRUE(hears("CaseChanged 11111111-2222-4333-8444-555555555555 diagnosed"));
  EXPECT_TRUE(hears("PropertiesChanged /org/fmd/FaultManager1"));  // OpenCases
  control_.put_case(second, "updated");
  EXPECT_TRUE(
      hears("PropertiesChanged /org/fmd/FaultManager1/case/11111111_2222_4333_8444_555555555555"));
  json bay = bay_doc();
  bay["fmri"] = "hc://chassis=5/bay=7";
  control_.put_resource(bay);
  EXPECT_TRUE(hears("InterfacesAdded " + bus::resource_path("hc://chassis=5/bay=7")));
  EXPECT_TRUE(hears("ResourceChanged hc://chassis=5/bay=7 added"));
  control_.remove_resource("hc://chassis=5/bay=7");
  EXPECT_TRUE(hears("InterfacesRemoved " + bus::resource_path("hc://chassis=5/bay=7")));
  control_.log_event({{"class", "ereport.x"}, {"time", 1}});
  EXPECT_TRUE(hears("EventsLogged"));
}

TEST_F(BusObjectsTest, AStormOfChangesIsToldOnce) {
  serve();
  listen();
  for (int i = 0; i < 1000; ++i) {
    json bay = bay_doc();
    bay["properties"]["count"] = i;
    control_.put_resource(bay);
    control_.log_event({{"class", "ereport.x"}, {"time", i}});
  }
  ASSERT_TRUE(hears("EventsLogged"));
  EXPECT_TRUE(hears("ResourceChanged hc://chassis=5/bay=6 changed"));
  EXPECT_LT(heard_.signals.size(), 20u);
}

}  // namespace
}  // namespace fmd
