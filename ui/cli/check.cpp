#include "ui/cli/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/lower_case.h"
#include "fmd/base/text.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

// A message waiting for longer than this is a warning.
constexpr int64_t kLateNs = 3600LL * 1000000000;
constexpr std::array kStateNames{"OK", "WARNING", "CRITICAL", "UNKNOWN"};

// Without "|", which begins performance data.
std::string plain(const std::string& text) {
  std::string out = display(text);
  std::replace(out.begin(), out.end(), '|', '/');
  return out;
}

std::string case_line(const Case& c) {
  std::string line =
      fmt::format("{} {}: {}", plain(std::string(severity_word(c))), plain(c.code), plain(c.title));
  if (c.suspects.empty()) return line;
  const Suspect& s = c.suspects.front();
  if (!s.location.empty()) line += ", " + plain(s.location);
  if (!s.serial.empty()) line += ", serial " + plain(s.serial);
  if (c.suspects.size() > 1) line += fmt::format(", or {} more", c.suspects.size() - 1);
  if (c.acknowledged) line += " (acknowledged)";
  if (!c.faulty()) line += " (repaired, not back in service yet)";
  return line;
}

// Acknowledged and repaired cases are only warnings: they are being handled. Informational cases do not count, as in fmadm's
// exit status.
CheckState state_of(const Case& c) {
  if (c.information) return CheckState::ok;
  if (c.acknowledged || !c.faulty()) return CheckState::warning;
  return severity_rank(c.severity) >= severity_rank("Major") ? CheckState::critical
                                                             : CheckState::warning;
}

// "pool tank DEGRADED", "array md0 degraded": one for each that is not healthy.
std::vector<std::string> unwell_pools(const nlohmann::json& now) {
  std::vector<std::string> out;
  const auto pools = now.find("pools");
  if (pools == now.end()) return out;
  for (const auto& pool : *pools)
    if (!json_bool(pool, "well"))
      out.push_back(fmt::format(
          "{} {} {}", fmd::json_text(pool, "fmri").starts_with("zfs://") ? "pool" : "array",
          plain(fmd::json_text(pool, "name")), plain(fmd::json_text(pool, "state"))));
  return out;
}

}  // namespace

bool is_waiting(const nlohmann::json& entry) {
  const std::string state = fmd::json_text(entry, "state");
  return state != "delivered" && state != "expired";
}

CheckResult check(const std::vector<Case>& all, const nlohmann::json& plugins,
                  const nlohmann::json& outbox, const nlohmann::json& now, int64_t wall_ns) {
  std::vector<const Case*> cases;
  std::map<std::string, int> counts{{"critical", 0}, {"major", 0}, {"minor", 0}};
  for (const Case& c : all) {
    if (!c.open() || c.state == CaseState::unsolved) continue;
    cases.push_back(&c);
    const std::string word = lower_case(std::string(severity_word(c)));
    if (counts.count(word) != 0) ++counts[word];
  }
  std::stable_sort(cases.begin(), cases.end(), [](const Case* a, const Case* b) {
    return std::pair(state_of(*a), severity_rank(a->severity)) >
           std::pair(state_of(*b), severity_rank(b->severity));
  });
  CheckResult out{CheckState::ok, {}};
  for (const Case* c : cases) out.state = std::max(out.state, state_of(*c));
  int silent = 0, degraded = 0, waiting = 0, late = 0;
  for (const auto& plugin : plugins) {
    const std::string state = fmd::json_text(plugin, "state");
    silent += state == "silent" || state == "dead" ? 1 : 0;
    degraded += state == "degraded" ? 1 : 0;
  }
  for (const auto& entry : outbox) {
    if (!is_waiting(entry)) continue;
    ++waiting;
    late += json_int(entry, "created") < wall_ns - kLateNs ? 1 : 0;
  }
  const std::vector<std::string> unwell = unwell_pools(now);
  if (silent + degraded + late > 0 || !unwell.empty())
    out.state = std::max(out.state, CheckState::warning);
  std::string head = cases.empty() ? "no open case" : case_line(*cases.front());
  if (cases.size() > 1) head += "; " + counted(cases.size() - 1, "more case");
  if (!unwell.empty()) head += fmt::format("; {}", fmt::join(unwell, ", "));
  if (silent > 0) head += "; " + counted(silent, "plugin") + " silent";
  if (degraded > 0) head += "; " + counted(degraded, "plugin") + " degraded";
  if (late > 0) head += "; " + counted(late, "message") + " not delivered for an hour";
  out.text = fmt::format(
      "FMD {} - {}|critical={} major={} minor={} plugins_silent={} outbox={} plugins_degraded={} "
      "pools_unwell={}\n",
      kStateNames[static_cast<size_t>(out.state)], head, counts["critical"], counts["major"],
      counts["minor"], silent, waiting, degraded, unwell.size());
  for (const Case* c : cases) out.text += case_line(*c) + ", case " + plain(c->uuid) + "\n";
  return out;
}

CheckResult check_failed(const std::string& why) {
  return {CheckState::unknown, "FMD UNKNOWN - " + plain(why) + "\n"};
}

std::string checkmk_line(const CheckResult& result) {
  const std::string first = result.text.substr(0, result.text.find('\n'));
  const size_t bar = first.find('|');
  std::string perf = bar == first.npos ? "-" : first.substr(bar + 1);
  std::replace(perf.begin(), perf.end(), ' ', '|');
  return fmt::format("{} \"fmd\" {} {}\n", static_cast<int>(result.state), perf,
                     first.substr(0, bar));
}

}  // namespace fmd::cli
