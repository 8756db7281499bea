// fmd-zfs-vdev degrade|fault|remove POOL GUID: a diagnosis's actions on a vdev, without zpool(8).
// `degrade` sets it DEGRADED with "too many errors", as ZED does; zpool has no such command.
// `fault` sets it FAULTED with "external device fault", as `zpool offline -f` does: this survives a
// reboot, unlike the fault "too many errors" of ZED and the kernel (vdev_alloc() in
// module/zfs/vdev.c), and distinguishes the two. Both write a record into the pool's history.
// `remove` says that its device is gone: the kernel checks and marks it REMOVED (since 2.1.6),
// instead of at its next write. libzfs is loaded at run time: its C interface is not stable, but
// these functions are the same in 2.0 to 2.4.
//
// Exit status: 0 done, 1 ZFS refused, 2 wrong usage, 3 libzfs or one of these functions is missing.
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>

namespace {

enum Exit { kDone = 0, kRefused = 1, kUsage = 2, kNoLibrary = 3 };

// vdev_aux_t of sys/fs/zfs.h, in 2.0 to 2.4: VDEV_AUX_ERR_EXCEEDED, VDEV_AUX_EXTERNAL_PERSIST
constexpr int kErrorsExceeded = 11, kExternalPersist = 17;
constexpr const char* kLibraries[] = {"libzfs.so.7", "libzfs.so.6", "libzfs.so.5", "libzfs.so.4"};

struct libzfs_handle;
struct zpool_handle;

struct Library {
  libzfs_handle* (*init)();
  const char* (*error_description)(libzfs_handle*);
  zpool_handle* (*open)(libzfs_handle*, const char*);
  int (*degrade)(zpool_handle*, uint64_t, int);
  int (*fault)(zpool_handle*, uint64_t, int);
  int (*remove)(zpool_handle*, const char*);  // a path, or a guid as text
  int (*log)(libzfs_handle*, const char*);
};

enum class What { degrade, fault, remove };
constexpr const char* kWords[] = {"degrade", "fault", "remove"};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) fprintf(stderr, "fmd-zfs-vdev: libzfs has no %s\n", name);
  return function;
}

bool load(What what, Library& zfs) {
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
         find(library, "zpool_vdev_fault", zfs.fault) &&
         (what != What::remove || find(library, "zpool_vdev_remove_wanted", zfs.remove)) &&
         find(library, "zpool_log_history", zfs.log);
}

int set_state(const Library& zfs, What what, zpool_handle* pool, const char* vdev) {
  const uint64_t guid = strtoull(vdev, nullptr, 10);
  switch (what) {
    case What::degrade:
      return zfs.degrade(pool, guid, kErrorsExceeded);
    case What::fault:
      return zfs.fault(pool, guid, kExternalPersist);
    case What::remove:
      break;
  }
  return zfs.remove(pool, vdev);
}

int carry_out(What what, const char* pool_name, const char* vdev) {
  Library zfs = {};
  if (!load(what, zfs)) return kNoLibrary;
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
  if (set_state(zfs, what, pool, vdev)) {
    fprintf(stderr, "fmd-zfs-vdev: %s\n", zfs.error_description(handle));
    return kRefused;
  }
  if (what == What::remove) return kDone;  // not recorded: the device left by itself
  // Success does not depend on it.
  const std::string record =
      std::string("fmd-zfs-vdev ") + kWords[static_cast<int>(what)] + " " + pool_name + " " + vdev;
  (void)zfs.log(handle, record.c_str());
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  char* end = nullptr;
  int what = 0;
  while (argc == 4 && what < 3 && strcmp(argv[1], kWords[what]) != 0) ++what;
  errno = 0;
  const uint64_t guid = argc == 4 ? strtoull(argv[3], &end, 10) : 0;
  if (what == 3 || guid == 0 || errno || *end) {
    fputs("usage: fmd-zfs-vdev degrade|fault|remove POOL GUID\n", stderr);
    return kUsage;
  }
  return carry_out(static_cast<What>(what), argv[2], argv[3]);
}
