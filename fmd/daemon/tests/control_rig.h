// The whole daemon in the test's process, without a bus, with plugins on its socket.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/daemon/daemon.h"

namespace fmd::test {

using nlohmann::json;
namespace fs = std::filesystem;

inline constexpr const char* kEvents = R"(
[class."ereport.test.broken"]
description = "broken at once"
[class."sysevent.test.fine"]
description = "fine again"
[class."ereport.fmd.plugin.dead"]
description = "gone"
[class."sysevent.fmd.plugin.back"]
description = "back"
)";

inline constexpr const char* kRules = R"(
[[rule]]
name = "broken"
kind = "immediate"
events = ["ereport.test.broken"]
fault = "fault.test.broken"
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
led = true
[fault.fru]
follow = "contains"
scheme = "dev"
[fault.repair]
on = ["sysevent.test.fine"]
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

inline constexpr const char* kBay = "hc://chassis=1/bay=3";
inline constexpr const char* kDisk = "dev://serial=M:S1";

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
    write("fmd.toml", "[notify.snmp]\n");  // a channel whose plugin is not there
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
    heard_.clear();
    daemon_.reset();
    if (loop_) sd_event_unref(loop_);
    loop_ = nullptr;
  }

  Control& control() { return daemon_->control(); }

  void tell(int fd, const json& message) {
    const std::string line = message.dump() + "\n";
    EXPECT_EQ(::send(fd, line.data(), line.size(), 0), static_cast<ssize_t>(line.size()));
  }

  // Runs the daemon until that is so, or long enough.
  template <class Condition>
  void run_until(const Condition& so) {
    for (int i = 0; i < 2000 && !so(); ++i) sd_event_run(loop_, 10000);
    EXPECT_TRUE(so());
  }

  // What the journal is asked, once the disk has answered.
  Result<std::string> events(const std::string& query) {
    return wait_for([&](Control::Ordered done) { control().list_events(query, std::move(done)); });
  }
  Result<std::string> readings(const std::string& query) {
    return wait_for(
        [&](Control::Ordered done) { control().list_readings(query, std::move(done)); });
  }
  template <class Ask>
  Result<std::string> wait_for(const Ask& ask) {
    std::optional<Result<std::string>> answer;
    ask([&answer](Result<std::string> said) { answer = std::move(said); });
    run_until([&] { return answer.has_value(); });
    return *answer;
  }

  // The next line that the daemon sends there.
  json next_line(int fd) {
    std::string& text = heard_[fd];
    char bytes[65536];
    run_until([&] {
      const ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got > 0) text.append(bytes, static_cast<size_t>(got));
      return text.find('\n') != std::string::npos;
    });
    const std::string line = text.substr(0, text.find('\n'));
    text.erase(0, line.size() + 1);
    return json::parse(line, nullptr, false);
  }

  // Sends one request and runs the daemon until the answer is there.
  json ask(int fd, const json& message) {
    tell(fd, message);
    return next_line(fd);
  }

  int plugin(const std::string& name, const json& more = json::object()) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    fds_.push_back(fd);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (dir_ / "sock").string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const bool notifier = name == "mail" || name == "snmp";
    json hello = {{"name", name}, {"protocol", 1}};
    hello["observes"] = notifier ? json::array() : json::array({"*"});
    hello.update(more);
    const json answer = request(fd, "hello", hello);
    EXPECT_TRUE(answer.contains("result")) << answer;
    return fd;
  }

  json request(int fd, const std::string& method, const json& params) {
    return ask(fd, {{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
  }

  void send_event(const std::string& event_class, const std::string& resource) {
    if (fds_.empty()) plugin("test");
    const json answer = request(
        fds_.front(), "events",
        {{"events",
          {{{"class", event_class}, {"resource", resource}, {"time", system_clock().wall_ns()}}}}});
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
  std::map<int, std::string> heard_;  // and not taken out yet
  uint64_t id_ = 0;
};

}  // namespace fmd::test
