#include "plugins/sdk/host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "plugins/sdk/process.h"

namespace fmd::sdk {
namespace {

constexpr size_t kMaxFile = 1 << 20;
constexpr int kMaxLinks = 40;  // as the kernel
constexpr std::string_view kNull = "/dev/null";
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

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> system_fail(std::string_view what, std::string_view file, int error) {
  return fail(std::string(what) + ": " + strerror(error), std::string(file));
}

}  // namespace

std::string CommandOutput::explain(std::string_view what) const {
  std::string text(what);
  switch (end) {
    case End::exited:
      text += ": exit " + std::to_string(code);
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
  if (const auto lines = split(err, '\n'); !lines.empty()) text += ": " + lines.front();
  return text;
}

struct Host::Impl {
  sd_event* loop;
  std::string root;  // without trailing "/"; empty: the real machine
  std::vector<std::string> tool_folders;
  std::set<std::shared_ptr<Process>> processes;
  std::set<std::unique_ptr<Timer>> soon;

  Impl(sd_event* event_loop, std::string root_folder, std::string tools)
      : loop(event_loop), root(std::move(root_folder)), tool_folders(split(tools, ':')) {
    while (root.ends_with('/')) root.pop_back();
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
      if (stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
          access(candidate.c_str(), X_OK) == 0)
        return candidate;
    }
    return {};
  }

  std::vector<std::string> child_environment() const {
    static constexpr std::string_view kNotForChildren[] = {
        "NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "CREDENTIALS_DIRECTORY=", "LC_",
        "LANG=",          "LANGUAGE=", "PATH=",   "FMD_HOST_ROOT="};
    std::vector<std::string> result{"LC_ALL=C", "FMD_HOST_ROOT=" + (root.empty() ? "/" : root)};
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

  // Callbacks never come from within the call: what failed at once is told by the loop.
  void tell_soon(std::function<void()> fn) {
    auto timer = std::make_unique<Timer>(loop);
    Timer* raw = timer.get();
    soon.insert(std::move(timer));
    raw->start(std::chrono::milliseconds(0), [this, raw, fn = std::move(fn)] {
      soon.erase(std::find_if(soon.begin(), soon.end(), [&](auto& t) { return t.get() == raw; }));
      fn();
    });
  }

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
    auto process = std::make_shared<Process>(loop, std::move(callbacks));
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

// Killing the stream leaves the process with the Host until it is reaped.
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

bool Host::real() const {
  return impl_->root.empty();
}

std::string Host::path(std::string_view absolute) const {
  if (absolute == kNull) return std::string(kNull);
  return impl_->root + (absolute.starts_with('/') ? "" : "/") + std::string(absolute);
}

// Walks the path part by part; a link's absolute target and ".." stay inside the root. /dev/null is
// no device: a simulated host uses the one there is.
Result<std::string> Host::resolve(std::string_view absolute) const {
  std::vector<std::string> todo = split(absolute, '/'), done;
  std::reverse(todo.begin(), todo.end());
  int links = 0;
  while (!todo.empty()) {
    const std::string part = std::move(todo.back());
    todo.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      if (!done.empty()) done.pop_back();
      continue;
    }
    std::string here = impl_->root;
    for (const auto& folder : done) here += "/" + folder;
    here += "/" + part;
    char target[4096];
    const ssize_t n = readlink(here.c_str(), target, sizeof target);
    if (n < 0 && errno != EINVAL) return system_fail("cannot resolve", absolute, errno);
    if (n < 0) {
      done.push_back(part);
      continue;
    }
    if (++links > kMaxLinks) return system_fail("cannot resolve", absolute, ELOOP);
    const std::string_view link(target, static_cast<size_t>(n));
    if (link == kNull && todo.empty()) return std::string(kNull);
    if (link.starts_with('/')) done.clear();
    auto parts = split(link, '/');
    for (auto it = parts.rbegin(); it != parts.rend(); ++it) todo.push_back(std::move(*it));
  }
  std::string result;
  for (const auto& folder : done) result += "/" + folder;
  return result.empty() ? "/" : result;
}

// On the real machine the kernel follows links itself: it is much cheaper.
Result<std::string> Host::inside(std::string_view absolute) const {
  return real() ? std::string(absolute) : resolve(absolute);
}

Result<std::string> Host::read(std::string_view absolute) const {
  auto resolved = inside(absolute);
  if (!resolved) return tl::unexpected(resolved.error());
  FileDescriptor file(open(path(*resolved).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_fail("cannot read", absolute, errno);
  std::string text;
  char bytes[65536];
  while (true) {
    const ssize_t n = ::read(file.get(), bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_fail("cannot read", absolute, errno);
    if (n == 0) break;
    text.append(bytes, static_cast<size_t>(n));
    if (text.size() > kMaxFile) return system_fail("cannot read", absolute, EFBIG);
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// One write(2): sysfs takes a value whole or not at all. Never creates a file.
Result<void> Host::write(std::string_view absolute, std::string_view text) const {
  auto resolved = inside(absolute);
  if (!resolved) return tl::unexpected(resolved.error());
  FileDescriptor file(open(path(*resolved).c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC | O_NONBLOCK));
  if (file.get() < 0) return system_fail("cannot write", absolute, errno);
  ssize_t n;
  do n = ::write(file.get(), text.data(), text.size());
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_fail("cannot write", absolute, errno);
  if (static_cast<size_t>(n) != text.size()) return system_fail("cannot write", absolute, EIO);
  return {};
}

Result<std::vector<std::string>> Host::list(std::string_view absolute) const {
  auto resolved = inside(absolute);
  if (!resolved) return tl::unexpected(resolved.error());
  std::error_code error;
  std::filesystem::directory_iterator folder(path(*resolved), error), end;
  std::vector<std::string> names;
  for (; !error && folder != end; folder.increment(error)) {
    std::string name = folder->path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  if (error) return system_fail("cannot list", absolute, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> Host::read_link(std::string_view absolute) const {
  const size_t slash = absolute.rfind('/');
  auto folder = resolve(slash == 0 || slash == absolute.npos ? "/" : absolute.substr(0, slash));
  if (!folder) return tl::unexpected(folder.error());
  const std::string name(absolute.substr(slash == absolute.npos ? 0 : slash + 1));
  char target[4096];
  const ssize_t n = readlink((path(*folder) + "/" + name).c_str(), target, sizeof target);
  if (n < 0) return system_fail("cannot read the link", absolute, errno);
  return std::string(target, static_cast<size_t>(n));
}

bool Host::exists(std::string_view absolute) const {
  return resolve(absolute).has_value();
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
  Process::Child child{.program = {}, .argv = {}, .environment = {}, .work = std::move(work)};
  impl_->launch(child, {.line = {}, .done = std::move(done), .gone = std::move(gone)}, deadline);
}

std::shared_ptr<Host::Stream> Host::stream(std::vector<std::string> argv,
                                           std::function<void(std::string_view)> line,
                                           std::function<void(CommandOutput)> ended) {
  Process::Child child{.program = argv.empty() ? "" : impl_->find_tool(argv.front()),
                       .argv = std::move(argv),
                       .environment = impl_->child_environment(),
                       .work = {}};
  // The caller may drop the stream before a failure to start is told.
  auto result = std::make_shared<ProcessStream>();
  auto ended_if_kept = [weak = std::weak_ptr<ProcessStream>(result),
                        ended = std::move(ended)](CommandOutput output) {
    if (!weak.expired() && ended) ended(std::move(output));
  };
  result->process =
      impl_->launch(child, {.line = std::move(line), .done = std::move(ended_if_kept), .gone = {}},
                    std::chrono::milliseconds(0));
  return result;
}

}  // namespace fmd::sdk
