#include "ui/cli/status.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

struct StatusDocuments {
  nlohmann::json config, plugins, outbox, actions;
  std::vector<Case> cases;  // open ones
};

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

const char* verdict_word(Status::Verdict verdict) {
  switch (verdict) {
    case Status::Verdict::ok:
      return "ok";
    case Status::Verdict::problems:
      return "problems";
    case Status::Verdict::blind:
      return "blind";
  }
  return "";
}

// "Disk returns wrong data. ..." is said whole by `fmadm faulty`.
std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == text.npos ? text : text.substr(0, end + 1);
}

Status::Problem problem_of(const Case& c, const Inventory& inventory) {
  Status::Problem out{c.uuid, c.severity, "", first_sentence(clean_prose(c.description)),
                      c.acknowledged};
  if (c.suspects.empty()) return out;
  const Suspect& s = c.suspects.front();
  for (const std::string& part : {s.fru, s.asru, s.resource})
    if (out.where.empty() && !part.empty()) out.where = part_words(inventory, part);
  return out;
}

void read_channels(const StatusDocuments& documents, Status& out) {
  std::map<std::string, Status::Channel> channels;
  const json notifiers = documents.config.value("notify", json::object());
  for (const auto& [name, settings] : notifiers.items()) channels[name].name = clean(name);
  for (const json& rule : documents.config.value("notify_rules", json::array()))
    for (const json& name : rule.value("channels", json::array()))
      if (name.is_string()) channels[name.get<std::string>()].name = clean(name.get<std::string>());
  for (const json& entry : documents.outbox)
    channels[fmd::json_text(entry, "notifier")].name = clean(fmd::json_text(entry, "notifier"));
  for (const json& p : documents.plugins)
    if (const auto at = channels.find(fmd::json_text(p, "name")); at != channels.end()) {
      at->second.connected = json_bool(p, "connected");
      const std::string state = fmd::json_text(p, "state");
      if (state == "silent")
        at->second.reason = fmt::format("fmd-{} does not respond", at->second.name);
      else if (state != "ok")
        at->second.reason = clean_prose(fmd::json_text(p, "reason"));
    }
  for (const json& entry : documents.outbox) {
    Status::Channel& channel = channels[fmd::json_text(entry, "notifier")];
    if (fmd::json_text(entry, "state") == "delivered") {
      channel.delivered_ns = std::max(channel.delivered_ns, json_int(entry, "delivered"));
      continue;
    }
    if (const int64_t expired = json_int(entry, "expired"); expired > 0) {
      ++channel.given_up;
      channel.given_up_ns = std::max(channel.given_up_ns, expired);
      continue;
    }
    const int64_t created = json_int(entry, "created");
    ++channel.waiting;
    if (channel.waiting_since_ns == 0 || created < channel.waiting_since_ns)
      channel.waiting_since_ns = created;
    if (std::string why = clean_prose(fmd::json_text(entry, "reason")); !why.empty())
      channel.reason = std::move(why);
  }
  for (auto& [name, channel] : channels) out.channels.push_back(std::move(channel));
}

void read_inventory(const Inventory& inventory, Status& out) {
  for (const auto& [fmri, r] : inventory.all()) {
    if (!r.present) continue;
    ++out.parts[r.type];
    if (r.type == "disk" && r.is("smart.state", "observed")) ++out.smart_disks;
    if (r.type == "disk" && r.is("smart.state", "standby")) ++out.asleep;
    if (r.type == "disk" && r.is("smart.state", "hung")) ++out.hung;
    if (fmri == "fmd://plugin=zfs") out.zed = {r.is("zed", "running"), r.get("act")};
    if (r.type == "cpu" && r.is("collector", "active")) out.collector = true;
    if (r.type != "zfs-pool" && r.type != "md-array") continue;
    const Scan scan = scan_of(r);
    if (scan.running())
      out.work.push_back(fmt::format("{}: {}, {}", scan.pool, scan.work_words(), scan.progress()));
  }
}

void read_actions(const StatusDocuments& documents, Status& out) {
  for (const json& action : documents.actions)
    ++(fmd::json_text(action, "state") == "intended" ? out.intended : out.in_force);
  for (const Case& c : documents.cases)
    for (const Action& action : c.actions) {
      if (action.state == ActionState::waiting) ++out.waiting;
      if (action.state == ActionState::refused) ++out.refused;
      if (action.state == ActionState::failed) ++out.failed;
    }
}

int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::string ago(int64_t time_ns) {
  const int64_t seconds = std::max<int64_t>(0, wall_ns() - time_ns) / 1000000000;
  if (seconds < 120) return fmt::format("{} s ago", seconds);
  if (seconds < 7200) return fmt::format("{} min ago", seconds / 60);
  return format_time_fma(time_ns);
}

