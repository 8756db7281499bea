#include "ui/tray/wake.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

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
  pollfd one{fd_, POLLIN, 0};
  return poll(&one, 1, ms) == 0;
}

}  // namespace fmd::tray
