#include "fmd/bus/tests/private_bus.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace fmd::test {
namespace {

std::string contents(const char* path) {
  std::ostringstream text;
  if (!(text << std::ifstream(path).rdbuf()))
    throw std::runtime_error(std::string("cannot read ") + path);
  return text.str();
}

std::string without(std::string text, const std::string& pattern) {
  return std::regex_replace(text, std::regex(pattern), "");
}

// The machine's own configuration without its user, files and services. Anybody may own the mocks
// of polkit and systemd; their callers are restricted as in those programs' own policies.
std::string configuration(const std::string& address) {
  std::string text = contents("/usr/share/dbus-1/system.conf");
  for (const char* pattern :
       {"<user>[^<]*</user>", "<fork/>", "<syslog/>", "<pidfile>[^<]*</pidfile>",
        "<standard_system_servicedirs/>", "<servicehelper>[^<]*</servicehelper>",
        "<includedir>[^<]*</includedir>", "<include [^>]*>[^<]*</include>"})
    text = without(text, pattern);
  text = std::regex_replace(text, std::regex("<listen>[^<]*</listen>"),
                            "<listen>" + address + "</listen>");
  std::string policy = contents(FMD_BUS_POLICY);
  policy = policy.substr(policy.find("<busconfig>") + std::string("<busconfig>").size());
  policy = std::regex_replace(policy, std::regex("user=\"fmd\""),
                              "user=\"" + std::to_string(getuid()) + "\"");
  for (const char* name : {"org.freedesktop.PolicyKit1", "org.freedesktop.systemd1"})
    policy.insert(0, std::string("<policy context=\"default\"><allow own=\"") + name +
                         "\"/><allow send_destination=\"" + name + "\"/></policy>\n");
  return without(text, "</busconfig>") + policy;
}

}  // namespace

PrivateBus::PrivateBus() {
  std::string name = "/tmp/fmd-bus-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  folder_ = name;
  chmod(folder_.c_str(), 0755);
  address_ = "unix:path=" + folder_ + "/socket";
  std::ofstream(folder_ + "/bus.conf") << configuration(address_);
  start();
}

void PrivateBus::start() {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  const int theirs = fcntl(out[1], F_DUPFD, 10);  // survives exec
  std::vector<std::string> words{"dbus-daemon",
                                 "--nofork",
                                 "--nopidfile",
                                 "--nosyslog",
                                 "--config-file=" + folder_ + "/bus.conf",
                                 "--print-address=" + std::to_string(theirs)};
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::filesystem::remove(folder_ + "/socket");
  // Its messages about limits of this machine would only clutter the test log.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder_ + "/log").c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int r = posix_spawnp(&child_, "dbus-daemon", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(theirs);
  close(out[1]);
  char line[512];
  // The address arrives once it listens; nothing arrives if it dies.
  const ssize_t got = r == 0 ? read(out[0], line, sizeof line) : 0;
  close(out[0]);
  if (got <= 0) throw std::runtime_error("dbus-daemon does not start");
}

void PrivateBus::pause() const {
  kill(child_, SIGSTOP);
}

void PrivateBus::resume() const {
  kill(child_, SIGCONT);
}

void PrivateBus::stop() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  child_ = 0;
}

PrivateBus::~PrivateBus() {
  stop();
  std::filesystem::remove_all(folder_);
}

}  // namespace fmd::test
