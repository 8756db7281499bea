// ReadingsAsk: Telemetry's blocking queries to a host: the available readings, and some over time.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/case.h"
#include "ui/client/client.h"
#include "ui/tray/chart_lines.h"

namespace fmd::tray {

// Parts of that host with readings, the most useful first. Limited, since each needs a query and
// the user is waiting.
std::vector<std::string> measured_parts(const Inventory& inventory);

// Reading → parts that have had it since from_ns.
using Measured = std::map<std::string, std::set<std::string>>;  // by the reading's name
Result<Measured> ask_measured(ui::Client& client, const std::vector<std::string>& parts,
                              int64_t from_ns);

struct History {
  std::vector<PartSeries> series;
  std::vector<Case> cases;  // solved since
  std::string damage;       // which part of the store is unreadable
};
Result<History> ask_history(ui::Client& client, const std::vector<std::string>& parts,
                            const std::vector<std::string>& names, int64_t from_ns);

}  // namespace fmd::tray
