// Interprets an ATA attribute's normalized value and threshold: why it failed, helium left,
// endurance used. The flag "prefailure" is not sufficient: makers set it for wear and omit it for
// data corruption.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "plugins/smart/report.h"

namespace fmd::smart {

// Adds the attribute to report.failing if it is at its threshold now. row: of smartctl's table.
void read_failing(const nlohmann::json& row, int64_t id, Report& report);

// Percent of helium left; empty if the attribute is not about helium or not a percentage.
std::optional<double> helium_level(const nlohmann::json& row, int64_t id);

// Lowers the reading to `value`, or adds it.
void take_least(Report& report, const char* name, double value);

// Sets wear_percent of an SSD: from Device Statistics page 7, else from an attribute that the maker
// documents, if the drive is in smartctl's database. Removes values that the drive did not report.
void read_wear(const nlohmann::json& doc, Report& report);

// Sets the spare blocks of an SSD in smartctl's database, by the attribute that is nearest to its
// threshold, among those that predict a failure.
void read_spare(const nlohmann::json& doc, Report& report);

}  // namespace fmd::smart
