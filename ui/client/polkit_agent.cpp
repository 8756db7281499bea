#include "ui/client/polkit_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace fmd::ui {

PolkitAgent::PolkitAgent(bool wanted) {
  constexpr const char* kAgent = "/usr/bin/pkttyagent";
  if (!wanted || access(kAgent, X_OK) != 0) return;
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return;
  // The agent closes its end once it has registered.
  const int theirs = fcntl(ready[1], F_DUPFD, 10);
  std::string pid = std::to_string(getpid()), fd = std::to_string(theirs);
  std::string name = "pkttyagent", process = "--process", notify = "--notify-fd",
              fallback = "--fallback";
  char* argv[] = {name.data(), process.data(),  pid.data(), notify.data(),
                  fd.data(),   fallback.data(), nullptr};
  if (theirs < 0 || posix_spawn(&child_, kAgent, nullptr, nullptr, argv, environ) != 0) child_ = 0;
  if (theirs >= 0) close(theirs);
  close(ready[1]);
  pollfd waiting{ready[0], POLLIN, 0};
  if (child_ > 0) poll(&waiting, 1, 5000);
  close(ready[0]);
}

PolkitAgent::~PolkitAgent() {
  if (child_ <= 0) return;
  kill(child_, SIGTERM);
  waitpid(child_, nullptr, 0);
}

}  // namespace fmd::ui
