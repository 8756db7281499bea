#include "ui/client/ssh_line.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "ui/client/ssh_address.h"
#include "ui/client/words.h"

namespace fmd::ui {
namespace {

constexpr size_t kMostLines = 3;
constexpr off_t kMostBytes = 4096;

// In the child: only async-signal-safe calls, since another thread may have held a lock.
[[noreturn]] void become_ssh(char* const* words, int line, int said) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (dup2(line, STDIN_FILENO) >= 0 && dup2(line, STDOUT_FILENO) >= 0 &&
      dup2(said, STDERR_FILENO) >= 0)
    execvp(words[0], words);
  constexpr std::string_view kLacks = "ssh cannot be started: is openssh-client installed?";
  (void)!write(STDERR_FILENO, kLacks.data(), kLacks.size());
  _exit(127);
}

}  // namespace

Result<SshLine> SshLine::start(std::string_view host) {
  std::vector<std::string> words = ssh_words(host);
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  SshLine made;
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0)
    return fail(std::string("no socket: ") + strerror(errno));
  made.line_ = ends[0];
  // A file never blocks ssh, unlike a pipe. O_APPEND, since ssh's children also write to it.
  made.said_ = memfd_create("ssh", MFD_CLOEXEC);
  if (made.said_ >= 0) fcntl(made.said_, F_SETFL, O_APPEND);
  made.pid_ = fork();
  if (made.pid_ == 0) become_ssh(raw.data(), ends[1], made.said_);
  const int failed = errno;
  close(ends[1]);
  if (made.pid_ < 0) return fail(std::string("no process: ") + strerror(failed));
  return made;
}

SshLine::~SshLine() {
  if (line_ >= 0) close(line_);
  if (said_ >= 0) close(said_);
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  kill(pid_, SIGCONT);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::string SshLine::words() const {
  struct stat file {};
  if (said_ < 0 || fstat(said_, &file) < 0) return "";
  const off_t from = std::max<off_t>(0, file.st_size - kMostBytes);
  std::string text(static_cast<size_t>(file.st_size - from), '\0');
  const ssize_t got = pread(said_, text.data(), text.size(), from);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) lines.push_back(clean_prose(line));
    at = end + 1;
  }
  std::string all;
  for (size_t i = lines.size() - std::min(lines.size(), kMostLines); i < lines.size(); ++i)
    all += (all.empty() ? "" : " ") + lines[i];
  return all;
}

}  // namespace fmd::ui
