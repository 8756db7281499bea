// Readings in the time of a recording: each value as a plugin message, and the parts with their
// values from before the recording.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"
#include "ui/client/documents.h"

namespace fmd::cli {

// FMRI of a part → its series.
using MeasuredParts = std::map<std::string, std::vector<ui::Series>>;

// Parts that have left since have no readings.
Result<MeasuredParts> fetch_measured(ui::Client& client, const std::vector<Resource>& parts,
                                     int64_t from_ns, int64_t to_ns);

// Replaces present values by those at the beginning; removes those not measured by then. Pure.
void take_back(std::vector<Resource>& parts, const MeasuredParts& measured, int64_t from_ns);
// One message for each time of measurement after the beginning, in order. Pure.
std::vector<nlohmann::json> readings_messages(const MeasuredParts& measured, int64_t from_ns);

}  // namespace fmd::cli
