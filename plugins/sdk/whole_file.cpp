#include "plugins/sdk/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace fmd::sdk {

Result<std::optional<std::string>> read_whole(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return std::nullopt;
  if (fd < 0) return fail(std::string("cannot read: ") + strerror(errno), file);
  std::string text;
  char part[65536];
  ssize_t got = 0;
  while ((got = read(fd, part, sizeof part)) > 0) text.append(part, static_cast<size_t>(got));
  const int error = errno;
  close(fd);
  if (got < 0) return fail(std::string("cannot read: ") + strerror(error), file);
  return text;
}

Result<void> write_whole(const std::string& file, const std::string& text) {
  const std::string fresh = file + ".new";
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return fail(std::string("cannot write: ") + strerror(errno), fresh);
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  const int error = errno;
  close(fd);
  if (!written) return fail(std::string("cannot write: ") + strerror(error), fresh);
  if (rename(fresh.c_str(), file.c_str()) < 0)
    return fail(std::string("cannot rename: ") + strerror(errno), fresh);
  return {};
}

Result<std::string> state_directory() {
  const char* folders = getenv("STATE_DIRECTORY");
  if (folders == nullptr || *folders == '\0')
    return fail(
        "STATE_DIRECTORY is not set: start this plugin by its systemd unit, or set it to a folder "
        "that it may write to");
  const std::string all = folders;
  return all.substr(0, all.find(':'));
}

std::string state_file(const std::string& name) {
  const auto folder = state_directory();
  return folder ? *folder + "/" + name : "";
}

}  // namespace fmd::sdk
