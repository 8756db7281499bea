// Parses lines of tracefs' trace_pipe; fields are found by name. The kernel prints device numbers
// itself, so none is decoded here. Pure; accepts any bytes. Sources:
// include/trace/events/{block,scsi,libata}.h; Linux 6.1 and 6.12.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/disk/kernel_error.h"
#include "plugins/sdk/kernel_lines.h"

namespace fmd::disk {

const std::vector<sdk::TraceEvent>& trace_events();

// said: a failure to read or write a disk. Commands passed through by monitoring tools are ignored,
// since they fail every day.
struct TraceLine {
  std::optional<Indication> said;
  std::string_view unread;  // event of an unparsable line; otherwise ""
};
TraceLine read_trace(std::string_view line);
inline std::optional<Indication> parse_trace(std::string_view line) {
  return read_trace(line).said;
}

// The number in "CPU:1 [LOST 123 EVENTS]".
std::optional<uint64_t> parse_lost(std::string_view line);

}  // namespace fmd::disk
