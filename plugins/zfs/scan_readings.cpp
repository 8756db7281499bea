#include "plugins/zfs/scan_readings.h"

#include "fmd/base/json.h"

namespace fmd::zfs {

using nlohmann::json;

json ScanReadings::take(const json& resources, int64_t now_ns) {
  json readings = json::array();
  for (const json& resource : resources) {
    if (resource.value("type", "") != "zfs-pool") continue;
    const std::string pool = resource.value("fmri", "");
    const json properties = resource.value("properties", json::object());
    const bool runs =
        properties.contains("scan_rate_bytes") && !properties.value("scan_paused", false);
    const bool ran = running_.contains(pool);
    if (!runs && !ran) continue;
    if (runs)
      running_.insert(pool);
    else
      running_.erase(pool);
    readings.push_back({{"resource", pool},
                        {"name", "scan_rate_bytes"},
                        {"value", runs ? properties["scan_rate_bytes"].get<double>() : 0.0},
                        {"unit", "bytes/s"},
                        {"time", now_ns}});
  }
  return readings;
}

}  // namespace fmd::zfs
