#include "plugins/sdk/internal/root_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <utility>

namespace fmd::sdk {
namespace {

constexpr std::string_view kNull = "/dev/null";
constexpr int kRaces = 1000;

int link_of(int folder, const char* name, std::string& target) {
  char text[PATH_MAX];
  const ssize_t length = readlinkat(folder, name, text, sizeof text);
  if (length < 0) return -errno;
  target.assign(text, static_cast<size_t>(length));
  return 0;
}

// The current path of an open file, from the kernel.
int path_of(int fd, std::string& path) {
  return link_of(AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str(), path);
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

RootFolder::RootFolder(std::string folder) : folder_(std::move(folder)) {
  while (folder_.ends_with('/')) folder_.pop_back();
}

std::string RootFolder::path(std::string_view absolute) const {
  if (absolute == kNull) return std::string(kNull);
  return folder_ + (absolute.starts_with('/') ? "" : "/") + std::string(absolute);
}

RootFolder::~RootFolder() {
  if (root_fd_ >= 0 && root_of_ == getpid()) close(root_fd_);
}

int RootFolder::root() const {
  if (root_fd_ >= 0 && root_of_ == getpid()) return root_fd_;
  root_fd_ = ::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  root_of_ = getpid();
  return root_fd_ < 0 ? -errno : root_fd_;
}

FileDescriptor RootFolder::open_inside(std::string_view absolute, int flags) const {
  const int folder = root();
  if (folder < 0) return FileDescriptor(folder);
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_IN_ROOT;
  const std::string name(absolute);
  long fd = -1;
  // EAGAIN: a concurrent rename, so the kernel cannot resolve ".." safely.
  for (int race = 0; race < kRaces; ++race) {
    fd = syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how);
    if (fd >= 0 || errno != EAGAIN) break;
  }
  return FileDescriptor(fd < 0 ? -errno : static_cast<int>(fd));
}

FileDescriptor RootFolder::open(std::string_view absolute, int flags) const {
  // O_PATH cannot be combined with O_NONBLOCK.
  flags |= (flags & O_PATH) != 0 ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK;
  if (real() || absolute == kNull) {
    const int fd = ::open(path(absolute).c_str(), flags);
    return FileDescriptor(fd < 0 ? -errno : fd);
  }
  FileDescriptor file = open_inside(absolute, flags);
  std::string target;
  if (!file.good() && file.error() == ENOENT && read_link(absolute, target) == 0 && target == kNull)
    return open(kNull, flags);
  return file;
}

int RootFolder::resolve(std::string_view absolute, std::string& canonical) const {
  if (real()) {
    const std::unique_ptr<char, decltype(&free)> found(realpath(path(absolute).c_str(), nullptr),
                                                       &free);
    if (!found) return -errno;
    canonical = found.get();
    return 0;
  }
  const FileDescriptor file = open(absolute, O_PATH);
  if (!file.good()) return file.get();
  if (const int failed = path_of(file.get(), canonical); failed < 0) return failed;
  if (canonical == kNull) return 0;
  std::string above;
  if (const int failed = path_of(root(), above); failed < 0) return failed;
  canonical.erase(0, above.size());
  if (canonical.empty()) canonical = "/";
  return 0;
}

int RootFolder::read_link(std::string_view absolute, std::string& target) const {
  constexpr int kLink = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  if (real()) return link_of(AT_FDCWD, path(absolute).c_str(), target);
  const FileDescriptor link = open_inside(absolute, kLink);
  return link.good() ? link_of(link.get(), "", target) : link.get();
}

}  // namespace fmd::sdk
