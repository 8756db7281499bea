#include "plugins/mail/courier.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <string_view>

namespace fmd::mail {
namespace {

constexpr const char* kModule = "fmd-mail-courier.so";  // beside the program

std::string beside_us(const std::string& name) {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  const std::string program(self, length > 0 ? static_cast<size_t>(length) : 0);
  return program.substr(0, program.rfind('/') + 1) + name;
}

[[noreturn]] void give_up(const char* why) {
  dprintf(STDERR_FILENO, "%s\n", why);
  _exit(1);
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
