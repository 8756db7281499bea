// Preloaded: a disk whose writes hang, fsync(2) and fdatasync(2), as long as the file $SLOW_FSYNC is there.
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

void wait_for_disk() {
  const char* file = getenv("SLOW_FSYNC");
  while (file && access(file, F_OK) == 0) usleep(20000);
}

}  // namespace

extern "C" int fsync(int fd) {
  wait_for_disk();
  return static_cast<int>(syscall(SYS_fsync, fd));
}

extern "C" int fdatasync(int fd) {
  wait_for_disk();
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}
