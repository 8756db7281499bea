#include "plugins/sdk/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "plugins/sdk/internal/process.h"

namespace fmd::sdk {
namespace {

constexpr size_t kMaxFile = 1 << 20;
constexpr time_t kSettledSeconds = 2;
constexpr size_t kLongestReason = 500;  // bytes of a command's error message
constexpr ssize_t kSysfsPage = 4096;    // a shorter read is the whole attribute
constexpr std::string_view kUsualPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> result;
  while (true) {
    const size_t end = text.find(separator);
    if (const auto piece = text.substr(0, end); !piece.empty()) result.emplace_back(piece);
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

// Without /sys/fs and /sys/kernel, where other file systems are mounted.
bool is_sysfs(std::string_view path) {
  return path.starts_with("/sys/class/") || path.starts_with("/sys/block/") ||
         path.starts_with("/sys/devices/") || path.starts_with("/sys/bus/");
}

tl::unexpected<Error> system_fail(std::string_view what, std::string_view file, int error) {
  return fail(std::string(what) + ": " + strerror(error), std::string(file));
}

// name: the file's name, if path is only its folder.
Result<std::string> read_all(const FileDescriptor& file, std::string_view path,
                             const std::string& name = {}) {
  const auto problem = [&](int error) {
    return system_fail("cannot read", std::string(path) + (name.empty() ? "" : "/" + name), error);
  };
  if (!file.good()) return problem(file.error());
  const bool sysfs = is_sysfs(path);
  std::string text;
  char bytes[65536];
  while (true) {
    const ssize_t n = ::read(file.get(), bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return problem(errno);
    if (n == 0) break;
    text.append(bytes, static_cast<size_t>(n));
    if (text.size() > kMaxFile) return problem(EFBIG);
    if (sysfs && n < kSysfsPage) break;
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string CommandOutput::explain(std::string_view what) const {
  std::string text(what);
  switch (end) {
    case End::exited:
      text +=
          truncated ? ": printed more than fmd accepts, ignored" : ": exit " + std::to_string(code);
      break;
    case End::killed:
      text += ": killed by signal " + std::to_string(code);
      break;
    case End::deadline:
      text += ": no answer by the deadline, given up";
      break;
    case End::not_found:
      text += ": not installed";
      break;
  }
  const size_t start = std::min(err.find_first_not_of('\n'), err.size());
  if (start < err.size())
    text += ": " + err.substr(start, std::min(err.find('\n', start) - start, kLongestReason));
  return text;
}

struct Host::Impl {
  sd_event* loop;
  RootFolder root;
  std::vector<std::string> tool_folders;
  std::set<std::shared_ptr<Process>> processes;
  std::set<std::unique_ptr<Timer>> soon;
  Limits limits;
  Process::Budget left = std::make_shared<size_t>(limits.all);

  Impl(sd_event* event_loop, std::string root_folder, std::string tools)
      : loop(event_loop), root(std::move(root_folder)), tool_folders(split(tools, ':')) {
    const char* path = getenv("PATH");
    for (const auto& from : {std::string_view(path ? path : ""), kUsualPath})
      for (auto& folder : split(from, ':'))
        if (std::find(tool_folders.begin(), tool_folders.end(), folder) == tool_folders.end())
          tool_folders.push_back(std::move(folder));
  }

  std::string find_tool(std::string_view name) const {
    if (name.empty()) return {};
    if (name.find('/') != name.npos)
      return access(std::string(name).c_str(), X_OK) == 0 ? std::string(name) : std::string();
    for (const auto& folder : tool_folders) {
      std::string candidate = folder + "/" + std::string(name);
      struct stat info;
      if (stat(candidate.c_str(), &info) != 0) continue;
      if (S_ISCHR(info.st_mode)) return {};  // /dev/null: not installed
      if (S_ISREG(info.st_mode) && access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
  }

  std::vector<std::string> child_environment() const {
    static constexpr std::string_view kNotForChildren[] = {
        "NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "CREDENTIALS_DIRECTORY=", "LC_",
        "LANG=",          "LANGUAGE=", "PATH=",   "FMD_HOST_ROOT="};
    std::vector<std::string> result{"LC_ALL=C", "FMD_HOST_ROOT=" + root.folder()};
    std::string path = "PATH=";
    for (const auto& folder : tool_folders) path += (path.back() == '=' ? "" : ":") + folder;
    result.push_back(std::move(path));
    for (char** entry = environ; *entry; ++entry) {
      const std::string_view text = *entry;
      if (std::none_of(std::begin(kNotForChildren), std::end(kNotForChildren),
                       [&](std::string_view prefix) { return text.starts_with(prefix); }))
        result.emplace_back(text);
    }
    return result;
  }

  // Callbacks never run within the call, so an immediate failure is reported from the loop.
  void tell_soon(std::function<void()> fn) {
    auto timer = std::make_unique<Timer>(loop);
    Timer* raw = timer.get();
    soon.insert(std::move(timer));
    raw->start(std::chrono::milliseconds(0), [this, raw, fn = std::move(fn)] {
      soon.erase(std::find_if(soon.begin(), soon.end(), [&](auto& t) { return t.get() == raw; }));
      fn();
    });
  }

  std::shared_ptr<Stream> keep_stream(const Process::Child& child,
                                      std::function<void(std::string_view)> line,
                                      std::function<void(CommandOutput)> ended);
  std::shared_ptr<Process> launch(const Process::Child& child, Process::Callbacks callbacks,
                                  std::chrono::milliseconds deadline) {
    auto failed = [this, callbacks](CommandOutput output) {
      tell_soon([callbacks, output] {
        if (callbacks.done) callbacks.done(output);
        if (callbacks.gone) callbacks.gone();
      });
    };
    if (!child.work && child.program.empty()) {
      failed({.end = CommandOutput::End::not_found, .out = {}, .err = {}});
      return nullptr;
    }
    auto on_gone = callbacks.gone;
    auto slot = std::make_shared<std::weak_ptr<Process>>();
    callbacks.gone = [this, slot, on_gone] {
      if (auto process = slot->lock()) processes.erase(process);
      if (on_gone) on_gone();
    };
    auto process = std::make_shared<Process>(loop, std::move(callbacks),
                                             child.work ? limits.own_work : limits.command, left);
    *slot = process;
    if (auto started = process->start(child, deadline); !started) {
      CommandOutput output{.code = 127, .out = {}, .err = started.error().text()};
      failed(output);
      return nullptr;
    }
    processes.insert(process);
    return process;
  }
};

namespace {

// Destroying the stream kills the process, which stays with the Host until it is reaped.
struct ProcessStream : Host::Stream {
  std::shared_ptr<Process> process;
  ~ProcessStream() override {
    if (process) process->abandon();
  }
  void pause(bool on) override {
    if (process) process->pause(on);
  }
};

}  // namespace

Host Host::from_environment(sd_event* loop) {
  const char* root = getenv("FMD_HOST_ROOT");
  const char* tools = getenv("FMD_HOST_PATH");
  return Host(loop, root ? root : "", tools ? tools : "");
}

Host::Host(sd_event* loop, std::string root, std::string tools)
    : impl_(std::make_unique<Impl>(loop, std::move(root), std::move(tools))) {}
Host::~Host() = default;
Host::Host(Host&&) noexcept = default;

void Host::set_limits(const Limits& limits) {
  impl_->left = std::make_shared<size_t>(limits.all);
  impl_->limits = limits;
}

bool Host::real() const {
  return impl_->root.real();
}

std::string Host::path(std::string_view absolute) const {
  return impl_->root.path(absolute);
}

Result<std::string> Host::resolve(std::string_view absolute) const {
  std::string canonical;
  if (const int failed = impl_->root.resolve(absolute, canonical); failed < 0)
    return system_fail("cannot resolve", absolute, -failed);
  return canonical;
}

Result<std::string> Host::read(std::string_view absolute) const {
  return read_all(impl_->root.open(absolute, O_RDONLY), absolute);
}

Host::Folder::Folder(const Host& host, std::string_view absolute)
    : host_(host),
      path_(absolute),
      folder_(host.impl_->root.open(absolute, O_PATH | O_DIRECTORY)) {}

// Links may lead out of the folder: Host::read() follows them inside the root.
Result<std::string> Host::Folder::read(const std::string& name) const {
  if (!folder_.good()) return system_fail("cannot read", path_ + "/" + name, folder_.error());
  constexpr int kPlain = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  const int fd = openat(folder_.get(), name.c_str(), kPlain);
  if (fd < 0 && errno == ELOOP) return host_.read(path_ + "/" + name);
  return read_all(FileDescriptor(fd < 0 ? -errno : fd), path_, name);
}

// One write(2): sysfs takes each write as a complete value. Never creates a file.
Result<void> Host::write(std::string_view absolute, std::string_view text) const {
  const FileDescriptor file = impl_->root.open(absolute, O_WRONLY | O_TRUNC);
  if (!file.good()) return system_fail("cannot write", absolute, file.error());
  ssize_t n;
  do n = ::write(file.get(), text.data(), text.size());
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_fail("cannot write", absolute, errno);
  if (static_cast<size_t>(n) != text.size()) return system_fail("cannot write", absolute, EIO);
  return {};
}

Result<std::vector<std::string>> Host::list(std::string_view absolute) const {
  FileDescriptor file = impl_->root.open(absolute, O_RDONLY | O_DIRECTORY);
  if (!file.good()) return system_fail("cannot list", absolute, file.error());
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(file.release()), &closedir);
  if (!folder) return system_fail("cannot list", absolute, errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(folder.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  if (errno != 0) return system_fail("cannot list", absolute, errno);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> Host::read_link(std::string_view absolute) const {
  std::string target;
  if (const int failed = impl_->root.read_link(absolute, target); failed < 0)
    return system_fail("cannot read the link", absolute, -failed);
  return target;
}

bool Host::exists(std::string_view absolute) const {
  return impl_->root.open(absolute, O_PATH).good();
}

std::string Host::state_of_folder(std::string_view absolute) const {
  const FileDescriptor folder = impl_->root.open(absolute, O_PATH | O_DIRECTORY);
  struct stat info;
  timespec now{};
  if (!folder.good() || fstat(folder.get(), &info) != 0) return {};
  clock_gettime(CLOCK_REALTIME, &now);
  // The absolute difference: correct also after the clock was set back.
  if (std::abs(now.tv_sec - info.st_mtim.tv_sec) < kSettledSeconds) return {};
  return std::to_string(info.st_ino) + ' ' + std::to_string(info.st_mtim.tv_sec) + ' ' +
         std::to_string(info.st_mtim.tv_nsec);
}

bool Host::has_tool(std::string_view name) const {
  return !impl_->find_tool(name).empty();
}

void Host::run(std::vector<std::string> argv, std::chrono::milliseconds deadline,
               std::function<void(CommandOutput)> done, std::function<void()> gone) {
  Process::Child child{.program = argv.empty() ? "" : impl_->find_tool(argv.front()),
                       .argv = std::move(argv),
                       .environment = impl_->child_environment(),
                       .work = {}};
  impl_->launch(child, {.line = {}, .done = std::move(done), .gone = std::move(gone)}, deadline);
}

void Host::run_apart(std::function<std::string()> work, std::chrono::milliseconds deadline,
                     std::function<void(CommandOutput)> done, std::function<void()> gone) {
  Process::Child child{
      .program = {}, .argv = {}, .environment = {}, .work = [work = std::move(work)](const Say&) {
        return work();
      }};
  impl_->launch(child, {.line = {}, .done = std::move(done), .gone = std::move(gone)}, deadline);
}

std::shared_ptr<Host::Stream> Host::stream(std::vector<std::string> argv,
                                           std::function<void(std::string_view)> line,
                                           std::function<void(CommandOutput)> ended) {
  Process::Child child{.program = argv.empty() ? "" : impl_->find_tool(argv.front()),
                       .argv = std::move(argv),
                       .environment = impl_->child_environment(),
                       .work = {}};
  return impl_->keep_stream(child, std::move(line), std::move(ended));
}

std::shared_ptr<Host::Stream> Host::stream_apart(std::function<void(const Say&)> work,
                                                 std::function<void(std::string_view)> line,
                                                 std::function<void(CommandOutput)> ended) {
  Process::Child child{.program = {},
                       .argv = {},
                       .environment = {},
                       .work = [work = std::move(work)](const Say& say) {
                         work(say);
                         return std::string();
                       }};
  return impl_->keep_stream(child, std::move(line), std::move(ended));
}

std::shared_ptr<Host::Stream> Host::Impl::keep_stream(const Process::Child& child,
                                                      std::function<void(std::string_view)> line,
                                                      std::function<void(CommandOutput)> ended) {
  // The caller may destroy the stream before a failed start is reported.
  auto result = std::make_shared<ProcessStream>();
  auto ended_if_kept = [weak = std::weak_ptr<ProcessStream>(result),
                        ended = std::move(ended)](CommandOutput output) {
    if (!weak.expired() && ended) ended(std::move(output));
  };
  result->process =
      launch(child, {.line = std::move(line), .done = std::move(ended_if_kept), .gone = {}},
             std::chrono::milliseconds(0));
  return result;
}

}  // namespace fmd::sdk
