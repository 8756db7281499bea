// Warnings that other values of the same query refute.
#include <algorithm>

#include "fmd/base/json.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

// In degrees Celsius. The same limits as in rules/smart.toml, for drives that report no limit or
// their survival limit.
constexpr double kMargin = 10, kColdLimit = 0;
constexpr int64_t kDiskLimit = 60, kSsdLimit = 70;

int64_t hot_limit(const Report& report) {
  const bool disk = report.protocol != "nvme" && report.rotational != false;
  const int64_t most = disk ? kDiskLimit : kSsdLimit;
  if (!report.temperature_limit) return most;
  return report.protocol == "nvme" ? *report.temperature_limit
                                   : std::min(most, *report.temperature_limit);
}

// True if each temperature the drive reports is more than ten degrees within its limits.
bool is_temperate(const json& doc, const Report& report) {
  const auto now = report.readings.find("temperature_celsius");
  if (now == report.readings.end()) return false;
  double coldest = now->second.value, hottest = coldest;
  for (const auto& sensor :
       array(doc, {"nvme_smart_health_information_log", "temperature_sensors"}))
    if (sensor.is_number()) {
      coldest = std::min(coldest, sensor.get<double>());
      hottest = std::max(hottest, sensor.get<double>());
    }
  return hottest < static_cast<double>(hot_limit(report)) - kMargin &&
         coldest > kColdLimit + kMargin;
}

bool has_spare(const Report& report) {
  const auto spare = report.readings.find("smart.available_spare"),
             threshold = report.readings.find("smart.available_spare_threshold");
  return spare != report.readings.end() && threshold != report.readings.end() &&
         spare->second.value > threshold->second.value;
}

void refute(Report& report, const char* bit, const char* what) {
  const auto warning = report.critical_warnings.find(bit);
  if (warning == report.critical_warnings.end() || !warning->second) return;
  warning->second = false;
  report.contradictions.emplace_back(what);
}

}  // namespace

void drop_contradictions(const json& doc, Report& report) {
  constexpr const char* kTemperature = "a temperature warning at a normal temperature";
  if (has_spare(report))
    refute(report, "spare_below_threshold", "a warning about spare blocks, of which it has enough");
  if (!is_temperate(doc, report)) return;
  refute(report, "temperature_above_or_below_threshold", kTemperature);
  // Administrators can lower a SCSI disk's limits (SPC-5, environmental limits).
  if (!report.temperature_limit || !report.exception || !report.exception->is_temperature()) return;
  report.exception->refuted = true;
  report.contradictions.emplace_back(kTemperature);
}

}  // namespace fmd::smart
