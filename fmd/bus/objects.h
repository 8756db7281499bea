// Cases and resources as typed objects below /org/fmd/FaultManager1, and the mapping from path to
// object. Values are read from the engine on request, without copies. Single thread.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "fmd/bus/sd_handles.h"
#include "fmd/diagnosis/engine.h"

namespace fmd::bus {

inline constexpr const char* kName = "org.fmd.FaultManager1";
inline constexpr const char* kPath = "/org/fmd/FaultManager1";
inline constexpr const char* kCaseInterface = "org.fmd.FaultManager1.Case";
inline constexpr const char* kResourceInterface = "org.fmd.FaultManager1.Resource";

std::string case_path(std::string_view uuid);
std::string resource_path(std::string_view fmri);

// Exports objects that follow the engine, which must outlive the bus. Returns a negative errno.
int export_cases(sd_bus* bus, const Engine& engine);
int export_resources(sd_bus* bus, const Engine& engine);

}  // namespace fmd::bus
