// fmadm readings: a part's readings, as a table of names or over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/arguments.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

// Integers without decimals, other numbers with two: 41, 35.25, 12345678901.
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

// The names that match nothing, without patterns.
std::vector<std::string> missing(const std::vector<std::string>& names,
                                 const std::vector<ui::Series>& series) {
  std::vector<std::string> out;
  for (const std::string& name : names)
    if (name.find_first_of("*?[") == std::string::npos &&
        std::none_of(series.begin(), series.end(),
                     [&](const ui::Series& one) { return one.name == name; }))
      out.push_back(name);
  return out;
}

// A name that the part never had is an error, as opposed to a period without readings.
Result<void> expect_known(Client& client, const ReadingsOptions& options) {
  const auto doc = client.query("ListReadings", {{"part", options.part}, {"from", 0}});
  if (!doc) return tl::unexpected(doc.error());
  const std::vector<ui::Series> series = ui::readings_in(*doc).series;
  std::vector<std::string> known;
  for (const ui::Series& one : series) known.push_back(one.name);
  for (const std::string& name : missing(options.names, series)) {
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + clean(one);
    const auto meant = nearest(name, known);
    return fail("this part has no reading \"" + clean(name) + "\"" +
                (meant ? "; did you mean \"" + clean(*meant) + "\"?" : "") +
                (list.empty() ? ""
                 : meant      ? " All of them: " + list
                              : "; it has: " + list));
  }
  return {};
}

// Splits the words: the first ones may form the part's name, and the rest are readings.
Result<ReadingsOptions> told_apart(Client& client, ReadingsOptions options) {
  if (options.names.empty() || options.part.find("://") != std::string::npos) return options;
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  std::vector<std::string> words{options.part};
  words.insert(words.end(), options.names.begin(), options.names.end());
  std::vector<std::string> parts = parts_meant(*inventory, words);
  options.part = std::move(parts.front());
  options.names.assign(parts.begin() + 1, parts.end());
  return options;
}

}  // namespace

Result<void> readings(Client& client, const ReadingsOptions& given) {
  const auto apart = told_apart(client, given);
  if (!apart) return tl::unexpected(apart.error());
  const ReadingsOptions& options = *apart;
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
  if (!missing(options.names, all.series).empty())
    if (auto known = expect_known(client, options); !known) return known;
  if (!all.damage.empty()) fmt::print(stderr, "fmadm: {}\n", clean_prose(all.damage));
  if (options.json) return print(json_text(*doc));
  if (all.series.empty()) return print(headline(all) + "Nothing was measured in this time.\n");
  return print(headline(all) +
               (one_name ? over_time(all.series.front()) : names_table(all.series)));
}

}  // namespace fmd::cli
