#include "plugins/sdk/delivered_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace fmd::sdk {
namespace {

// Escapes control characters and backslashes, so that a key is one line.
std::string escaped(std::string_view key) {
  std::string line;
  for (const char c : key) {
    if (c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr std::string_view kHex = "0123456789abcdef";
      line += "\\x";
      line += kHex[static_cast<unsigned char>(c) >> 4];
      line += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      line += c;
    }
  }
  return line;
}

Error system_error(std::string_view what, const std::string& path, int error) {
  return Error{std::string(what) + ": " + strerror(error), path, 0};
}

Result<void> write_durably(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(system_error("cannot write", path, errno));
    text.remove_prefix(static_cast<size_t>(n));
  }
  if (fdatasync(fd) < 0) return tl::unexpected(system_error("cannot write", path, errno));
  return {};
}

void sync_folder_of(const std::string& path) {
  const int fd =
      ::open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

Result<DeliveredKeys> DeliveredKeys::open(const std::string& folder, size_t kept) {
  DeliveredKeys keys(folder + "/delivered", kept);
  if (auto loaded = keys.load(); !loaded) return tl::unexpected(loaded.error());
  return keys;
}

DeliveredKeys::DeliveredKeys(DeliveredKeys&& other) noexcept
    : path_(std::move(other.path_)),
      kept_(other.kept_),
      fd_(std::exchange(other.fd_, -1)),
      lines_(other.lines_),
      order_(std::move(other.order_)),
      keys_(std::move(other.keys_)) {}

DeliveredKeys::~DeliveredKeys() {
  if (fd_ >= 0) close(fd_);
}

Result<void> DeliveredKeys::load() {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd_ < 0)
    return tl::unexpected(system_error(
        "what was delivered cannot be remembered, the folder must be writable", path_, errno));
  sync_folder_of(path_);
  std::ifstream in(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  size_t at = 0;
  for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    std::string line = text.substr(at, end - at);
    ++lines_;
    if (keys_.insert(line).second) order_.push_back(std::move(line));
  }
  // An incomplete last line is left by a crash; that delivery was not acknowledged.
  if (at < text.size() && ftruncate(fd_, static_cast<off_t>(at)) < 0)
    return tl::unexpected(system_error("cannot repair", path_, errno));
  while (order_.size() > kept_) {
    keys_.erase(order_.front());
    order_.pop_front();
  }
  return {};
}

bool DeliveredKeys::contains(std::string_view key) const {
  return keys_.contains(escaped(key));
}

Result<void> DeliveredKeys::add(std::string_view key) {
  std::string line = escaped(key);
  if (!keys_.insert(line).second) return {};
  order_.push_back(line);
  if (order_.size() > kept_) {
    keys_.erase(order_.front());
    order_.pop_front();
  }
  if (auto appended = append(line + "\n"); !appended) return appended;
  ++lines_;
  return lines_ > 2 * kept_ ? compact() : Result<void>();
}

Result<void> DeliveredKeys::append(std::string_view line) {
  struct stat before {};
  if (fstat(fd_, &before) < 0) return tl::unexpected(system_error("cannot write", path_, errno));
  auto written = write_durably(fd_, line, path_);
  // An incomplete line must not swallow the next one.
  if (!written && ftruncate(fd_, before.st_size) < 0) (void)::write(fd_, "\n", 1);
  return written;
}

// Rewrites the file with the newest keys only; the rename replaces the old file atomically.
Result<void> DeliveredKeys::compact() {
  const std::string fresh = path_ + ".new";
  const int fd =
      ::open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return tl::unexpected(system_error("cannot write", fresh, errno));
  std::string text;
  for (const std::string& line : order_) text += line + "\n";
  auto written = write_durably(fd, text, fresh);
  if (written && rename(fresh.c_str(), path_.c_str()) < 0)
    written = tl::unexpected(system_error("cannot replace", path_, errno));
  if (!written) {
    close(fd);
    return written;
  }
  sync_folder_of(path_);
  close(std::exchange(fd_, fd));
  lines_ = order_.size();
  return {};
}

}  // namespace fmd::sdk
