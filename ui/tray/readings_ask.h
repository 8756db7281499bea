// ReadingsAsk: what Telemetry asks a host, in the thread that may wait for it: which readings there are, and some of them over time.
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

// What parts of that host measure, those of most use first: each is a question, and more than some at once would keep a
// person waiting.
std::vector<std::string> measured_parts(const Inventory& inventory);

// Of which parts there is which reading since then.
using Measured = std::map<std::string, std::set<std::string>>;  // by the reading's name
Result<Measured> ask_measured(ui::Client& client, const std::vector<std::string>& parts,
                              int64_t from_ns);

struct History {
  std::vector<PartSeries> series;
  std::vector<Case> cases;  // solved since
  std::string damage;       // what of the store cannot be read
};
Result<History> ask_history(ui::Client& client, const std::vector<std::string>& parts,
                            const std::vector<std::string>& names, int64_t from_ns);

}  // namespace fmd::tray
