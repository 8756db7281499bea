#include "ui/tray/chart_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/base/text.h"
#include "ui/client/surroundings.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

std::string chassis_of(const Inventory& inventory, const std::string& part) {
  std::string at = part, found;
  for (int depth = 0; depth < 16; ++depth) {
    const auto above = inventory.parents(at, Relation::contains);
    if (above.empty()) break;
    at = above.front()->fmri;
    if (above.front()->type == "enclosure" || above.front()->type == "chassis") found = at;
  }
  return found;
}

std::string pool_by_disk(const Inventory& inventory, const std::string& part) {
  if (part.starts_with("zfs://") && part.find('/', 6) == part.npos) return part;  // itself
  const Resource* leaf = leaf_on(inventory, part);
  const Resource* pool = leaf ? ui::pool_of(inventory, leaf->fmri) : nullptr;
  return pool ? pool->fmri : std::string();
}

QString name_of(const Inventory& inventory, const std::string& key, BreakDown by) {
  if (by == BreakDown::host) return QString();
  if (by == BreakDown::part) {
    const std::string place = inventory.location(key);
    return place.empty() ? part_name(inventory, key) : clean_text(place);
  }
  const Resource* one = inventory.find(key);
  if (!one) return clean_text(key);
  const char* property = by == BreakDown::pool ? "name" : "label";
  return clean_text(one->get(property).empty() ? key : one->get(property));
}

// At each time that any of them has a point: what each had last, together.
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

std::string csv_field(std::string text) {
  // A spreadsheet would run what begins so.
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
                                   const std::vector<PartSeries>& series, BreakDown by) {
  std::map<std::string, std::vector<const ui::Series*>> groups;
  for (const PartSeries& one : series) {
    const std::string key = group_of(inventory, one.part, by);
    if (key.empty() && by != BreakDown::host) continue;
    groups[key].push_back(&one.series);
  }
  std::vector<ChartLine> lines;
  for (const auto& [key, members] : groups) {
    ChartLine line{key, name_of(inventory, key, by), members.front()->unit, gathered(members), 0};
    for (const auto& [time, value] : line.points) line.greatest = std::max(line.greatest, value);
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const ChartLine& a, const ChartLine& b) { return a.greatest > b.greatest; });
  return lines;
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
