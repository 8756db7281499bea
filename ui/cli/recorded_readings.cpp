#include "ui/cli/recorded_readings.h"

#include <algorithm>
#include <cmath>

#include "fmd/base/json.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

constexpr size_t kMostPoints = 10000;  // per series, as many as fmd returns

bool is_whole(double value) {
  return value == std::floor(value) && std::abs(value) < 9e15;
}

Value as_value(double value) {
  return is_whole(value) ? Value(static_cast<int64_t>(value)) : Value(value);
}

json as_json(double value) {
  return is_whole(value) ? json(static_cast<int64_t>(value)) : json(value);
}

}  // namespace

Result<MeasuredParts> fetch_measured(ui::Client& client, const std::vector<Resource>& parts,
                                     int64_t from_ns, int64_t to_ns) {
  MeasuredParts out;
  for (const Resource& part : parts) {
    auto readings = ui::fetch_readings(client, {part.fmri, {}, from_ns, to_ns, kMostPoints});
    if (readings && !readings->series.empty()) out.emplace(part.fmri, std::move(readings->series));
  }
  return out;
}

void take_back(std::vector<Resource>& parts, const MeasuredParts& measured, int64_t from_ns) {
  for (Resource& part : parts) {
    const auto of_part = measured.find(part.fmri);
    if (of_part == measured.end()) continue;
    for (const ui::Series& series : of_part->second) {
      if (!part.properties.contains(series.name) || series.points.empty()) continue;
      if (series.points.front().time_ns <= from_ns)
        part.properties[series.name] = as_value(series.points.front().value);
      else
        part.properties.erase(series.name);
    }
  }
}

std::vector<json> readings_messages(const MeasuredParts& measured, int64_t from_ns) {
  std::map<int64_t, json> by_time;
  for (const auto& [fmri, list] : measured)
    for (const ui::Series& series : list)
      for (const ui::SeriesPoint& point : series.points) {
        if (point.time_ns <= from_ns) continue;
        json reading{{"resource", fmri},
                     {"name", series.name},
                     {"value", as_json(point.value)},
                     {"time", point.time_ns}};
        if (!series.unit.empty()) reading["unit"] = series.unit;
        by_time.try_emplace(point.time_ns, json::array()).first->second.push_back(reading);
      }
  std::vector<json> out;
  for (auto& [at_ns, readings] : by_time)
    out.push_back({{"at", at_ns},
                   {"plugin", "recorded"},
                   {"method", "readings"},
                   {"params", {{"readings", std::move(readings)}}}});
  return out;
}

}  // namespace fmd::cli
