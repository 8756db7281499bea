#include "plugins/mail/courier.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

namespace fmd::mail {
namespace {

constexpr const char* kModule = "fmd-mail-courier.so";  // beside the program

std::string beside_us(const std::string& name) {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  const std::string program(self, length > 0 ? static_cast<size_t>(length) : 0);
  return program.substr(0, program.rfind('/') + 1) + name;
}

}  // namespace

const Courier& courier() {
  void* module = dlopen(beside_us(kModule).c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* found = module ? dlsym(module, "fmd_mail_courier") : nullptr;
  if (!found) {
    dprintf(STDERR_FILENO, "%s\n", dlerror());
    _exit(1);
  }
  return *static_cast<const Courier*>(found);
}

}  // namespace fmd::mail