std::string status_headline(const Status& s) {
  if (s.problems.empty() && s.verdict() == Status::Verdict::blind)
    return s.eyes.watching.empty() ? "nothing is watched: an empty list of problems means nothing"
                                   : "no open problem, but not everything is watched";
  if (s.problems.empty()) return "no open problem";
  std::string out = counted(s.problems.size(), "open problem", "open problems");
  std::map<std::string, size_t> counts;
  for (const auto& p : s.problems) ++counts[p.severity];
  std::string list;
  for (const char* severity : {"Critical", "Major", "Minor"})
    if (const size_t n = counts[severity])
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", n, severity);
  return out + ": " + list;
}

std::string problems_text(const Status& s) {
  std::string out;
  for (const auto& p : s.problems) {
    const bool named = p.where.empty() || p.what.find(p.where) != p.what.npos;
    const std::string where = named ? "" : p.where + ": ";
    out += wrapped("  " + pad(p.severity, 10), where + p.what, 12);
    out += wrapped(
        "            ",
        fmt::format("fmadm faulty -u {}{}", p.uuid, p.acknowledged ? " (acknowledged)" : ""), 12);
  }
  return out;
}

std::string watched_text(const Status& s) {
  std::string list;
  for (const Kind& kind : kKinds) {
    const auto at = s.parts.find(kind.type);
    if (at == s.parts.end()) continue;
    list += (list.empty() ? "" : ", ") + counted(at->second, kind.one, kind.many);
    if (std::string_view(kind.type) != "disk") continue;
    list += fmt::format(" ({} with SMART", s.smart_disks);
    if (s.asleep > 0) list += fmt::format(", {} asleep", s.asleep);
    if (s.hung > 0) list += fmt::format(", {} not responding", s.hung);
    list += ')';
  }
  std::string names;
  for (const auto& p : s.eyes.watching) {
    names += (names.empty() ? "" : ", ") + p.name;
    if (p.last_seen_ns > 0) names += " (heard " + ago(p.last_seen_ns) + ")";
  }
  std::string out = field("Watched", list.empty() ? "nothing" : list);
  if (!names.empty()) out += field("By", names);
  return out;
}

// The command that brings it back, or says why it does not watch; "" there is nothing to do.
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

std::string channels_text(const Status& s) {
  std::string out;
  for (const auto& c : s.channels) {
    std::string text = c.name + ": ";
    text += c.delivered_ns > 0 ? "last delivered " + format_time_fma(c.delivered_ns)
                               : "nothing delivered yet";
    if (c.waiting > 0)
      text += fmt::format("; {} waiting since {}", counted(c.waiting, "message", "messages"),
                          format_time_fma(c.waiting_since_ns));
    // What was given up before the last one went out is history: fmadm notify explain has it.
    if (c.given_up > 0 && c.given_up_ns > c.delivered_ns)
      text += fmt::format("; {} given up", counted(c.given_up, "message", "messages"));
    if (!c.connected) text += fmt::format("; fmd-{} is not connected", c.name);
    if (!c.reason.empty()) text += ": " + c.reason;
    out += field("Messages", text);
  }
  return out;
}

