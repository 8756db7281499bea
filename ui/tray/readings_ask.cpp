#include "ui/tray/readings_ask.h"

#include <algorithm>
#include <string_view>

#include "fmd/base/json.h"
#include "ui/client/documents.h"

namespace fmd::tray {
namespace {

constexpr size_t kPoints = 400, kMostParts = 400;

// Empty if the part was removed meanwhile, or was never measured.
Result<ui::Readings> readings_of(ui::Client& client, const ui::ReadingsQuery& query) {
  auto readings = ui::fetch_readings(client, query);
  if (!readings && client.away()) return readings;
  if (!readings) return ui::Readings();
  // An older fmd returns the readings of a disk for a pool or a vdev.
  if (query.part.starts_with("zfs://") && readings->resource != query.part) return ui::Readings();
  return readings;
}

}  // namespace

std::vector<std::string> measured_parts(const Inventory& inventory) {
  std::vector<std::string> parts;
  for (const std::string_view type : {"disk", "sensor", "fan", "psu", "cpu", "dimm", "edac-dimm",
                                      "zfs-pool", "md-array", "zfs-vdev", "phy"})
    for (const auto& [fmri, resource] : inventory.all()) {
      if (!resource.present || resource.type != type || parts.size() >= kMostParts) continue;
      if (type == "zfs-vdev" && resource.get("service").empty()) continue;  // not a leaf
      parts.push_back(fmri);
    }
  return parts;
}

Result<Measured> ask_measured(ui::Client& client, const std::vector<std::string>& parts,
                              int64_t from_ns) {
  Measured measured;
  for (const std::string& part : parts) {
    auto readings = readings_of(client, {part, {}, from_ns, 0, 0});
    if (!readings) return tl::unexpected(readings.error());
    for (const ui::Series& series : readings->series) measured[series.name].insert(part);
  }
  return measured;
}

Result<History> ask_history(ui::Client& client, const std::vector<std::string>& parts,
                            const std::vector<std::string>& names, int64_t from_ns) {
  History history;
  for (const std::string& part : parts) {
    auto readings = readings_of(client, {part, names, from_ns, 0, kPoints});
    if (!readings) return tl::unexpected(readings.error());
    if (!readings->damage.empty()) history.damage = readings->damage;
    for (ui::Series& series : readings->series) {
      // The last value applies until now, or until it expires.
      if (!series.points.empty() && series.points.back().time_ns < readings->to_ns) {
        series.points.push_back(series.points.back());
        int64_t& end = series.points.back().time_ns;
        end = std::min(readings->to_ns, end + kValueHoldsNs);
      }
      history.series.push_back({part, std::move(series)});
    }
  }
  auto cases = ui::fetch_cases(client, {{"all", true}});
  if (!cases) return tl::unexpected(cases.error());
  std::erase_if(*cases, [&](const Case& c) { return c.solved_ns < from_ns; });
  history.cases = std::move(*cases);
  return history;
}

}  // namespace fmd::tray
