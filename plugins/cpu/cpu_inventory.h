// The resources that fmd-cpu publishes, in the terms of schemas/resources.md. Pure.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plugins/cpu/cpu_memory.h"
#include "plugins/cpu/processors.h"

namespace fmd::cpu {

std::map<std::string, nlohmann::json> cpu_resources(const Processors& machine,
                                                    const CpuMemory& memory);

}  // namespace fmd::cpu
