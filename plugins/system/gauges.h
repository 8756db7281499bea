// Reads gauges in a child and passes the values to the plugin as bytes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// One per gauge; empty if it cannot be read.
using Values = std::vector<std::optional<double>>;

// Reads the gauges of several devices in turn.
std::string read_gauges(const sdk::Host& host,
                        const std::vector<const std::vector<Gauge>*>& devices);
// counts: the number of gauges of each device. Empty if the child failed.
std::optional<std::vector<Values>> values_in(const sdk::CommandOutput& output,
                                             const std::vector<size_t>& counts);

}  // namespace fmd::machine
