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
#include <stdexcept>
#include <vector>

namespace fmd::test {

PrivateBus::PrivateBus() {
  std::string name = "/tmp/fmd-bus-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  folder_ = name;
  chmod(folder_.c_str(), 0755);
  address_ = "unix:path=" + folder_ + "/socket";
  std::ofstream(folder_ + "/bus.conf")
      << "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
         "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n<busconfig>\n"
         "<type>session</type>\n<listen>"
      << address_
      << "</listen>\n<auth>EXTERNAL</auth>\n<policy context=\"default\">\n"
         "<allow user=\"*\"/><allow own=\"*\"/><allow send_type=\"method_call\"/>"
         "<allow send_type=\"signal\"/><allow send_requested_reply=\"true\" "
         "send_type=\"method_return\"/><allow send_requested_reply=\"true\" send_type=\"error\"/>"
         "<allow receive_type=\"method_call\"/><allow receive_type=\"method_return\"/>"
         "<allow receive_type=\"error\"/><allow receive_type=\"signal\"/>\n"
         "</policy>\n</busconfig>\n";
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
  // What it says about limits of this machine is no news to the reader of a test log.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder_ + "/log").c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int r = posix_spawnp(&child_, "dbus-daemon", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(theirs);
  close(out[1]);
  char line[512];
  // The address comes once it listens; nothing comes when it dies.
  const ssize_t got = r == 0 ? read(out[0], line, sizeof line) : 0;
  close(out[0]);
  if (got <= 0) throw std::runtime_error("dbus-daemon does not start");
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
