// The screen of `fmadm status`.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cctype>

#include "fmd/base/counted.h"
#include "fmd/base/text.h"
#include "ui/cli/layout.h"
#include "ui/cli/status.h"

namespace fmd::cli {
namespace {

struct Kind {
  const char *type, *one, *many;
};
constexpr Kind kKinds[] = {
    {"zfs-pool", "pool", "pools"},
    {"md-array", "md array", "md arrays"},
    {"disk", "disk", "disks"},
    {"enclosure", "enclosure", "enclosures"},
    {"bay", "bay", "bays"},
    {"psu", "power supply", "power supplies"},
    {"fan", "fan", "fans"},
    {"cpu", "processor", "processors"},
    {"dimm", "memory module", "memory modules"},
    {"sensor", "sensor", "sensors"},
};

int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// "04:49" within 12 hours before or after now, else with the date.
std::string clock_words(int64_t time_ns) {
  constexpr int64_t kNear = 12 * 3600LL * 1'000'000'000;
  const int64_t now = wall_ns();
  const bool near = time_ns > now - kNear && time_ns < now + kNear;
  const std::string minute = format_minute(time_ns);  // "2026-11-21 04:49"
  return near ? minute.substr(minute.find(' ') + 1) : minute;
}

// Problems on which someone or fmd must act, without those that only inform.
size_t count_of(const Status& s, std::string_view severity) {
  return static_cast<size_t>(
      std::count_if(s.problems.begin(), s.problems.end(), [&](const Status::Problem& p) {
        return !p.informs && (severity.empty() || p.severity == severity);
      }));
}

// fmd's mode, for the first line.
std::string mode_words(const Status& s) {
  const bool window = !s.now.maintenance.empty();
  if (!s.dry_run && !window) return {};
  return fmt::format(" ({}{}{})", s.dry_run ? "dry run" : "", s.dry_run && window ? ", " : "",
                     window ? "maintenance" : "");
}

std::string status_headline(const Status& s) {
  const size_t problems = count_of(s, "");
  if (problems == 0) {
    if (const std::string pools = ui::pools_words(s.now); !pools.empty()) return pools;
    if (const std::string held = ui::held_words(s.now); !held.empty())
      return "no open problem, " + held;
    if (!s.eyes.blind()) return "no open problem";
    return s.eyes.watching.empty() ? "nothing is watched: an empty list of problems means nothing"
                                   : "no open problem, but not everything is watched";
  }
  std::string list;
  for (const char* severity : {"Critical", "Major", "Minor"})
    if (const size_t n = count_of(s, severity))
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", n, severity);
  return counted(problems, "problem") + ": " + list;
}

// Mark and headline as in systemctl, with fmd's version at the end of the line.
std::string head_line(const Status& s) {
  const Tone tone = s.verdict() == Status::Verdict::ok         ? Tone::good
                    : s.verdict() == Status::Verdict::problems ? Tone::grave
                                                               : Tone::minor;
  const std::string mark =
      is_terminal() ? painted(shows_utf8() ? "●" : "*", tone) + ' ' : std::string();
  const std::string version = s.version.empty() ? "" : "fmd " + s.version;
  const std::string head =
      mark + fmt::format("{}: {}{}", s.host, status_headline(s), mode_words(s));
  constexpr size_t kColumns = 80;
  const size_t edge = std::min(width(), kColumns) - columns(version);
  if (columns(head) + 2 > edge) return wrapped("", head, 2);
  return trimmed(pad(head, edge) + painted(version, Tone::faint)) + '\n';
}

// Without advice (an older fmd): where, what, and the command for details.
std::string plain_problems(const Status& s) {
  std::string out;
  for (const auto& p : s.problems) {
    const bool named = p.where.empty() || p.what.find(p.where) != p.what.npos;
    const std::string where = named ? "" : p.where + ": ";
    const std::string severity(severity_word(p.severity, p.informs));
    out +=
        wrapped("  " + pad(painted(severity, tone_of_severity(severity)), 10), where + p.what, 12);
    out += wrapped("            ",
                   fmt::format("fmadm faulty -u {}{}", short_id(p.uuid),
                               p.acknowledged ? " (acknowledged)" : ""),
                   12);
  }
  return out;
}

std::string pool_line(bool first, const std::string& text) {
  return first ? field("Pools", text) : wrapped(std::string(14, ' '), text, 14);
}

std::string pools_text(const Status& s) {
  std::string out;
  for (const std::string& line : s.now.unanswering)
    out += pool_line(out.empty(), painted(clean_prose(line), Tone::grave));
  for (const ui::PoolNow& pool : s.now.pools) {
    if (pool.state == "not responding" && !s.now.unanswering.empty()) continue;  // said above
    std::string text =
        clean(pool.name) + " " +
        painted(clean(pool.state), pool.well ? Tone::good : tone_of_pool(pool.state));
    if (!pool.redundancy.empty()) text += ", " + clean_prose(pool.redundancy);
    if (!pool.scan.empty()) text += "; " + clean_prose(pool.scan);
    out += pool_line(out.empty(), text);
    for (const std::string& line : pool.expected)
      out += wrapped(std::string(16, ' '), clean_prose(line), 16);
  }
  if (s.now.pools.empty())
    for (const std::string& line : s.work) out += pool_line(out.empty(), line);
  return out;
}

std::string held_text(const Status& s) {
  constexpr size_t kMost = 5;
  std::string out;
  const auto& all = s.now.held;
  for (size_t i = 0; i < all.size() && i < kMost; ++i)
    out +=
        field("Suspected",
              fmt::format("{}: {}, decided {}", clean(all[i].name), clean_prose(all[i].text),
                          all[i].decided_by_ns == 0 ? "when another case ends"
                                                    : "by " + clock_words(all[i].decided_by_ns)));
  if (all.size() > kMost)
    out += field("Suspected", counted(all.size() - kMost, "more part") + " (fmadm status --json)");
  return out;
}

std::string maintenance_text(const Status& s) {
  if (s.now.maintenance.empty()) return {};
  std::string text = clean_prose(s.now.maintenance);
  if (!s.now.maintenance_end.empty()) text += ". End it with: " + clean(s.now.maintenance_end);
  return field("Maintenance", painted(text, Tone::minor));
}

std::string counts_of(const std::map<std::string, size_t>& parts, const std::string& of_disks) {
  std::string list;
  for (const Kind& kind : kKinds) {
    const auto at = parts.find(kind.type);
    if (at == parts.end()) continue;
    list += (list.empty() ? "" : ", ") + counted(at->second, kind.one, kind.many);
    if (std::string_view(kind.type) == "disk") list += of_disks;
  }
  return list;
}

std::string smart_words(const Status& s) {
  if (s.smart_away) return " (SMART not seen: fmd-smart does not observe)";
  std::string words = fmt::format(" ({} with SMART", s.smart_disks);
  if (s.asleep > 0) words += fmt::format(", {} asleep", s.asleep);
  if (s.hung > 0) words += fmt::format(", {} not responding", s.hung);
  return words + ')';
}

// Parts that fmd knows but cannot observe now.
std::string unseen_text(const Status& s) {
  std::string out;
  for (const auto& [plugin, parts] : s.unseen)
    if (const std::string list = counts_of(parts, ""); !list.empty())
      out += field("Not seen", fmt::format("{}: fmd-{} does not observe", list, plugin));
  return out;
}

std::string watched_text(const Status& s) {
  std::string list = counts_of(s.parts, smart_words(s));
  const size_t plugins = s.eyes.watching.size();
  if (plugins > 0) list += (list.empty() ? "" : " ") + ("by " + counted(plugins, "plugin"));
  return field("Watched", list.empty() ? "nothing" : list);
}

// The command that restarts the plugin or shows its problem; "" if nothing is to be done.
std::string remedy_for(const ui::Watcher& p) {
  const std::string unit = "fmd-" + p.name;
  if (p.state == "dead" || p.state == "silent") return "see: systemctl status " + unit;
  if (p.state == "degraded") return "see: journalctl -u " + unit;
  if (p.state == "stopped") return "start it: systemctl start " + unit;
  if (p.state == "disabled") return "if you want it: systemctl enable --now " + unit;
  return "";
}

std::string not_watched_text(const Status& s) {
  std::string out;
  for (const auto& p : s.eyes.not_watching) {
    std::string text = p.name + ", " + p.state;
    if (!p.reason.empty()) text += ": " + p.reason;
    if (const std::string remedy = remedy_for(p); !remedy.empty()) text += " (" + remedy + ")";
    out += field("Not watched", text);
  }
  return out;
}

std::string channel_label(const std::string& name) {
  if (name == "snmp") return "SNMP";
  std::string label = name;
  if (!label.empty())
    label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return label;
}

std::string channels_text(const Status& s) {
  std::string out;
  for (const auto& c : s.channels) {
    std::string text =
        c.delivered_ns > 0 ? "delivered " + clock_words(c.delivered_ns) : "nothing delivered yet";
    if (c.waiting > 0)
      text += fmt::format("; {} waiting since {}", counted(c.waiting, "message"),
                          clock_words(c.waiting_since_ns));
    if (c.digest_by_ns > 0)
      text +=
          fmt::format(", {} for the digest, at the latest {}",
                      c.waiting == 1 ? "waits" : "the newest waits", clock_words(c.digest_by_ns));
    // Messages abandoned before the last delivery are history; `fmadm notify explain` lists them.
    if (c.given_up > 0 && c.given_up_ns > c.delivered_ns)
      text += fmt::format("; {} given up", counted(c.given_up, "message"));
    if (!c.connected) text += fmt::format("; fmd-{} is not connected", c.name);
    if (!c.reason.empty()) text += ": " + c.reason;
    out += field(channel_label(c.name), text);
  }
  return out;
}

std::string actions_text(const Status& s) {
  std::string out;
  std::string done = counted(s.in_force, "action") + " in force";
  if (s.intended > 0) done += fmt::format(", {} on the way", s.intended);
  if (s.in_force + s.intended > 0) out += field("Done", done + " (fmadm actions)");
  std::string list;
  for (const auto& [n, word] :
       {std::pair{s.waiting, "waiting"}, {s.refused, "refused"}, {s.failed, "failed"}})
    if (n > 0)
      list += fmt::format(
          "{}{}", list.empty() ? "" : ", ",
          list.empty() ? counted(n, "action") + ' ' + word : fmt::format("{} {}", n, word));
  const bool pending = s.refused + s.failed == 0;
  if (!list.empty())
    out += field(pending ? "Pending" : "Not done", list + " (reasons: fmadm faulty)");
  return out;
}

std::string zed_text(const Status& s) {
  if (s.zed.act == "never")
    return field("Who acts", s.zed.running ? "ZED only: act = \"never\" in zfs.toml keeps fmd from "
                                             "changing pools"
                                           : "nobody: act = \"never\" in zfs.toml keeps fmd from "
                                             "changing pools, and ZED is not running");
  if (!s.zed.running) return "";
  if (s.zed.act == "unless-zed")
    return field("Who acts", "ZED: act = \"unless-zed\" in zfs.toml leaves faulty disks to it");
  return field("Who acts",
               "both fmd and ZED act on faulty disks; 'man fmd-zfs' says how to leave it to one");
}

// The command overrides the file, also after a restart.
std::string dry_run_words(const Status& s) {
  const std::string on = "on: fmd announces actions and carries none out. ";
  return on +
         (s.dry_run_in_file
              ? "fmd.toml has dry_run = true. End it: remove that line and run 'fmadm reload', "
                "or run 'fmadm dry-run off', which overrides the file from then on"
              : "End it with: fmadm dry-run off");
}

}  // namespace

std::string status_text(const Status& s) {
  std::string out = head_line(s);
  out += s.advised.empty() ? plain_problems(s) : problem_lines(s.advised);
  for (const std::string& line : s.now.pull_order) out += wrapped("  ", clean_prose(line), 2);
  out +=
      '\n' + pools_text(s) + held_text(s) + watched_text(s) + unseen_text(s) + not_watched_text(s);
  for (const std::string& line : s.now.old_disks) out += field("Old disk", clean_prose(line));
  out += actions_text(s) + zed_text(s) + channels_text(s) + maintenance_text(s);
  if (s.collector)
    out += field(
        "Memory",
        "the kernel's collector of corrected errors (RAS_CEC) is active: EDAC hears of a page "
        "only after about a thousand; fmd counts them from the machine checks");
  if (s.dry_run) out += field("Dry run", painted(dry_run_words(s), Tone::minor));
  for (const std::string& line : s.warnings) out += field("Warning", line);
  return out;
}

}  // namespace fmd::cli
