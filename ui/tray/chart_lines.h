// ChartLines: the lines of a chart: readings of parts, separately or combined by pool or chassis
// (the mean at each time; for counts the sum). One line per reading and unit. Pure.
#pragma once
#include <QString>
#include <map>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"
#include "ui/client/documents.h"

namespace fmd::tray {

enum class BreakDown { part, pool, chassis, host };

struct PartSeries {
  std::string part;  // FMRI
  ui::Series series;
};
using LinePoints = std::vector<std::pair<int64_t, double>>;  // ns, value; in order of time
struct ChartLine {
  std::string key;  // FMRI of the part, pool or chassis; "": the host
  QString name;
  std::string unit;
  LinePoints points;
  double greatest = 0;
  std::string reading;
};

// The group of a part: itself, its pool or its chassis; "" if it has none.
std::string group_of(const Inventory& inventory, const std::string& part, BreakDown by);
// host: name of its line. Greatest line first; with several readings, the greatest of each first.
std::vector<ChartLine> chart_lines(const Inventory& inventory,
                                   const std::vector<PartSeries>& series, BreakDown by,
                                   const QString& host = {});

// fmd stores an unchanged value once a day. A value applies until the next one, at most this long.
constexpr int64_t kValueHoldsNs = 2 * 86400LL * 1'000'000'000;
// The last point at or before the time, or the first one if all are later. points: not empty.
size_t point_at(const LinePoints& points, int64_t time_ns);
// The end of the time in which a point's value applies; for the last point, its own time.
int64_t held_until(const LinePoints& points, size_t point);

// "time,part,value" rows with ISO times; fields quoted as in RFC 4180, formulas disarmed.
std::string csv_of(const std::vector<ChartLine>& lines);

}  // namespace fmd::tray
