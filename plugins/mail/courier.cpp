#include "plugins/mail/courier.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

namespace fmd::mail {
namespace {

constexpr const char* kModule = "fmd-mail-courier.so";  // beside the program

[[noreturn]] void give_up(const char* why) {
  dprintf(STDERR_FILENO, "%s\n", why);
  _exit(1);
}

// A whole path, never a bare name: that the loader would look for wherever it likes.
std::string beside_us(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!self.is_absolute()) give_up("/proc/self/exe does not tell where fmd-mail lies");
  return self.parent_path() / name;
}

}  // namespace

const Courier& courier() {
  void* module = dlopen(beside_us(kModule).c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* found = module ? dlsym(module, "fmd_mail_courier") : nullptr;
  if (!found) give_up(dlerror());
  const auto* courier = static_cast<const Courier*>(found);
  if (std::string_view(courier->build) != FMD_MAIL_BUILD)
    give_up("fmd-mail was upgraded: restart it");
  return *courier;
}

}  // namespace fmd::mail
