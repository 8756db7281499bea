#include "fmd/base/module.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <filesystem>

namespace fmd {
namespace {

namespace fs = std::filesystem;

bool belongs_to(const fs::path& program, const fs::path& file) {
  struct stat ours, its, folder;
  return stat(program.c_str(), &ours) == 0 && stat(file.c_str(), &its) == 0 &&
         stat(file.parent_path().c_str(), &folder) == 0 && its.st_uid == ours.st_uid &&
         (folder.st_mode & S_IWOTH) == 0;
}

}  // namespace

Result<const void*> open_module(std::string_view name, const char* symbol,
                                std::string_view else_in) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!self.is_absolute()) return fail("/proc/self/exe does not tell where this program lies");
  // An absolute path: with a bare name, the loader would search other folders.
  fs::path file = self.parent_path() / name;
  if (!belongs_to(self, file)) {
    if (else_in.empty())
      return fail(file.string() +
                  " is missing, is not its program's owner's, or lies where everybody may write");
    file = fs::path(else_in) / name;
  }
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* found = module ? dlsym(module, symbol) : nullptr;
  if (!found) return fail(dlerror());
  return found;
}

}  // namespace fmd
