// Lines of the kernel's trace about CXL devices: errors of their link and of the memory behind it, and their health.
// Pure; any bytes may come. Source: drivers/cxl/core/trace.h, Linux 6.2 to 6.17.
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
std::optional<TraceRecord> cxl_health(std::string_view text);  // cxl_memory_module
std::optional<TraceRecord> cxl_overflow(std::string_view text);
// Events whose contents are the maker's, or newer than this parser, by the device's own rating:
// cxl_generic_event, cxl_memory_sparing.
std::optional<TraceRecord> cxl_other(std::string_view text);

}  // namespace fmd::cpu
