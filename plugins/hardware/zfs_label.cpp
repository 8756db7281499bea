#include "plugins/hardware/zfs_label.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace fmd::hardware {
namespace {

using namespace std::string_view_literals;

constexpr off_t kAt = 16 << 10, kLength = 112 << 10;
// An nvlist pair: name's length, name, DATA_TYPE_UINT64, one element, the value (big-endian).
constexpr std::string_view kGuid = "\0\0\0\4guid\0\0\0\10\0\0\0\1"sv;
constexpr char kXdr = 1;  // NV_ENCODE_XDR

}  // namespace

Result<uint64_t> zfs_label_guid(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fail(std::string("it cannot be opened: ") + strerror(errno));
  posix_fadvise(fd, kAt, kLength, POSIX_FADV_DONTNEED);
  std::vector<char> bytes(static_cast<size_t>(kLength));
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), kAt);
  const int error = errno;
  ::close(fd);
  if (got < 0) return fail(std::string("it cannot be read: ") + strerror(error));
  const std::string_view label(bytes.data(), static_cast<size_t>(got));
  if (label.empty() || label.front() != kXdr) return 0;
  // The vdev's own GUID comes first; those in "vdev_tree" follow.
  const size_t at = label.find(kGuid);
  if (at == label.npos || at + kGuid.size() + sizeof(uint64_t) > label.size()) return 0;
  uint64_t guid = 0;
  for (const char byte : label.substr(at + kGuid.size(), sizeof guid))
    guid = guid << 8 | static_cast<uint64_t>(static_cast<unsigned char>(byte));
  return guid;
}

}  // namespace fmd::hardware