std::string actions_text(const Status& s) {
  std::string out;
  std::string done = counted(s.in_force, "action", "actions") + " in force";
  if (s.intended > 0) done += fmt::format(", {} on the way", s.intended);
  if (s.in_force + s.intended > 0) out += field("Done", done + " (fmadm actions)");
  std::string list;
  for (const auto& [n, word] :
       {std::pair{s.waiting, "waiting"}, {s.refused, "refused"}, {s.failed, "failed"}})
    if (n > 0)
      list += fmt::format("{}{}", list.empty() ? "" : ", ",
                          list.empty() ? counted(n, "action", "actions") + ' ' + word
                                       : fmt::format("{} {}", n, word));
  if (!list.empty()) out += field("Not done", list + " (fmadm faulty says why)");
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

std::string status_text(const Status& s) {
  std::string out = wrapped("", fmt::format("{}: {}", s.host, status_headline(s)), 2);
  out += problems_text(s) + '\n' + watched_text(s) + not_watched_text(s);
  for (const std::string& line : s.work) out += field("Running", line);
  out += actions_text(s) + zed_text(s) + channels_text(s);
  if (s.collector)
    out += field(
        "Memory",
        "the kernel's collector of corrected errors (RAS_CEC) is active: EDAC hears of a page "
        "only after about a thousand; fmd counts them from the machine checks");
  if (s.dry_run) out += field("Dry run", "on: fmd says what it would do, and touches nothing");
  for (const std::string& line : s.warnings) out += field("Warning", line);
  return out;
}

json status_json(const Status& s) {
  json doc{{"verdict", verdict_word(s.verdict())},
           {"host", s.host},
           {"version", s.version},
           {"dry_run", s.dry_run},
           {"problems", json::array()},
           {"parts", s.parts},
           {"smart_disks", s.smart_disks},
           {"memory_collector", s.collector},
           {"watching", json::array()},
           {"not_watching", json::array()},
           {"channels", json::array()},
           {"running", s.work},
           {"disks_asleep", s.asleep},
           {"disks_hung", s.hung},
           {"actions",
            {{"in_force", s.in_force},
             {"intended", s.intended},
             {"waiting", s.waiting},
             {"refused", s.refused},
             {"failed", s.failed}}},
           {"zed", {{"running", s.zed.running}, {"act", s.zed.act}}},
           {"warnings", s.warnings}};
  for (const auto& p : s.problems)
    doc["problems"].push_back({{"uuid", p.uuid},
                               {"severity", p.severity},
                               {"where", p.where},
                               {"what", p.what},
                               {"acknowledged", p.acknowledged}});
  for (const auto& [list, name] :
       {std::pair{&s.eyes.watching, "watching"}, {&s.eyes.not_watching, "not_watching"}})
    for (const auto& p : *list)
      doc[name].push_back({{"name", p.name},
                           {"state", p.state},
                           {"reason", p.reason},
                           {"last_seen", p.last_seen_ns}});
  for (const auto& c : s.channels)
    doc["channels"].push_back({{"name", c.name},
                               {"connected", c.connected},
                               {"delivered", c.delivered_ns},
                               {"waiting", c.waiting},
                               {"waiting_since", c.waiting_since_ns},
                               {"given_up", c.given_up},
                               {"reason", c.reason}});
  return doc;
}

Status status_of(const StatusDocuments& documents, const Inventory& inventory) {
  Status out;
  const json host = documents.config.value("host", json::object());
  out.host = clean(fmd::json_text(host, "name"));
  if (out.host.empty()) out.host = "this host";
  out.version = clean(fmd::json_text(documents.config, "version"));
  out.dry_run = json_bool(documents.config, "dry_run");
  for (const Case& c : documents.cases)
    if (c.state != CaseState::unsolved) out.problems.push_back(problem_of(c, inventory));
  std::stable_sort(out.problems.begin(), out.problems.end(), [](const auto& a, const auto& b) {
    return severity_rank(a.severity) > severity_rank(b.severity);
  });
  out.eyes = ui::watching_in(documents.plugins, documents.config);
  read_channels(documents, out);
  read_inventory(inventory, out);
  read_actions(documents, out);
  for (const char* key : {"errors", "warnings"}) {
    const json lines = documents.config.value(key, json::array());
    for (const json& line : lines)
      if (line.is_string()) out.warnings.push_back(clean_prose(line.get<std::string>()));
  }
  return out;
}

}  // namespace

Status::Verdict Status::verdict() const {
  if (eyes.watching.empty()) return Verdict::blind;
  if (!problems.empty()) return Verdict::problems;
  return eyes.blind() ? Verdict::blind : Verdict::ok;
}

Result<std::string> blindness(Client& client) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  const auto plugins = client.query("ListPlugins");
  if (!plugins) return tl::unexpected(plugins.error());
  const ui::Watching eyes = ui::watching_in(*plugins, *config);
  if (!eyes.blind()) return std::string();
  return "no problem is known, but " +
         std::string(eyes.watching.empty() ? "nothing is watched" : "not everything is watched") +
         ": see 'fmadm status'";
}

Result<void> status(Client& client, bool json, int* exit_status) {
  *exit_status = 3;  // what cannot be asked is not seen
  StatusDocuments documents;
  for (auto [method, into] : {std::pair{"GetConfig", &documents.config},
                              {"ListPlugins", &documents.plugins},
                              {"ListOutbox", &documents.outbox},
                              {"ListActions", &documents.actions}}) {
    auto answer = client.query(method);
    if (!answer) return tl::unexpected(answer.error());
    *into = std::move(*answer);
  }
  auto cases = ui::fetch_cases(client, nlohmann::json::object());
  if (!cases) return tl::unexpected(cases.error());
  documents.cases = std::move(*cases);
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const Status now = status_of(documents, *inventory);
  const auto verdict = now.verdict();
  *exit_status = verdict == Status::Verdict::ok ? 0 : verdict == Status::Verdict::blind ? 3 : 1;
  return print(json ? json_text(status_json(now)) : status_text(now));
}

}  // namespace fmd::cli
