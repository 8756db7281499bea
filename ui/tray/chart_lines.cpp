#include "ui/tray/chart_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/base/text.h"
#include "ui/client/surroundings.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

std::string chassis_of(const Inventory& inventory, const std::string& part) {
  std::string at = ui::disk_of(inventory, part), found;
  for (int depth = 0; depth < 16; ++depth) {
    const auto above = inventory.parents(at, Relation::contains);
    if (above.empty()) break;
    at = above.front()->fmri;
    if (above.front()->type == "enclosure" || above.front()->type == "chassis") found = at;
  }
  return found;
}

std::string pool_by_disk(const Inventory& inventory, const std::string& part) {
  const Resource* own = inventory.find(part);
  if (own && (own->type == "zfs-pool" || own->type == "md-array")) return part;
  const Resource* leaf = own && own->type == "zfs-vdev" ? own : leaf_on(inventory, part);
  const Resource* pool = leaf ? ui::pool_of(inventory, leaf->fmri) : nullptr;
  return pool ? pool->fmri : std::string();
}

QString name_of(const Inventory& inventory, const std::string& key, BreakDown by) {
  if (by == BreakDown::part) {
    const std::string place = inventory.location(key);
    return place.empty() ? part_name(inventory, key) : clean_text(place);
  }
  const Resource* one = inventory.find(key);
  if (!one) return clean_text(key);
  const char* property = by == BreakDown::pool ? "name" : "label";
  return clean_text(one->get(property).empty() ? key : one->get(property));
}

// At each time when any series has a point, combines the latest values of all.
std::vector<std::pair<int64_t, double>> gathered(const std::vector<const ui::Series*>& members) {
  std::set<int64_t> times;
  for (const ui::Series* s : members)
    for (const ui::SeriesPoint& p : s->points) times.insert(p.time_ns);
  const bool sum = members.front()->unit == "count" || members.front()->unit == "bytes/s" ||
                   members.front()->unit.empty();
  std::vector<size_t> at(members.size(), 0);
  std::vector<std::pair<int64_t, double>> points;
  for (const int64_t time : times) {
    double total = 0;
    int counted = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      const auto& own = members[i]->points;
      while (at[i] < own.size() && own[at[i]].time_ns <= time) ++at[i];
      if (at[i] == 0) continue;
      total += own[at[i] - 1].value;
      ++counted;
    }
    points.emplace_back(time, sum || counted == 0 ? total : total / counted);
  }
  return points;
}

using Kind = std::pair<std::string, std::string>;                       // reading, unit
using Members = std::map<std::string, std::vector<const ui::Series*>>;  // by group

// The line with the greatest value first; without names.
std::vector<ChartLine> lines_of(const Kind& kind, const Members& groups) {
  std::vector<ChartLine> lines;
  for (const auto& [key, members] : groups) {
    ChartLine line{key, {}, kind.second, gathered(members), 0, kind.first};
    for (const auto& [time, value] : line.points) line.greatest = std::max(line.greatest, value);
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const ChartLine& a, const ChartLine& b) { return a.greatest > b.greatest; });
  return lines;
}

std::string csv_field(std::string text) {
  // Spreadsheets treat text that begins like this as a formula.
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos)
    text.insert(0, "'");
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

std::string group_of(const Inventory& inventory, const std::string& part, BreakDown by) {
  switch (by) {
    case BreakDown::part:
      return part;
    case BreakDown::pool:
      return pool_by_disk(inventory, part);
    case BreakDown::chassis:
      return chassis_of(inventory, part);
    case BreakDown::host:
      break;
  }
  return {};
}

std::vector<ChartLine> chart_lines(const Inventory& inventory,
                                   const std::vector<PartSeries>& series, BreakDown by,
                                   const QString& host) {
  // By reading and unit, since degrees and revolutions have no common mean; then by group.
  std::map<Kind, Members> kinds;
  std::map<std::pair<std::string, std::string>, int> units;  // units of a reading in a group
  for (const PartSeries& one : series) {
    const std::string key = group_of(inventory, one.part, by);
    if (key.empty() && by != BreakDown::host) continue;
    auto& members = kinds[{one.series.name, one.series.unit}][key];
    if (members.empty()) ++units[{one.series.name, key}];
    members.push_back(&one.series);
  }
  std::vector<std::pair<size_t, ChartLine>> ranked;
  for (const auto& [kind, members] : kinds) {
    size_t rank = 0;
    for (ChartLine& line : lines_of(kind, members)) {
      line.name = by == BreakDown::host ? host : name_of(inventory, line.key, by);
      const QString unit = figure_text(0, line.unit).mid(2);
      if (units[{line.reading, line.key}] > 1 && !unit.isEmpty())
        line.name = QString("%1 (%2)").arg(line.name, unit);
      ranked.emplace_back(rank++, std::move(line));
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ChartLine> all;
  for (auto& [rank, line] : ranked) all.push_back(std::move(line));
  return all;
}

size_t point_at(const LinePoints& points, int64_t time_ns) {
  const auto after = std::upper_bound(points.begin(), points.end(), time_ns,
                                      [](int64_t t, const auto& p) { return t < p.first; });
  return after == points.begin() ? 0 : static_cast<size_t>(after - points.begin() - 1);
}

int64_t held_until(const LinePoints& points, size_t point) {
  const int64_t from = points[point].first;
  return point + 1 < points.size() ? std::min(points[point + 1].first, from + kValueHoldsNs) : from;
}

std::string csv_of(const std::vector<ChartLine>& lines) {
  std::string out = "time,part,value,unit\r\n";
  for (const ChartLine& line : lines)
    for (const auto& [time, value] : line.points)
      out += fmt::format("{},{},{},{}\r\n", format_time_iso(time),
                         csv_field(line.name.toStdString()), value, csv_field(line.unit));
  return out;
}

}  // namespace fmd::tray
