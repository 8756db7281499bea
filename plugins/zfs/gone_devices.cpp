#include "plugins/zfs/gone_devices.h"

#include <fmt/format.h>
#include <syslog.h>

#include <utility>

#include "fmd/base/text.h"
#include "plugins/sdk/plugin.h"
#include "plugins/zfs/deeds.h"
#include "plugins/zfs/vdev_helper.h"

namespace fmd::zfs {
namespace {

// A disk that is repartitioned loses its partitions for a moment, and many events come at once.
constexpr std::chrono::milliseconds kSettle{300};
constexpr int kNoLibrary = 3;  // exit status of the helper: libzfs lacks the function

}  // namespace

GoneDevices::GoneDevices(sd_event* loop, sdk::Host& host, PoolWatch& watch)
    : host_(host), watch_(watch), soon_(loop) {
  udev_ = sdk::UdevMonitor::of_host(
      host, loop, {"block"}, [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
}

// "change" comes whenever a process that opened the device for writing closes it (such as
// smartctl): it matters only while a vdev is missing its disk.
void GoneDevices::on_udev(const sdk::UdevMonitor::Event& event) {
  if (event.action == "remove") removed_.insert(event.name);
  const bool news = event.action == "remove" || event.action == "add" || event.action == "lost";
  if (!news && !(event.action == "change" && watch_.misses_a_disk())) return;
  if (!soon_.running()) soon_.start(kSettle, [this] { look(); });
}

void GoneDevices::look() {
  const std::set<std::string> removed = std::exchange(removed_, {});
  for (const Pool& pool : watch_.pools()) {
    if (pool.stopped()) continue;  // it would block, and knows already
    for (const Vdev& vdev : pool.vdevs) {
      const std::string& device = watch_.device_of(vdev.guid);
      if (!vdev.leaf() || !removed.contains(device)) continue;
      if (!leaves_with_device(watch_.memory().retired, vdev)) continue;
      if (!host_.exists("/sys/class/block/" + device)) tell(pool, vdev);
    }
  }
  watch_.devices_changed();
}

void GoneDevices::tell(const Pool& pool, const Vdev& vdev) {
  if (!watch_.acting_refusal().empty()) return;
  const std::string what = fmt::format("{} of pool '{}'", display(vdev.name), display(pool.name));
  host_.run(with_helper(host_, {kVdevHelper, "remove", pool.name, std::to_string(vdev.guid)}),
            watch_.options().zpool_deadline, [what](const sdk::CommandOutput& output) {
              // Not fatal: the kernel notices later.
              if (!output.ok() && output.code != kNoLibrary)
                sdk::log(LOG_INFO, what + " is gone, and ZFS could not be told: " +
                                       output.explain(kVdevHelper));
            });
}

}  // namespace fmd::zfs
