#include "fmd/base/module.h"

#include <dlfcn.h>

#include <filesystem>

namespace fmd {

Result<const void*> open_module(std::string_view name, const char* symbol,
                                std::string_view else_in) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!self.is_absolute()) return fail("/proc/self/exe does not tell where this program lies");
  fs::path file = self.parent_path() / name;
  if (!else_in.empty() && !fs::exists(file, error)) file = fs::path(else_in) / name;
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* found = module ? dlsym(module, symbol) : nullptr;
  if (!found) return fail(dlerror());
  return found;
}

}  // namespace fmd
