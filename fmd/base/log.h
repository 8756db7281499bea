// The daemon's own log: structured journal entries if stderr is the systemd journal's stream,
// otherwise lines on stderr. Text is escaped by display(). Single thread.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmd {

// priority: LOG_EMERG … LOG_DEBUG (syslog.h).
void log_line(int priority, std::string_view text);

// fields: journal fields besides MESSAGE, names in capitals ("FMD_CASE").
void log_entry(int priority, std::string_view text,
               const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace fmd
