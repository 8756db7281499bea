// ChartLines: which lines a chart has: the readings of parts, each by itself or gathered by pool or
// chassis (their mean at each time; of counts the sum). What has another name or unit is another line. Pure.
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
using LinePoints = std::vector<std::pair<int64_t, double>>;  // ns, value; by time
struct ChartLine {
  std::string key;  // FMRI of the part, pool or chassis; "" the host
  QString name;
  std::string unit;
  LinePoints points;
  double greatest = 0;
  std::string reading;
};

// What a part is counted with: itself, its pool, its chassis. "" : with none of them.
std::string group_of(const Inventory& inventory, const std::string& part, BreakDown by);
// host: what its line is called. The greatest first; of several readings the greatest of each, then the next ones.
std::vector<ChartLine> chart_lines(const Inventory& inventory,
                                   const std::vector<PartSeries>& series, BreakDown by,
                                   const QString& host = {});

// fmd stores an unchanged value once a day. It applies until the next one, at most this long.
constexpr int64_t kValueHoldsNs = 2 * 86400LL * 1'000'000'000;
// The last point that is not later, or the first one if all are. points: not empty.
size_t point_at(const LinePoints& points, int64_t time_ns);
// The end of the time for which a point's value applies; its own time for the last point.
int64_t held_until(const LinePoints& points, size_t point);

// "time,part,value" rows with ISO times; fields quoted as RFC 4180 says, formulas disarmed.
std::string csv_of(const std::vector<ChartLine>& lines);

}  // namespace fmd::tray
