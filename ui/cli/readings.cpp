// fmadm readings: what a part measured, as a table of names or over time.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/time_arg.h"

namespace fmd::cli {
namespace {

// Whole numbers whole, others with two decimals: 41, 35.25, 12345678901.
std::string figure(const nlohmann::json& doc, const char* key) {
  const double value = doc.value(key, 0.0);
  if (std::abs(value) >= 1e15) return fmt::format("{:.6g}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.2f}", value);
}

// SLOT 06 (serial Z1Y0ABCD), 2026-11-14 14:30 to 2026-11-21 14:30
std::string headline(const nlohmann::json& doc) {
  const std::string label = clean(doc.value("label", "")), serial = clean(doc.value("serial", ""));
  std::string part = label.empty() ? clean(doc.value("resource", "")) : label;
  if (!serial.empty()) part += " (serial " + serial + ")";
  return wrapped("",
                 fmt::format("{}, {} to {}", part, format_minute(doc.value("from", int64_t{0})),
                             format_minute(doc.value("to", int64_t{0}))),
                 2);
}

std::string names_table(const nlohmann::json& list) {
  Table table({"NAME", "LAST", "MIN", "MAX", "MEAN", "UNIT"});
  for (const nlohmann::json& one : list)
    table.add({one.value("name", ""), figure(one, "last"), figure(one, "min"), figure(one, "max"),
               figure(one, "mean"), one.value("unit", "")});
  return table.text();
}

std::string over_time(const nlohmann::json& series) {
  const std::string unit = clean(series.value("unit", ""));
  Table table({"TIME", "VALUE", "MIN", "MAX"});
  for (const nlohmann::json& point : series.value("points", nlohmann::json::array()))
    table.add({format_minute(point.value("time", int64_t{0})), figure(point, "value"),
               figure(point, "min"), figure(point, "max")});
  return clean(series.value("name", "")) + (unit.empty() ? "" : " in " + unit) + '\n' +
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
  if (const std::string damage = doc->value("damage", ""); !damage.empty())
    fmt::print(stderr, "fmadm: {}\n", clean_prose(damage));
  if (options.json) return print(json_text(*doc));
  const nlohmann::json& series = doc->at("series");
  if (series.empty()) return print(headline(*doc) + "Nothing was measured in this time.\n");
  return print(headline(*doc) + (one_name ? over_time(series.front()) : names_table(series)));
}

}  // namespace fmd::cli
