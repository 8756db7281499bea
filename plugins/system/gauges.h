// What gauges say, read in a child and carried to the plugin as bytes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// One for each gauge; nothing: it cannot be read.
using Values = std::vector<std::optional<double>>;

// Of several devices, one after the other.
std::string read_gauges(const sdk::Host& host,
                        const std::vector<const std::vector<Gauge>*>& devices);
// counts: how many gauges each of the devices has. Nothing when the child did not end well.
std::optional<std::vector<Values>> values_in(const sdk::CommandOutput& output,
                                             const std::vector<size_t>& counts);

}  // namespace fmd::machine
