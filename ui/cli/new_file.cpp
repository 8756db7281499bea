#include "ui/cli/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fmd::cli {

Result<void> write_new_file(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool good = fd >= 0;
  for (size_t done = 0; good && done < text.size();) {
    const ssize_t wrote = write(fd, text.data() + done, text.size() - done);
    good = wrote > 0 || (wrote < 0 && errno == EINTR);
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  const int why = errno;
  if (fd >= 0 && close(fd) != 0) good = false;
  if (!good) return fail(std::string("cannot be written: ") + strerror(why), path);
  return {};
}

}  // namespace fmd::cli
