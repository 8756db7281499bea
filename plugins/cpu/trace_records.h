// Lines of tracefs' trace_pipe about broken processors, memory, PCIe links and CXL devices. Fields are found by
// the names that the kernel prints before them; their order and number differ among kernels. Pure; any bytes
// may come. Sources: include/trace/events/mce.h, include/ras/ras_event.h;
// Linux 6.1 to 6.13.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plugins/cpu/mca.h"
#include "plugins/sdk/kernel_lines.h"

namespace fmd::cpu {

const std::vector<sdk::TraceEvent>& ras_trace_events();
// Groups whose events all report errors. Those of a later kernel that are not among
// ras_trace_events() are subscribed as well, so that the plugin reports that it cannot read them.
const std::vector<std::string_view>& ras_trace_groups();

// A memory error from EDAC or the firmware (extlog). Without a label the module is unknown.
struct MemoryRecord {
  ErrorSeverity severity = ErrorSeverity::corrected;
  uint64_t count = 1;
  std::string source;   // "edac", "firmware"
  std::string message;  // "memory read error"
  std::string label;    // "CPU_SrcID#0_Ha#0_Chan#1_DIMM#0", or the firmware's name for it
  std::optional<unsigned> controller;  // EDAC's mc
  std::optional<uint64_t> address;     // physical
};

struct AerRecord {
  std::string device;                                 // "0000:00:04.0"
  ErrorSeverity severity = ErrorSeverity::corrected;  // corrected, uncorrected (non-fatal), fatal
  std::string errors;                                 // "Bad TLP|Bad DLLP"
};

// What a CXL device reports of its own health.
struct CxlHealthRecord {
  enum class State : uint8_t { warning, hot, failing, lost, unknown };
  std::string device;  // "0000:0f:00.0"
  std::string memory;  // "mem1"
  State state = State::unknown;
  std::string text = {};  // "REPLACEMENT_NEEDED, life used 96 %"
};

// A memory error that a CXL device reports.
struct CxlMemoryRecord {
  std::string device;  // "0000:0f:00.0"
  std::string memory;  // the kernel's name: "mem1"
  ErrorSeverity severity = ErrorSeverity::unknown;
  std::string text;                       // "ECC Error (Host Read)"
  std::optional<uint64_t> address;        // physical, if it is mapped
  std::optional<CxlHealthRecord> health;  // what the same report says about the device
  bool is_from_outside = false;           // the data arrived damaged
};

struct PoisonedPage {  // memory_failure_event
  uint64_t frame = 0;
  std::string kind;    // "dirty LRU page"
  std::string result;  // "Recovered", "Failed", "Ignored", "Delayed"
};

struct OtherRecord {   // arm_event, non_standard_event
  std::string source;  // "arm", "non-standard"
  ErrorSeverity severity = ErrorSeverity::unknown;
  std::optional<uint64_t> mpidr;
  std::string text;
};

struct NothingToReport {};  // valid, but informational

struct TraceRecord {
  int64_t uptime_ns = 0;  // on the trace's clock; 0 unknown
  std::variant<MceRecord, MemoryRecord, AerRecord, CxlMemoryRecord, CxlHealthRecord, PoisonedPage,
               OtherRecord, NothingToReport>
      what;
};

// nullopt: of no known event, or not of its form.
std::optional<TraceRecord> parse_trace_record(std::string_view line);

// The name of the line's event if it is unknown, or if the line cannot be parsed or has an unknown
// severity; otherwise "".
std::string_view unread_event(std::string_view line);

// The number in "CPU:1 [LOST 123 EVENTS]".
std::optional<uint64_t> lost_events(std::string_view line);

}  // namespace fmd::cpu
