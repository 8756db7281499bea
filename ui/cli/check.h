// Check: one line and an exit status for Nagios, Icinga and Checkmk. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fmd/model/case.h"

namespace fmd::cli {

enum class CheckState { ok = 0, warning = 1, critical = 2, unknown = 3 };
struct CheckResult {
  CheckState state = CheckState::unknown;
  std::string text;  // first line, performance data, then a line per case
};

// An entry of ListOutbox that is neither delivered nor abandoned.
bool is_waiting(const nlohmann::json& entry);
// now: GetStatus' document; an empty object if fmd is too old to answer it.
CheckResult check(const std::vector<Case>& cases, const nlohmann::json& plugins,
                  const nlohmann::json& outbox, const nlohmann::json& now, int64_t wall_ns);
CheckResult check_failed(const std::string& why);
// In the format of Checkmk's local checks.
std::string checkmk_line(const CheckResult& result);

}  // namespace fmd::cli
