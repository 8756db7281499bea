#include "ui/tray/chart_lines.h"

#include <gtest/gtest.h>

namespace fmd::tray {
namespace {

constexpr int64_t kMinute = 60'000'000'000;

// Two disks of a pool in one shelf, and a third without a pool in another.
Inventory shelves() {
  Inventory inventory;
  const auto add = [&](const char* fmri, const char* type, const char* label,
                       std::vector<Edge> edges) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    r.present = true;
    r.edges = std::move(edges);
    r.properties["label"] = Value(std::string(label));
    r.properties["name"] = Value(std::string(label));
    if (r.type == "zfs-vdev") r.properties["service"] = Value(std::string("in-service"));
    inventory.restore(std::move(r));
  };
  const auto bay = [&](const char* fmri, const char* label, const char* disk) {
    add(fmri, "bay", label, {{Relation::contains, disk}});
    add(disk, "disk", "", {});
  };
  bay("hc://chassis=a/bay=1", "A1", "dev://wwn=1");
  bay("hc://chassis=a/bay=2", "A2", "dev://wwn=2");
  bay("hc://chassis=b/bay=1", "B1", "dev://wwn=3");
  add("hc://chassis=a", "enclosure", "Shelf A",
      {{Relation::contains, "hc://chassis=a/bay=1"}, {Relation::contains, "hc://chassis=a/bay=2"}});
  add("hc://chassis=b", "enclosure", "Shelf B", {{Relation::contains, "hc://chassis=b/bay=1"}});
  add("zfs://pool=1/vdev=1", "zfs-vdev", "sda", {{Relation::redundancy, "dev://wwn=1"}});
  add("zfs://pool=1/vdev=2", "zfs-vdev", "sdb", {{Relation::redundancy, "dev://wwn=2"}});
  add("zfs://pool=1", "zfs-pool", "tank",
      {{Relation::redundancy, "zfs://pool=1/vdev=1"},
       {Relation::redundancy, "zfs://pool=1/vdev=2"}});
  return inventory;
}

PartSeries series(const char* part, const char* unit, std::vector<std::pair<int, double>> points) {
  PartSeries one{part, {"reading", unit, 0, 0, 0, 0, {}}};
  for (const auto& [minute, value] : points)
    one.series.points.push_back({minute * kMinute, value, value, value});
  return one;
}

TEST(ChartLines, EachPartIsALineTheGreatestFirst) {
  const auto lines = chart_lines(
      shelves(),
      {series("dev://wwn=1", "celsius", {{0, 30}}), series("dev://wwn=3", "celsius", {{0, 41}})},
      BreakDown::part);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "B1");
  EXPECT_EQ(lines[1].name, "A1");
}

TEST(ChartLines, AChassisHasTheMeanOfItsTemperatures) {
  const auto lines = chart_lines(shelves(),
                                 {series("dev://wwn=1", "celsius", {{0, 30}, {2, 34}}),
                                  series("dev://wwn=2", "celsius", {{1, 40}})},
                                 BreakDown::chassis);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].name, "Shelf A");
  using Points = std::vector<std::pair<int64_t, double>>;
  EXPECT_EQ(lines[0].points, (Points{{0, 30}, {kMinute, 35}, {2 * kMinute, 37}}))
      << "a value holds until the next one";
}

TEST(ChartLines, APoolHasTheSumOfItsCounts) {
  const auto lines = chart_lines(
      shelves(),
      {series("dev://wwn=1", "count", {{0, 3}}), series("dev://wwn=2", "count", {{0, 4}}),
       series("dev://wwn=3", "count", {{0, 99}})},
      BreakDown::pool);
  ASSERT_EQ(lines.size(), 1u) << "what is in no pool is in no line";
  EXPECT_EQ(lines[0].name, "tank");
  EXPECT_EQ(lines[0].points[0].second, 7);
}

// Different units are not averaged, and the greatest line of each reading comes first.
TEST(ChartLines, SeveralReadingsAndUnitsAreLinesOfTheirOwn) {
  auto turns = series("dev://wwn=2", "rpm", {{0, 5400}});
  auto wear = series("dev://wwn=1", "percent", {{0, 3}});
  wear.series.name = "wear";
  const std::vector<PartSeries> all{series("dev://wwn=1", "celsius", {{0, 30}}), turns, wear,
                                    series("dev://wwn=3", "celsius", {{0, 41}})};
  std::string names;
  for (const ChartLine& line : chart_lines(shelves(), all, BreakDown::host, "store1"))
    names += line.name.toStdString() + " " + line.reading + "; ";
  EXPECT_EQ(names, "store1 (°C) reading; store1 (rpm) reading; store1 wear; ");
  names.clear();
  for (const ChartLine& line : chart_lines(shelves(), all, BreakDown::part))
    names += line.name.toStdString() + " " + line.unit + "; ";
  EXPECT_EQ(names, "B1 celsius; A2 rpm; A1 percent; A1 celsius; ");
}

TEST(ChartLines, CsvIsForSpreadsheetsAndRunsNothing) {
  ChartLine line{"k", "=cmd()\"x\"", "celsius", {{0, 30.5}}, 30.5, ""};
  EXPECT_EQ(
      csv_of({line}),
      "time,part,value,unit\r\n1970-01-01T00:00:00.000Z,\"'=cmd()\"\"x\"\"\",30.5,\"celsius\"\r\n");
}

}  // namespace
}  // namespace fmd::tray
