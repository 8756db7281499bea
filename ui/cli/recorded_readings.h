// What was measured in the time of a recording: each value that was told, as a plugin says it, and the parts as they were
// by what was measured until the recording begins.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"
#include "ui/client/documents.h"

namespace fmd::cli {

// Part (FMRI) → its series.
using MeasuredParts = std::map<std::string, std::vector<ui::Series>>;

// Of parts that have left since nothing is known any more.
Result<MeasuredParts> fetch_measured(ui::Client& client, const std::vector<Resource>& parts,
                                     int64_t from_ns, int64_t to_ns);

// In place of today's: what was in force when it began; nothing where nothing was measured yet. Pure.
void take_back(std::vector<Resource>& parts, const MeasuredParts& measured, int64_t from_ns);
// One message for each time at which something was measured after the beginning, in order. Pure.
std::vector<nlohmann::json> readings_messages(const MeasuredParts& measured, int64_t from_ns);

}  // namespace fmd::cli
