// A line of tracefs' trace_pipe: the kernel's own words for what it traces, of which fields are
// taken by their names. The kernel prints device numbers itself, so none is decoded here. Pure; any
// bytes may come. Sources: include/trace/events/{block,scsi,libata}.h; Linux 6.1 and 6.12.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/disk/kernel_error.h"
#include "plugins/sdk/kernel_lines.h"

namespace fmd::disk {

const std::vector<sdk::TraceEvent>& trace_events();

// Nothing when the line tells of no failure of a disk's reading or writing: what monitoring tools
// pass through to disks fails every day.
struct TraceLine {
  std::optional<Indication> said;
  std::string_view
      unread;  // the subscribed event whose line this is, when it cannot be read; else ""
};
TraceLine read_trace(std::string_view line);
inline std::optional<Indication> parse_trace(std::string_view line) {
  return read_trace(line).said;
}

// "CPU:1 [LOST 123 EVENTS]": how many.
std::optional<uint64_t> parse_lost(std::string_view line);

}  // namespace fmd::disk
