// Queries: the JSON documents of schemas/dbus/README.md, from the daemon's parts. Read only; errors
// say what was wrong with the filter. Single thread.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "fmd/daemon/parts.h"

namespace fmd {

Result<std::string> query_cases(const Parts& parts, std::string_view filter);
Result<std::string> query_events(const Parts& parts, std::string_view query);
Result<std::string> query_resources(const Parts& parts, std::string_view filter);
Result<std::string> query_bay_history(const Parts& parts, std::string_view filter);
Result<std::string> query_readings(const Parts& parts, std::string_view filter);
std::string query_plugins(const Parts& parts);
std::string query_serd(const Parts& parts);
std::string query_outbox(const Parts& parts);
std::string query_config(const Parts& parts);

}  // namespace fmd
