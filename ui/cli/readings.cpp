// fmadm readings: what a part measured, as a table of names or over time.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

// Whole numbers whole, others with two decimals: 41, 35.25, 12345678901.
std::string figure(double value) {
  if (std::abs(value) >= 1e15) return fmt::format("{:.6g}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.2f}", value);
}

// SLOT 06 (serial Z1Y0ABCD), 2026-11-14 14:30 to 2026-11-21 14:30
std::string headline(const ui::Readings& all) {
  std::string part = clean(all.label.empty() ? all.resource : all.label);
  if (!all.serial.empty()) part += " (serial " + clean(all.serial) + ")";
  return wrapped(
      "", fmt::format("{}, {} to {}", part, format_minute(all.from_ns), format_minute(all.to_ns)),
      2);
}

std::string names_table(const std::vector<ui::Series>& list) {
  Table table({"NAME", "LAST", "MIN", "MAX", "MEAN", "UNIT"});
  for (const ui::Series& one : list)
    table.add({one.name, figure(one.last), figure(one.least), figure(one.greatest),
               figure(one.mean), one.unit});
  return table.text();
}

std::string over_time(const ui::Series& series) {
  Table table({"TIME", "VALUE", "MIN", "MAX"});
  for (const ui::SeriesPoint& point : series.points)
    table.add({format_minute(point.time_ns), figure(point.value), figure(point.least),
               figure(point.greatest)});
  return clean(series.name) + (series.unit.empty() ? "" : " in " + clean(series.unit)) + '\n' +
         table.text();
}

}  // namespace

Result<void> readings(Client& client, const ReadingsOptions& options) {
  const bool one_name =
      options.names.size() == 1 && options.names[0].find_first_of("*?[") == std::string::npos;
  nlohmann::json query{{"part", options.part}};
  if (!options.names.empty()) query["names"] = options.names;
  if (options.from_ns) query["from"] = *options.from_ns;
  if (options.to_ns) query["to"] = *options.to_ns;
  if (one_name || options.json) query["points"] = options.points;
  const auto doc = client.query("ListReadings", query);
  if (!doc) return tl::unexpected(doc.error());
  const ui::Readings all = ui::readings_in(*doc);
  if (!all.damage.empty()) fmt::print(stderr, "fmadm: {}\n", clean_prose(all.damage));
  if (options.json) return print(json_text(*doc));
  if (all.series.empty()) return print(headline(all) + "Nothing was measured in this time.\n");
  return print(headline(all) +
               (one_name ? over_time(all.series.front()) : names_table(all.series)));
}

}  // namespace fmd::cli
