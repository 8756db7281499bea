#include "plugins/sdk/internal/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <algorithm>

namespace fmd::sdk {
namespace {

constexpr size_t kMaxStreamError = 64 << 10;
constexpr size_t kMaxLine = 1 << 20;
constexpr std::chrono::milliseconds kTermToKill{1000};

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

int run_work(const std::function<std::string(const Host::Say&)>& work, int out_fd) noexcept try {
  const auto say = [out_fd](std::string_view line) {
    return write_all(out_fd, std::string(line) + "\n");
  };
  return write_all(out_fd, work(say)) ? 0 : 1;
} catch (...) {
  return 2;
}

Error system_error(std::string_view what, int error) {
  return Error{std::string(what) + ": " + strerror(error), {}, 0};
}

}  // namespace

Process::Process(sd_event* loop, Callbacks callbacks, size_t most, Budget budget)
    : loop_(loop),
      callbacks_(std::move(callbacks)),
      timer_(loop),
      most_(most),
      budget_(std::move(budget)) {}

Process::~Process() {
  *budget_ += charged_;
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    // Not waited for; init inherits an unkillable child when this process ends.
    waitpid(pid_, nullptr, WNOHANG);
  }
  out_source_.reset();
  err_source_.reset();
  pid_source_.reset();
  close_fd(out_fd_);
  close_fd(err_fd_);
  close_fd(pid_fd_);
}

Result<void> Process::start(const Child& child, std::chrono::milliseconds deadline) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) < 0) return tl::unexpected(system_error("cannot make a pipe", errno));
  if (pipe2(err, O_CLOEXEC) < 0) {
    const int error = errno;
    close(out[0]);
    close(out[1]);
    return tl::unexpected(system_error("cannot make a pipe", error));
  }
  out_fd_ = out[0];
  err_fd_ = err[0];
  fcntl(out_fd_, F_SETFL, O_NONBLOCK);
  fcntl(err_fd_, F_SETFL, O_NONBLOCK);
  auto started = child.work ? fork_work(child, out[1], err[1]) : spawn(child, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  if (!started) return started;

  pid_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (pid_fd_ < 0) {
    const int error = errno;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
    return tl::unexpected(system_error("cannot watch a process", error));
  }
  sd_event_source* source = nullptr;
  sd_event_add_io(loop_, &source, out_fd_, EPOLLIN, &Process::on_output, this);
  out_source_.reset(std::exchange(source, nullptr));
  sd_event_add_io(loop_, &source, err_fd_, EPOLLIN, &Process::on_output, this);
  err_source_.reset(std::exchange(source, nullptr));
  sd_event_add_io(loop_, &source, pid_fd_, EPOLLIN, &Process::on_exit, this);
  pid_source_.reset(std::exchange(source, nullptr));
  if (deadline.count() > 0) {
    timer_.start(deadline, [this] {
      auto self = shared_from_this();
      kill_softly();
      finish(CommandOutput::End::deadline, 0);
    });
  }
  return {};
}

