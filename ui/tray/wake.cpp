#include "ui/tray/wake.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace fmd::tray {

Wake::Wake() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Wake::~Wake() {
  if (fd_ >= 0) close(fd_);
}

void Wake::ring() {
  if (fd_ >= 0) eventfd_write(fd_, 1);
}

bool Wake::rang() const {
  return !rest(0);
}

bool Wake::rest(int ms) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(ms);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd one{fd_, POLLIN, 0};
    const int r = poll(&one, 1, static_cast<int>(std::max<int64_t>(0, left)));
    // Interrupted by a signal, such as SIGCHLD of a program that Qt has started.
    if (r < 0 && errno == EINTR) continue;
    return r == 0;
  }
}

}  // namespace fmd::tray
