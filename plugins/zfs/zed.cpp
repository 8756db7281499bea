#include "plugins/zfs/zed.h"

#include <algorithm>
#include <string>

namespace fmd::zfs {

bool zed_runs(const sdk::Host& host) {
  for (const char* file : {"/run/zed.pid", "/var/run/zed.pid"}) {
    auto pid = host.read(file);
    if (!pid) continue;
    const std::string number = pid->substr(0, pid->find_first_not_of("0123456789"));
    if (number.empty()) continue;
    // The file remains after zed is killed: check that the process exists and is zed.
    if (auto name = host.read("/proc/" + number + "/comm"); name && *name == "zed") return true;
  }
  auto members = host.read("/sys/fs/cgroup/system.slice/zfs-zed.service/cgroup.procs");
  return members && !members->empty();
}

}  // namespace fmd::zfs