Result<void> Process::spawn(const Child& child, int out_fd, int err_fd) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_fd, 1);
  posix_spawn_file_actions_adddup2(&actions, err_fd, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The loop blocks SIGTERM and ignores SIGPIPE; a child must inherit neither.
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (int signal : {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&usual, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  auto argv = pointers(child.argv);
  auto environment = pointers(child.environment);
  const int error = posix_spawn(&pid_, child.program.c_str(), &actions, &attributes, argv.data(),
                                environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error) {
    pid_ = -1;
    return tl::unexpected(system_error("cannot start " + child.program, error));
  }
  return {};
}

// Safe without exec because a plugin has one thread. The child leaves by _exit, so that the
// parent's buffers and destructors do not run twice.
Result<void> Process::fork_work(const Child& child, int out_fd, int err_fd) {
  pid_ = fork();
  if (pid_ < 0) return tl::unexpected(system_error("cannot fork", errno));
  if (pid_ == 0) {
    setpgid(0, 0);
    signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(err_fd, 2);
    dup2(out_fd, 3);
    // A stuck child must not keep the plugin's sockets open, or fmd would not notice that the
    // plugin has ended.
    close_range(4, ~0U, 0);
    _exit(run_work(child.work, 3));
  }
  setpgid(pid_, pid_);  // in parent and child: whichever runs first
  return {};
}

int Process::on_output(sd_event_source*, int fd, uint32_t, void* self) {
  auto process = static_cast<Process*>(self)->shared_from_this();
  // Read a bounded amount per iteration, so that a command with much output does not delay the
  // others.
  for (int i = 0; i < 16 && process->read_some(fd); ++i) {
  }
  return 0;
}

bool Process::read_some(int fd) {
  if (fd < 0) return false;
  char bytes[65536];
  const ssize_t n = read(fd, bytes, sizeof bytes);
  if (n < 0) return errno == EINTR;
  const bool is_out = fd == out_fd_;
  if (n == 0) {
    (is_out ? out_source_ : err_source_).reset();
    close_fd(is_out ? out_fd_ : err_fd_);
    return false;
  }
  if (finished_) return true;  // past the deadline: drained so that the process can end
  const std::string_view text(bytes, static_cast<size_t>(n));
  if (is_out)
    take_out(text);
  else
    take_err(text);
  return !finished_;
}

void Process::keep(std::string& text, std::string_view bytes) {
  const size_t room = std::min(*budget_, most_ - std::min(most_, text.size()));
  const size_t kept = std::min(room, bytes.size());
  output_.truncated |= kept < bytes.size();
  text.append(bytes.substr(0, kept));
  *budget_ -= kept;
  charged_ += kept;
}

void Process::take_out(std::string_view bytes) {
  if (!callbacks_.line) return keep(output_.out, bytes);
  const auto deliver = callbacks_.line;  // a copy: the callback may destroy the stream and itself
  while (!bytes.empty() && !finished_) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    const size_t room = kMaxLine - std::min(kMaxLine, line_.size());
    line_cut_ |= piece.size() > room;
    line_.append(piece.substr(0, room));
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    output_.truncated |= std::exchange(line_cut_, false);
    deliver(line);
  }
}

void Process::take_err(std::string_view bytes) {
  if (!callbacks_.line) return keep(output_.err, bytes);
  output_.err.append(bytes);
  if (output_.err.size() <= kMaxStreamError) return;
  output_.truncated = true;
  // Keep the end: it says why the stream ended.
  output_.err.erase(0, output_.err.size() - kMaxStreamError);
}

void Process::pause(bool on) {
  if (out_source_) sd_event_source_set_enabled(out_source_.get(), on ? SD_EVENT_OFF : SD_EVENT_ON);
}

void Process::abandon() {
  callbacks_.line = nullptr;
  callbacks_.done = nullptr;
  if (finished_ || pid_ < 0) return;
  finished_ = true;
  kill_softly();
}

void Process::kill_softly() {
  if (pid_ < 0) return;
  killed_ = true;
  kill(-pid_, SIGTERM);
  timer_.start(kTermToKill, [this] {
    if (pid_ > 0) kill(-pid_, SIGKILL);
  });
}

int Process::on_exit(sd_event_source*, int, uint32_t, void* self) {
  auto process = static_cast<Process*>(self)->shared_from_this();
  process->reap();
  return 0;
}

void Process::reap() {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == 0)
    return;
  // Kill the command's descendants as well, but not after a normal exit: sendmail(8) may still be
  // delivering. Kill before the wait, while the process id is still valid.
  if (killed_) kill(-pid_, SIGKILL);
  int status = 0;
  const pid_t got = waitpid(pid_, &status, WNOHANG);
  timer_.stop();
  pid_source_.reset();
  close_fd(pid_fd_);
  // The last output is still in the pipes. Descendants may hold them open, so read only what is
  // there now.
  while (read_some(out_fd_)) {
  }
  while (read_some(err_fd_)) {
  }
  pid_ = -1;
  out_source_.reset();
  err_source_.reset();
  close_fd(out_fd_);
  close_fd(err_fd_);
  if (callbacks_.line && !line_.empty() && !finished_) callbacks_.line(std::exchange(line_, {}));
  if (got > 0 && WIFSIGNALED(status))
    finish(CommandOutput::End::killed, WTERMSIG(status));
  else
    finish(CommandOutput::End::exited, got > 0 ? WEXITSTATUS(status) : 255);
  if (auto gone = std::exchange(callbacks_.gone, nullptr)) gone();
}

void Process::finish(CommandOutput::End end, int code) {
  if (finished_) return;
  finished_ = true;
  *budget_ += std::exchange(charged_, 0);
  output_.end = end;
  output_.code = code;
  auto done = std::exchange(callbacks_.done, nullptr);
  callbacks_.line = nullptr;
  if (done) done(std::move(output_));
}

}  // namespace fmd::sdk
