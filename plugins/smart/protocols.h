// The parts of a report that are specific to a command set. Each reads the fields that exist.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "plugins/smart/report.h"

namespace fmd::smart {

// Limit of error counts. 32 set bits mean "unknown", and values from 2^32 on are misplaced words
// (some NVMe drives report exactly 2^32 media errors): no disk lives to count so many.
inline constexpr int64_t kLeastImpossible = 0xffffffff;

// Some drives report a threshold of 99 % of spare blocks. With 98 % left they are not worn.
inline constexpr double kMostSpareThreshold = 50;

void read_ata(const nlohmann::json& doc, Report& report);
void read_scsi(const nlohmann::json& doc, Report& report);
void read_nvme(const nlohmann::json& doc, Report& report);

// Withdraws each warning that other values of the report refute, and notes it.
void drop_contradictions(const nlohmann::json& doc, Report& report);

// Sets a reading if there is a value.
void set(Report& report, const char* name, const char* unit, std::optional<double> value);

// True if a poller may have caused this entry, or if it is empty. Identify, Get Log Page and Get
// Features for unsupported data each add an entry, at every query.
bool made_by_poller(const NvmeError& error);

}  // namespace fmd::smart
