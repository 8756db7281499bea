// The parts of a report that each command set has of its own. Each takes what is there.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "plugins/smart/report.h"

namespace fmd::smart {

void read_ata(const nlohmann::json& doc, Report& report);
void read_scsi(const nlohmann::json& doc, Report& report);
void read_nvme(const nlohmann::json& doc, Report& report);

// A reading, when there is a value.
void set(Report& report, const char* name, const char* unit, std::optional<double> value);

// May a poller itself have made this entry, or is there nothing in it? Identify, Get Log Page and
// Get Features of what a drive does not have each leave an entry, at every look.
bool made_by_poller(const NvmeError& error);

}  // namespace fmd::smart
