#include "fault_vfs.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>

namespace fmd::test {

namespace {

sqlite3_vfs* real_vfs = nullptr;
bool no_space = false;

struct File {
  sqlite3_file base;
  bool is_log;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File& of(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file);
}
sqlite3_file* real(sqlite3_file* file) {
  return of(file).real();
}

// Counts one operation and returns its fault.
Fault next_fault() {
  FaultPlan& plan = fault_plan();
  ++plan.operations;
  const bool now = plan.once ? plan.operations == plan.at : plan.operations >= plan.at;
  return now ? plan.fault : Fault::none;
}

int write_file(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
  const Fault fault = next_fault();
  if (fault == Fault::full) return SQLITE_FULL;
  if (fault == Fault::die) {  // writes the first half
    real(file)->pMethods->xWrite(real(file), data, size / 2, at);
    _exit(kDied);
  }
  if (of(file).is_log) ++fault_plan().unsynced_writes;
  return real(file)->pMethods->xWrite(real(file), data, size, at);
}

int sync_file(sqlite3_file* file, int flags) {
  const Fault fault = next_fault();
  if (fault == Fault::die) _exit(kDied);
  no_space = fault == Fault::sync_no_space;
  if (no_space) return SQLITE_IOERR_FSYNC;
  if (of(file).is_log) fault_plan().unsynced_writes = 0;
  return real(file)->pMethods->xSync(real(file), flags);
}

int control_file(sqlite3_file* file, int op, void* arg) {
  if (op == SQLITE_FCNTL_LAST_ERRNO && no_space) {
    *static_cast<int*>(arg) = ENOSPC;
    return SQLITE_OK;
  }
  return real(file)->pMethods->xFileControl(real(file), op, arg);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (next_fault() == Fault::die) _exit(kDied);
  return real(file)->pMethods->xTruncate(real(file), size);
}

const sqlite3_io_methods& methods() {
  static const sqlite3_io_methods all = [] {
    sqlite3_io_methods m{};
    m.iVersion = 1;  // no shared memory: with an exclusive lock the store needs none
    m.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
    m.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
      return real(f)->pMethods->xRead(real(f), to, size, at);
    };
    m.xWrite = write_file;
    m.xTruncate = truncate_file;
    m.xSync = sync_file;
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return real(f)->pMethods->xFileSize(real(f), size);
    };
    m.xLock = [](sqlite3_file* f, int lock) { return real(f)->pMethods->xLock(real(f), lock); };
    m.xUnlock = [](sqlite3_file* f, int lock) { return real(f)->pMethods->xUnlock(real(f), lock); };
    m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
      return real(f)->pMethods->xCheckReservedLock(real(f), out);
    };
    m.xFileControl = control_file;
    m.xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      return real(f)->pMethods->xDeviceCharacteristics(real(f));
    };
    return m;
  }();
  return all;
}

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  of(file).is_log = (flags & SQLITE_OPEN_WAL) != 0;
  const int code = real_vfs->xOpen(real_vfs, name, real(file), flags, out_flags);
  file->pMethods = real(file)->pMethods == nullptr ? nullptr : &methods();
  return code;
}

}  // namespace

FaultPlan& fault_plan() {
  static FaultPlan plan;
  return plan;
}

void arm(Fault fault, int64_t at, bool once) {
  fault_plan() = FaultPlan{fault, at, once, 0, 0};
}

void register_fault_vfs() {
  static sqlite3_vfs vfs;
  if (real_vfs != nullptr) return;
  real_vfs = sqlite3_vfs_find(nullptr);
  vfs = *real_vfs;
  vfs.zName = "fault";
  vfs.szOsFile = static_cast<int>(sizeof(File)) + real_vfs->szOsFile;
  vfs.xOpen = open_file;
  vfs.xDelete = [](sqlite3_vfs*, const char* name, int sync) {
    if (next_fault() == Fault::die) _exit(kDied);
    return real_vfs->xDelete(real_vfs, name, sync);
  };
  vfs.xGetLastError = [](sqlite3_vfs*, int size, char* text) {
    return no_space ? ENOSPC : real_vfs->xGetLastError(real_vfs, size, text);
  };
  sqlite3_vfs_register(&vfs, 1);
}

}  // namespace fmd::test
