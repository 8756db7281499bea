// Interprets an ATA attribute's normalized value and threshold: why it failed, helium left, endurance
// used. The flag "prefailure" alone does not tell: makers set it for wear and leave it out for
// data corruption.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "plugins/smart/report.h"

namespace fmd::smart {

// Adds the attribute to report.failing when it is at its threshold now. row: of smartctl's table.
void read_failing(const nlohmann::json& row, int64_t id, Report& report);

// Percent of the helium left; empty: not an attribute about helium, or no percentage.
std::optional<double> helium_level(const nlohmann::json& row, int64_t id);

// The reading becomes value unless it is less already.
void take_least(Report& report, const char* name, double value);

// wear_percent of an SSD: from Device Statistics page 7, else from an attribute that its maker
// documents, of a drive in smartctl's database. Removes what the drive itself did not report.
void read_wear(const nlohmann::json& doc, Report& report);

}  // namespace fmd::smart
