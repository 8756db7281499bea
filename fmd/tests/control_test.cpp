// The whole daemon in this process, without a bus: what the bus asks of it, and what it is told.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fmd/daemon.h"

namespace fmd {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const char* const kEvents = R"(
[class."ereport.test.broken"]
description = "broken at once"
[class."sysevent.test.fine"]
description = "fine again"
[class."ereport.fmd.plugin.dead"]
description = "gone"
[class."sysevent.fmd.plugin.back"]
description = "back"
)";

const char* const kRules = R"(
[[rule]]
name = "broken"
kind = "immediate"
events = ["ereport.test.broken"]
repair_on = ["sysevent.test.fine"]
fault = "fault.test.broken"
led = true
[rule.fru]
follow = "contains"
scheme = "dev"
[[rule]]
name = "dead"
kind = "immediate"
events = ["ereport.fmd.plugin.dead"]
fault = "fault.test.dead"
[[fault]]
class = "fault.test.broken"
dictionary = "TEST"
number = 1
severity = "Major"
title = "Broken"
description = "d"
response = "r"
impact = "i"
action = "a"
[[fault]]
class = "fault.test.dead"
dictionary = "TEST"
number = 2
severity = "Major"
title = "Dead"
description = "d"
response = "r"
impact = "i"
action = "a"
)";

constexpr const char* kBay = "hc://chassis=1/bay=3";
constexpr const char* kDisk = "dev://serial=M:S1";

struct Observer : ControlObserver {
  std::vector<std::pair<std::string, std::string>> cases, resources;
  uint64_t last_seq = 0;
  std::vector<bool> dry_runs;
  void case_changed(std::string_view uuid, std::string_view event) override {
    cases.emplace_back(uuid, event);
  }
  void resource_changed(std::string_view fmri, std::string_view kind) override {
    resources.emplace_back(fmri, kind);
  }
  void events_logged(uint64_t seq) override { last_seq = seq; }
  void dry_run_changed(bool on) override { dry_runs.push_back(on); }
};

class ControlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    dir_ = fs::temp_directory_path() / ("fmd-control-" + std::to_string(getpid()));
    fs::remove_all(dir_);
    for (const char* name : {"rules", "events", "state"}) fs::create_directories(dir_ / name);
    write("rules/r.toml", kRules);
    write("events/e.toml", kEvents);
    write("fmd.toml", "");
    start();
  }
  void TearDown() override {
    stop();
    fs::remove_all(dir_);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
  }

  void start() {
    ASSERT_GE(sd_event_new(&loop_), 0);
    Options options;
    options.config_file = dir_ / "fmd.toml";
    options.rules = {dir_ / "rules"};
    options.events = {dir_ / "events"};
    options.socket = dir_ / "sock";
    options.state_dir = dir_ / "state";
    options.bus = "none";
    auto [config, errors] = load_config(options.config_file, true);
    apply_options(options, config);
    auto [policy, policy_errors] = load_policy(config.events, config.rules);
    for (const auto& list : {errors, policy_errors})
      for (const Error& error : list) ADD_FAILURE() << error.text();
    auto daemon = Daemon::start(loop_, options, config, std::move(policy), system_clock());
    ASSERT_TRUE(daemon) << daemon.error().text();
    daemon_ = std::move(*daemon);
    daemon_->control().add_observer(&observer_);
    ASSERT_TRUE(daemon_->attach());
  }

  void stop() {
    for (int fd : fds_) ::close(fd);
    fds_.clear();
    daemon_.reset();
    if (loop_) sd_event_unref(loop_);
    loop_ = nullptr;
  }

  Control& control() { return daemon_->control(); }

  // Sends one request and runs the daemon until the answer is there.
  json ask(int fd, const json& message) {
    const std::string line = message.dump() + "\n";
    EXPECT_EQ(::send(fd, line.data(), line.size(), 0), static_cast<ssize_t>(line.size()));
    std::string text;
    char bytes[65536];
    for (int i = 0; i < 2000 && text.find('\n') == std::string::npos; ++i) {
      sd_event_run(loop_, 10000);
      const ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got > 0) text.append(bytes, static_cast<size_t>(got));
    }
    return json::parse(text.substr(0, text.find('\n')), nullptr, false);
  }

  int plugin(const std::string& name) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    fds_.push_back(fd);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (dir_ / "sock").string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const json answer = request(fd, "hello", {{"name", name}, {"protocol", 1}});
    EXPECT_TRUE(answer.contains("result")) << answer;
    return fd;
  }

  json request(int fd, const std::string& method, const json& params) {
    return ask(fd, {{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
  }

  void send_event(const std::string& event_class, const std::string& resource) {
    if (fds_.empty()) plugin("test");
    const json answer =
        request(fds_.front(), "events",
                {{"events", {{{"class", event_class}, {"resource", resource}, {"time", 1}}}}});
    EXPECT_EQ(answer["result"]["rejected"], json::array()) << answer;
  }

  void send_bay() {
    if (fds_.empty()) plugin("test");
    request(fds_.front(), "inventory",
            {{"resources",
              {{{"fmri", kBay},
                {"type", "bay"},
                {"properties", {{"label", "SLOT 03"}, {"led.fault", "off"}, {"led.locate", "off"}}},
                {"edges", {{{"relation", "contains"}, {"to", kDisk}}}}},
               {{"fmri", kDisk}, {"type", "disk"}, {"properties", {{"serial", "S1"}}}}}}});
  }

  json cases(const std::string& filter = "{}") {
    const auto text = control().list_cases(filter);
    EXPECT_TRUE(text) << text.error().text();
    return text ? json::parse(*text) : json();
  }

  fs::path dir_;
  sd_event* loop_ = nullptr;
  std::unique_ptr<Daemon> daemon_;
  Observer observer_;
  std::vector<int> fds_;
  uint64_t id_ = 0;
};

TEST_F(ControlTest, CasesAreFoundByUuidBayAndSerial) {
  send_bay();
  send_event("ereport.test.broken", kDisk);
  send_event("ereport.test.broken", "dev://serial=M:S2");
  ASSERT_EQ(cases().size(), 2u);
  EXPECT_EQ(cases()[0]["suspects"][0]["location"], "SLOT 03");
  EXPECT_EQ(cases()[0]["suspects"][0]["bay_led"], "off");
  for (const char* filter :
       {R"({"fru":"S1"})", R"({"fru":"SLOT 03"})", R"({"fru":"dev://serial=M:S1"})",
        R"({"resource":"dev://serial=M:S1"})"})
    EXPECT_EQ(cases(filter).size(), 1u) << filter;
  const std::string uuid = cases()[1]["uuid"];
  EXPECT_EQ(cases(json{{"uuid", uuid}}.dump())[0]["suspects"][0]["resource"], "dev://serial=M:S2");
  EXPECT_EQ(cases(R"({"fru":"nothing"})").size(), 0u);
}

TEST_F(ControlTest, AWrongFilterIsAnErrorThatSaysWhatIsMeant) {
  for (const auto& [filter, meant] :
       std::map<std::string, std::string>{{R"({"uid":"x"})", "\"uuid\""},
                                          {R"({"all":"yes"})", "true or false"},
                                          {"[]", "JSON object"},
                                          {"{", "JSON object"}}) {
    const auto answer = control().list_cases(filter);
    ASSERT_FALSE(answer) << filter;
    EXPECT_NE(answer.error().message.find(meant), std::string::npos) << answer.error().message;
  }
  EXPECT_FALSE(control().list_events(R"({"limit":0})"));
  EXPECT_FALSE(control().list_events(R"({"limit":10001})"));
  EXPECT_FALSE(control().list_events(R"({"uuid":"none"})"));
}

TEST_F(ControlTest, EventsComeInPages) {
  for (int i = 0; i < 5; ++i) send_event("ereport.test.broken", kDisk);
  const auto page = [&](uint64_t after) {
    const auto text = control().list_events(json{{"after", after}, {"limit", 2}}.dump());
    EXPECT_TRUE(text) << text.error().text();
    return json::parse(*text);
  };
  const json first = page(0);
  ASSERT_EQ(first["events"].size(), 2u);
  EXPECT_EQ(first["events"][0]["seq"], 1);
  EXPECT_EQ(first["next"], 2);
  EXPECT_EQ(first["more"], true);
  const json last = page(4);
  EXPECT_EQ(last["events"].size(), 1u);
  EXPECT_EQ(last["more"], false);
  const auto evidence = control().list_events(json{{"uuid", cases()[0]["uuid"]}}.dump());
  ASSERT_TRUE(evidence);
  EXPECT_EQ(json::parse(*evidence)["events"].size(), 5u);
}

TEST_F(ControlTest, AnAdministratorsWordIsOnDiskWhenItIsAnswered) {
  send_event("ereport.test.broken", kDisk);
  const std::string uuid = cases()[0]["uuid"];
  EXPECT_FALSE(control().judge("fixed", uuid, "", "root"));
  EXPECT_FALSE(control().judge("repaired", "no-such-case", "", "root"));
  EXPECT_FALSE(control().acknowledge("no-such-case", "", "root"));
  ASSERT_TRUE(control().acknowledge(uuid, "known", "uid 1000"));
  const auto judged = control().judge("repaired", uuid, "", "root");
  ASSERT_TRUE(judged) << judged.error().text();
  EXPECT_EQ(*judged, std::vector<std::string>{uuid});
  stop();
  start();
  EXPECT_EQ(cases().size(), 0u);
  ASSERT_EQ(cases(R"({"all":true})").size(), 1u);
  EXPECT_EQ(cases(R"({"all":true})")[0]["acknowledged_by"], "uid 1000");
}

TEST_F(ControlTest, ObserversAreToldAfterTheCommit) {
  send_bay();
  send_event("ereport.test.broken", kDisk);
  EXPECT_EQ(observer_.last_seq, 1u);
  ASSERT_FALSE(observer_.cases.empty());
  EXPECT_EQ(observer_.cases.back().second, "diagnosed");
  EXPECT_NE(std::find(observer_.resources.begin(), observer_.resources.end(),
                      std::pair<std::string, std::string>(kBay, "added")),
            observer_.resources.end());
}

TEST_F(ControlTest, DryRunSurvivesARestart) {
  EXPECT_FALSE(control().dry_run());
  ASSERT_TRUE(control().set_dry_run(true, "root"));
  EXPECT_EQ(observer_.dry_runs, std::vector<bool>{true});
  stop();
  start();
  EXPECT_TRUE(control().dry_run());
  EXPECT_EQ(json::parse(*control().get_config())["dry_run"], true);
  ASSERT_TRUE(control().set_dry_run(false, "root"));
  stop();
  start();
  EXPECT_FALSE(control().dry_run());
}

TEST_F(ControlTest, LocateFindsTheBayByLabelOrWhatIsInIt) {
  send_bay();
  for (const char* part : {"SLOT 03", kBay, "S1", kDisk}) {
    const auto bay = control().locate(part, true, "root");
    ASSERT_TRUE(bay) << part << ": " << bay.error().text();
    EXPECT_EQ(*bay, kBay);
  }
  EXPECT_FALSE(control().locate("SLOT 99", true, "root"));
}

TEST_F(ControlTest, WhoHoldsALightIsRememberedUntilItIsReleased) {
  send_bay();
  EXPECT_FALSE(control().hold_locate("SLOT 99", "bus:1.7", "root"));
  EXPECT_EQ(control().hold_locate("SLOT 03", "bus:1.7", "root").value_or(""), kBay);
  stop();
  start();
  EXPECT_EQ(control().locate_holders(), std::set<std::string>{"bus:1.7"});
  ASSERT_TRUE(control().release_locate("bus:1.8"));
  EXPECT_EQ(control().locate_holders(), std::set<std::string>{"bus:1.7"});
  ASSERT_TRUE(control().release_locate("bus:1.7"));
  stop();
  start();
  EXPECT_TRUE(control().locate_holders().empty());
}

TEST_F(ControlTest, ReloadListsEveryErrorAndKeepsWhatItHad) {
  write("rules/broken.toml", "[[rule]]\nname = \"x\"\nkindd = \"immediate\"\n");
  write("fmd.toml", "[action]\nmax_retird = 1\n");
  const auto errors = control().reload("root");
  ASSERT_GE(errors.size(), 2u);
  EXPECT_NE(errors[0].find("fmd.toml:2: "), std::string::npos) << errors[0];
  EXPECT_EQ(json::parse(*control().get_config())["errors"].size(), errors.size());
  send_event("ereport.test.broken", kDisk);
  EXPECT_EQ(cases().size(), 1u) << "the old rules are in force";
  fs::remove(dir_ / "rules/broken.toml");
  write("fmd.toml", "[action]\ndry_run = true\n");
  EXPECT_TRUE(control().reload("root").empty());
  EXPECT_TRUE(control().dry_run());
  EXPECT_EQ(observer_.dry_runs, std::vector<bool>{true});
  EXPECT_EQ(json::parse(*control().get_config())["errors"], json::array());
}

TEST_F(ControlTest, ConfigurationTellsPluginsRulesStoreAndWarnings) {
  const int fd = plugin("zfs");
  const std::string status =
      R"({"jsonrpc":"2.0","method":"status","params":{"state":"not-observed","reason":"no zpool(8) on this host"}})"
      "\n";
  ASSERT_EQ(::send(fd, status.data(), status.size(), 0), static_cast<ssize_t>(status.size()));
  send_event("ereport.test.broken", kDisk);
  const json config = json::parse(*control().get_config());
  EXPECT_EQ(config["rules"].size(), 2u);
  EXPECT_EQ(config["plugins"][0]["state"], "not-observed");
  EXPECT_EQ(config["warnings"][0], "zfs: not-observed: no zpool(8) on this host");
  EXPECT_EQ(config["store"]["events"], 1);
  EXPECT_EQ(config["store"]["failing"], false);
  const json plugins = json::parse(*control().list_plugins());
  EXPECT_EQ(plugins[0]["events_received"], 1);
  EXPECT_EQ(plugins[0]["pid"], getpid());
  const json resources = json::parse(*control().list_resources(R"({"type":"plugin"})"));
  ASSERT_EQ(resources.size(), 1u);
  EXPECT_EQ(resources[0]["properties"]["state"], "not-observed");
}

TEST_F(ControlTest, BayHistoryIsFoundByWhatAPartIsCalledAndSurvivesARestart) {
  send_bay();
  request(
      fds_.front(), "inventory",
      {{"resources", {{{"fmri", kBay}, {"type", "bay"}, {"properties", {{"label", "SLOT 03"}}}}}}});
  stop();
  start();
  const auto ask_for = [this](const json& filter) {
    const auto text = control().list_bay_history(filter.dump());
    EXPECT_TRUE(text) << text.error().text();
    return text ? json::parse(*text) : json();
  };
  for (const char* part : {"SLOT 03", "S1", kBay, kDisk}) {
    const json stays = ask_for({{"part", part}});
    ASSERT_EQ(stays.size(), 1u) << part;
    EXPECT_EQ(stays[0]["serial"], "S1");
    EXPECT_EQ(stays[0]["from_exact"], false) << "it was there when fmd first looked";
    EXPECT_EQ(stays[0]["to_exact"], true);
    EXPECT_GE(stays[0]["to"], stays[0]["from"]);
  }
  EXPECT_EQ(ask_for(json::object()).size(), 1u);
  EXPECT_EQ(ask_for({{"to", 1}}).size(), 0u);
  EXPECT_EQ(ask_for({{"from", INT64_MAX}}).size(), 0u);
  EXPECT_FALSE(control().list_bay_history(R"({"part":"SLOT 99"})"));
}

TEST_F(ControlTest, ReadingsAreKeptAndAskedForByPart) {
  send_bay();
  const int64_t now = system_clock().wall_ns(), hour = 3600LL * 1000000000;
  const auto tell = [&](double value, int64_t time_ns) {
    const json line = {{"jsonrpc", "2.0"},
                       {"method", "readings"},
                       {"params",
                        {{"readings",
                          {{{"resource", kDisk},
                            {"name", "temperature_celsius"},
                            {"unit", "celsius"},
                            {"value", value},
                            {"time", time_ns}}}}}}};
    const std::string text = line.dump() + "\n";
    EXPECT_EQ(::send(fds_.front(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  };
  tell(30, now - 30 * hour);
  tell(40, now - 20 * hour);
  tell(40, now - 10 * hour);    // the same: not kept
  tell(34, now + 1000 * hour);  // by a clock that is wrong: now
  send_event("ereport.test.broken", kDisk);
  stop();
  start();
  const auto ask_for = [this](const json& query) {
    const auto text = control().list_readings(query.dump());
    EXPECT_TRUE(text) << text.error().text();
    return text ? json::parse(*text) : json();
  };
  const json all = ask_for({{"part", "SLOT 03"}, {"points", 10}});
  EXPECT_EQ(all["resource"], kDisk);
  EXPECT_EQ(all["serial"], "S1");
  ASSERT_EQ(all["series"].size(), 1u);
  const json& series = all["series"][0];
  EXPECT_EQ(series["unit"], "celsius");
  ASSERT_EQ(series["points"].size(), 3u);
  EXPECT_EQ(series["last"], 34);
  EXPECT_EQ(series["max"], 40);
  EXPECT_NEAR(series["mean"].get<double>(), (10 * 30 + 20 * 40) / 30.0, 0.01);
  const json later = ask_for({{"part", "S1"}, {"names", {"temp*"}}, {"from", now - 15 * hour}});
  EXPECT_EQ(later["series"][0]["first"], 40) << "in force when the time begins";
  EXPECT_FALSE(later["series"][0].contains("points"));
  EXPECT_EQ(ask_for({{"part", "S1"}, {"names", {"hours"}}})["series"].size(), 0u);
  for (const char* wrong : {"{}", R"({"part":"nothing"})", R"({"part":"S1","names":"x"})",
                            R"({"part":"S1","points":-1})"})
    EXPECT_FALSE(control().list_readings(wrong)) << wrong;
}

TEST_F(ControlTest, APluginThatWasTakenAwayIsForgottenWhenItsCaseIsAcquitted) {
  plugin("old");
  plugin("test");
  std::swap(fds_[0], fds_[1]);
  ::close(fds_[1]);
  fds_.pop_back();
  send_event("ereport.fmd.plugin.dead", "fmd://plugin=old");
  ASSERT_EQ(cases().size(), 1u);
  ASSERT_TRUE(control().judge("acquitted", cases()[0]["uuid"].get<std::string>(), "", "root"));
  EXPECT_EQ(json::parse(*control().list_resources(R"({"type":"plugin"})")).size(), 1u);
  EXPECT_EQ(json::parse(*control().list_plugins()).size(), 1u);
}

}  // namespace
}  // namespace fmd
