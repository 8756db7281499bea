// RootFolder: the files of a machine below a folder: links, also absolute ones and "..", stay
// inside it. The folder "/" is the real machine, accessed through libc (which a umockdev test bed
// redirects). For other folders the kernel resolves paths (openat2(2), RESOLVE_IN_ROOT), which is
// fast enough for tens of thousands of long sysfs paths. Errors are negative errno values, since a
// missing file is common. Safe in a forked child.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

namespace fmd::sdk {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor();
  bool good() const { return fd_ >= 0; }
  int get() const { return fd_; }  // -errno if not good()
  int error() const { return -fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

class RootFolder {
 public:
  explicit RootFolder(std::string folder);  // "" or "/": the real machine
  ~RootFolder();
  RootFolder(RootFolder&&) = delete;

  bool real() const { return folder_.empty(); }
  std::string folder() const { return real() ? "/" : folder_; }
  // The real path of a file, links not followed. /dev/null is always that of the real machine.
  std::string path(std::string_view absolute) const;
  // Like open(2), but close-on-exec, and never blocks (on a FIFO or tty).
  FileDescriptor open(std::string_view absolute, int flags) const;
  // The canonical path inside the root. Returns 0 or -errno.
  int resolve(std::string_view absolute, std::string& canonical) const;
  // The target of a link. Returns 0 or -errno.
  int read_link(std::string_view absolute, std::string& target) const;

 private:
  FileDescriptor open_inside(std::string_view absolute, int flags) const;
  int root() const;  // a descriptor that belongs to this process, or -errno

  std::string folder_;  // without trailing "/"; empty: the real machine
  // A forked child closes its parent's descriptors and opens its own.
  mutable int root_fd_ = -1;
  mutable pid_t root_of_ = -1;
};

}  // namespace fmd::sdk
