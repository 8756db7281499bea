#include "plugins/hardware/disk_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace fmd::hardware {
namespace {

constexpr off_t kEnd = 1 << 20;  // at each end
constexpr off_t kSpot = 4096;    // between them
constexpr off_t kSpots = 62;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> cannot(const char* what, int error) {
  return fail(std::string(what) + ": " + strerror(error));
}

// Whether all bytes are `byte`. Fails if fewer can be read.
Result<bool> is_all(int fd, off_t from, off_t length, unsigned char byte) {
  std::vector<unsigned char> bytes(static_cast<size_t>(length));
  size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n =
        pread(fd, bytes.data() + got, bytes.size() - got, from + static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("it cannot be read", errno);
    if (n == 0) return fail("it ends before its end");
    got += static_cast<size_t>(n);
  }
  return std::all_of(bytes.begin(), bytes.end(), [&](unsigned char b) { return b == byte; });
}

Result<Sample> sample_with(const std::string& path, int more_flags) {
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more_flags));
  if (file.get() < 0 && errno == EBUSY) return Sample::in_use;
  if (file.get() < 0) return cannot("it cannot be opened", errno);
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return cannot("it cannot be opened", errno);
  if (!S_ISBLK(about.st_mode) && !S_ISREG(about.st_mode)) return fail("its node is no disk");
  const off_t size = lseek(file.get(), 0, SEEK_END);
  if (size < 0) return cannot("its size cannot be read", errno);
  if (size == 0) return fail("it has no size");
  // Drop cached data: it may be older than the disk's content.
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  unsigned char first = 0;
  if (const ssize_t n = pread(file.get(), &first, 1, 0); n != 1)
    return cannot("it cannot be read", n < 0 ? errno : EIO);
  const off_t end = std::min(size, kEnd);
  bool blank = true;
  // Read all places even after data was found, to report unreadable ones.
  const auto look = [&](off_t from, off_t length) -> Result<void> {
    const auto same = is_all(file.get(), from, length, first);
    if (!same) return tl::unexpected(same.error());
    blank = blank && *same;
    return {};
  };
  for (const off_t from : {off_t{0}, size - end})
    if (auto read = look(from, end); !read) return tl::unexpected(read.error());
  const off_t step = (size - 2 * end) / (kSpots + 1) / kSpot * kSpot;
  for (off_t i = 1; step >= kSpot && i <= kSpots; ++i)
    if (auto read = look(end + i * step, kSpot); !read) return tl::unexpected(read.error());
  return blank ? Sample::blank : Sample::data;
}

}  // namespace

Result<Sample> sample_disk(const std::string& path) {
  return sample_with(path, 0);
}

Result<Sample> sample_unused_disk(const std::string& path) {
  return sample_with(path, O_EXCL);  // open(2): EBUSY if the system uses the block device
}

}  // namespace fmd::hardware
