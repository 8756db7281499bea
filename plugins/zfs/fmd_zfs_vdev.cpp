// fmd-zfs-vdev degrade|fault POOL GUID: the one thing zpool(8) has no command for. Sets a vdev
// DEGRADED (or FAULTED) with "too many errors", as zed does, so that ZFS shows it and brings no
// data of it in danger. libzfs is loaded when run: its C interface has no promise of stability, but
// these five functions are the same in 2.0 to 2.3.
//
// Exit status: 0 done, 1 ZFS refused, 2 wrong usage, 3 no libzfs or one without these functions.
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace {

enum Exit { kDone = 0, kRefused = 1, kUsage = 2, kNoLibrary = 3 };

constexpr int kErrorsExceeded = 11;  // VDEV_AUX_ERR_EXCEEDED of sys/fs/zfs.h, in 2.0 to 2.3
constexpr const char* kLibraries[] = {"libzfs.so.6", "libzfs.so.5", "libzfs.so.4"};

struct libzfs_handle;
struct zpool_handle;

struct Library {
  libzfs_handle* (*init)();
  const char* (*error_description)(libzfs_handle*);
  zpool_handle* (*open)(libzfs_handle*, const char*);
  int (*degrade)(zpool_handle*, uint64_t, int);
  int (*fault)(zpool_handle*, uint64_t, int);
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) fprintf(stderr, "fmd-zfs-vdev: libzfs has no %s\n", name);
  return function;
}

bool load(Library& zfs) {
  void* library = nullptr;
  for (const char* name : kLibraries)
    if (!library) library = dlopen(name, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "fmd-zfs-vdev: no libzfs found: %s\n", dlerror());
    return false;
  }
  return find(library, "libzfs_init", zfs.init) &&
         find(library, "libzfs_error_description", zfs.error_description) &&
         find(library, "zpool_open", zfs.open) &&
         find(library, "zpool_vdev_degrade", zfs.degrade) &&
         find(library, "zpool_vdev_fault", zfs.fault);
}

int set_state(bool fault, const char* pool_name, uint64_t guid) {
  Library zfs = {};
  if (!load(zfs)) return kNoLibrary;
  libzfs_handle* handle = zfs.init();
  if (!handle) {
    fprintf(stderr, "fmd-zfs-vdev: libzfs does not start: %s; is the zfs module loaded?\n",
            strerror(errno));
    return kRefused;
  }
  zpool_handle* pool = zfs.open(handle, pool_name);
  if (!pool) {
    fprintf(stderr, "fmd-zfs-vdev: %s\n", zfs.error_description(handle));
    return kRefused;
  }
  if ((fault ? zfs.fault : zfs.degrade)(pool, guid, kErrorsExceeded) != 0) {
    fprintf(stderr, "fmd-zfs-vdev: %s\n", zfs.error_description(handle));
    return kRefused;
  }
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  char* end = nullptr;
  const bool fault = argc == 4 && strcmp(argv[1], "fault") == 0;
  const bool degrade = argc == 4 && strcmp(argv[1], "degrade") == 0;
  errno = 0;
  const uint64_t guid = argc == 4 ? strtoull(argv[3], &end, 10) : 0;
  if (!(fault || degrade) || guid == 0 || errno || *end) {
    fputs("usage: fmd-zfs-vdev degrade|fault POOL GUID\n", stderr);
    return kUsage;
  }
  return set_state(fault, argv[2], guid);
}
