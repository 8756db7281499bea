#include "fmd/store/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fmd::store {
namespace {

constexpr uint64_t kRoom = 4;            // times its size must be free before it is written
constexpr unsigned kLongestRest = 1023;  // calls of keep()

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Reserve::Reserve(std::string path, uint64_t bytes) : path_(std::move(path)), bytes_(bytes) {
  struct stat status {};
  if (bytes_ == 0 || stat(path_.c_str(), &status) != 0) return;
  whole_ = static_cast<uint64_t>(status.st_size) == bytes_;
  given_ = !whole_;
}

bool Reserve::keep() {
  if (whole_ || bytes_ == 0) return whole_;
  if (rest_ > 0) {
    --rest_;
    return false;
  }
  struct statvfs room {};
  const std::string folder = path_.substr(0, path_.rfind('/'));
  if (statvfs(folder.c_str(), &room) != 0 ||
      uint64_t{room.f_bavail} * room.f_frsize < kRoom * bytes_)
    return false;
  whole_ = write_it();
  if (whole_) {
    given_ = false;
    longest_rest_ = 0;
    return true;
  }
  longest_rest_ = std::min(2 * longest_rest_ + 1, kLongestRest);
  rest_ = longest_rest_;
  if (given_)
    (void)empty_it();
  else
    unlink(path_.c_str());
  return false;
}

// Leaves the empty file, so that the next start knows that the reserve was used.
bool Reserve::give_up() {
  if (!std::exchange(whole_, false)) return false;
  given_ = true;
  return empty_it();
}

// Synced because some file systems free space late.
bool Reserve::empty_it() const {
  const int fd = open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  (void)fsync(fd);
  close(fd);
  return true;
}

// Writes incompressible bytes: some file systems compress zeros and would reserve nothing.
bool Reserve::write_it() const {
  const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  std::array<char, 4096> page{};
  uint64_t noise = 0x9e3779b97f4a7c15;
  bool good = true;
  for (uint64_t written = 0; good && written < bytes_; written += page.size()) {
    for (char& c : page) {
      noise ^= noise << 13;
      noise ^= noise >> 7;
      noise ^= noise << 17;
      c = static_cast<char>(noise);
    }
    const auto size = static_cast<size_t>(std::min<uint64_t>(page.size(), bytes_ - written));
    good = write_all(fd, {page.data(), size});
  }
  good = good && fsync(fd) == 0;
  return close(fd) == 0 && good;
}

}  // namespace fmd::store
