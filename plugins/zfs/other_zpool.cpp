#include "plugins/zfs/other_zpool.h"

#include <algorithm>
#include <string_view>

namespace fmd::zfs {

namespace {

// "zpool\0import\0-a\0" (proc(5))
bool is_import(std::string_view arguments) {
  arguments.remove_prefix(std::min(arguments.find('\0'), arguments.size() - 1) + 1);
  return arguments.substr(0, arguments.find('\0')) == "import";
}

}  // namespace

std::string running_import(const sdk::Host& host) {
  const auto processes = host.list("/proc");
  if (!processes) return "";
  for (const std::string& number : *processes) {
    if (!std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
      continue;
    const auto name = host.read("/proc/" + number + "/comm");
    if (!name || *name != "zpool") continue;
    const auto arguments = host.read("/proc/" + number + "/cmdline");
    if (arguments && !arguments->empty() && is_import(*arguments)) return number;
  }
  return "";
}

}  // namespace fmd::zfs
