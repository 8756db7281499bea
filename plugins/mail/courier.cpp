#include "plugins/mail/courier.h"

#include <stdio.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "fmd/base/module.h"

namespace fmd::mail {
namespace {

constexpr const char* kModule = "fmd-mail-courier.so";  // in the program's folder

[[noreturn]] void give_up(const std::string& why) {
  dprintf(STDERR_FILENO, "%s\n", why.c_str());
  _exit(1);
}

}  // namespace

const Courier& courier() {
  const auto found = open_module(kModule, "fmd_mail_courier");
  if (!found) give_up(found.error().text());
  const auto* courier = static_cast<const Courier*>(*found);
  if (std::string_view(courier->build) != FMD_MAIL_BUILD)
    give_up("fmd-mail was upgraded: restart it");
  return *courier;
}

}  // namespace fmd::mail
