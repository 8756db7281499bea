#include "plugins/sdk/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>

namespace fmd::sdk {

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

}  // namespace fmd::sdk
