// The parts of a report that each command set has of its own. Each takes what is there.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "plugins/smart/report.h"

namespace fmd::smart {

// Of errors. All bits of 32 set is "not known"; from 2^32 on it is a word in the wrong place (NVMe
// drives that report exactly 2^32 media errors), for no disk lives to count so many.
inline constexpr int64_t kLeastImpossible = 0xffffffff;

void read_ata(const nlohmann::json& doc, Report& report);
void read_scsi(const nlohmann::json& doc, Report& report);
void read_nvme(const nlohmann::json& doc, Report& report);

// Takes back each warning that the rest of the answer refutes, and notes it.
void drop_contradictions(const nlohmann::json& doc, Report& report);

// A reading, when there is a value.
void set(Report& report, const char* name, const char* unit, std::optional<double> value);

// May a poller itself have made this entry, or is there nothing in it? Identify, Get Log Page and
// Get Features of what a drive does not have each leave an entry, at every look.
bool made_by_poller(const NvmeError& error);

}  // namespace fmd::smart
