// Parses the kernel's trace lines about CXL devices: link errors and memory errors. Pure; accepts
// any bytes. Source: drivers/cxl/core/trace.h, Linux 6.2 to 6.17.
#pragma once
#include <optional>
#include <string_view>

#include "plugins/cpu/trace_records.h"

namespace fmd::cpu {

// text: the line after the event's name. nullopt: not of this form.
std::optional<TraceRecord> cxl_link_uncorrectable(std::string_view text);
std::optional<TraceRecord> cxl_link_correctable(std::string_view text);
std::optional<TraceRecord> cxl_media(std::string_view text);  // cxl_general_media, cxl_dram
std::optional<TraceRecord> cxl_poison(std::string_view text);

}  // namespace fmd::cpu
