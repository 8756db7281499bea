// RootFolder: the files of a machine below a folder: links, also absolute ones and "..", stay
// inside it. The folder "/" is the real machine, accessed by libc's calls (a test bed redirects
// them). For others the kernel resolves the paths (openat2(2), RESOLVE_IN_ROOT): a path of sysfs
// has thirty parts and some links, and a big machine has tens of thousands of files. Errors are
// negative errno: a missing file is the usual case. Safe in a forked child.
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
  int get() const { return fd_; }  // or what it is not, as -errno
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
  // Where a path lies, links not followed. /dev/null is no device: it is that of the real machine.
  std::string path(std::string_view absolute) const;
  // Like open(2); close-on-exec, never blocks (a FIFO, a tty).
  FileDescriptor open(std::string_view absolute, int flags) const;
  // The canonical path as the machine sees it: 0, or -errno.
  int resolve(std::string_view absolute, std::string& canonical) const;
  // What a link says: 0, or -errno.
  int read_link(std::string_view absolute, std::string& target) const;

 private:
  FileDescriptor open_inside(std::string_view absolute, int flags) const;
  int root() const;  // a descriptor of this process', or -errno

  std::string folder_;  // without trailing "/"; empty: the real machine
  // A forked child has none of its parent's descriptors: it opens its own.
  mutable int root_fd_ = -1;
  mutable pid_t root_of_ = -1;
};

}  // namespace fmd::sdk
