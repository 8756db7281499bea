#include "ui/cli/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/status_documents.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

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

// `fmadm faulty` shows the whole text, such as "Disk returns wrong data. ...".
std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == text.npos ? text : text.substr(0, end + 1);
}

Status::Problem problem_of(const Case& c, const Inventory& inventory) {
  Status::Problem out{c.uuid,         c.severity,   "", first_sentence(clean_prose(c.description)),
                      c.acknowledged, c.information};
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
    channel.digest_by_ns = std::max(channel.digest_by_ns, json_int(entry, "digest_by"));
    if (std::string why = clean_prose(fmd::json_text(entry, "reason")); !why.empty())
      channel.reason = std::move(why);
  }
  for (auto& [name, channel] : channels) out.channels.push_back(std::move(channel));
}

// Plugins that observe nothing now: what they described is their last known state.
std::set<std::string> away(const ui::Watching& eyes) {
  std::set<std::string> out;
  for (const ui::Watcher& one : eyes.not_watching)
    if (one.state != "degraded" && one.state != "not-observed") out.insert(one.name);
  return out;
}

// The plugin that should observe a part but is away; "" if the part is observed.
std::string missed_by(const Resource& r, const std::set<std::string>& away) {
  // SMBIOS lists processors and modules, but only fmd-cpu reads their errors.
  if ((r.type == "cpu" || r.type == "dimm") && away.contains("cpu")) return "cpu";
  std::string who;
  for (const auto& source : r.sources) {
    if (!away.contains(std::string(source))) return {};
    who = source;
  }
  return who;
}

void read_inventory(const Inventory& inventory, Status& out) {
  const std::set<std::string> gone = away(out.eyes);
  out.smart_away = gone.contains("smart");
  for (const auto& [fmri, r] : inventory.all()) {
    if (!r.present) continue;
    if (const std::string who = missed_by(r, gone); !who.empty()) {
      ++out.unseen[who][r.type];
      continue;
    }
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

json status_json(const Status& s) {
  json doc{{"verdict", verdict_word(s.verdict())},
           {"host", s.host},
           {"version", s.version},
           {"dry_run", s.dry_run},
           {"problems", json::array()},
           {"parts", s.parts},
           {"unseen", s.unseen},
           {"smart_disks", s.smart_away ? 0 : s.smart_disks},
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
                               {"digest_by", c.digest_by_ns},
                               {"given_up", c.given_up},
                               {"reason", c.reason}});
  return doc;
}

}  // namespace

Status status_of(const StatusDocuments& documents, const Inventory& inventory) {
  Status out;
  const json host = documents.config.value("host", json::object());
  out.host = clean(fmd::json_text(host, "name"));
  if (out.host.empty()) out.host = "this host";
  out.version = clean(fmd::json_text(documents.config, "version"));
  out.dry_run = json_bool(documents.config, "dry_run");
  out.dry_run_in_file = json_bool(documents.config, "dry_run_in_file");
  for (size_t i = 0; i < documents.cases.size(); ++i) {
    const Case& c = documents.cases[i];
    // Like `fmadm faulty`, omits acquitted and repaired parts, even while fmd still undoes its actions.
    if (c.state == CaseState::unsolved || !c.faulty()) continue;
    out.problems.push_back(problem_of(c, inventory));
    if (i >= documents.advice.size() || !documents.advice[i]) continue;
    out.problems.back().informs |= documents.advice[i]->needs == "nobody";
    out.advised.push_back({c, *documents.advice[i]});
  }
  if (out.advised.size() < out.problems.size()) out.advised.clear();
  out.now = ui::machine_now_in(documents.now);
  sort_by_urgency(out.advised, out.now.pull_disks);
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

Status::Verdict Status::verdict() const {
  if (eyes.watching.empty()) return Verdict::blind;
  const bool acted_on =
      std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return !p.informs; });
  const bool ill = std::any_of(now.pools.begin(), now.pools.end(),
                               [](const ui::PoolNow& pool) { return !pool.well; });
  if (acted_on || ill || !now.held.empty() || !now.unanswering.empty() || !now.maintenance.empty())
    return Verdict::problems;
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
  *exit_status = 3;  // "unknown", until all queries are answered
  StatusDocuments documents;
  for (auto [method, into] : {std::pair{"GetConfig", &documents.config},
                              {"ListPlugins", &documents.plugins},
                              {"ListOutbox", &documents.outbox},
                              {"ListActions", &documents.actions}}) {
    auto answer = client.query(method);
    if (!answer) return tl::unexpected(answer.error());
    *into = std::move(*answer);
  }
  const auto cases = client.query("ListCases", {{"no_evidence", true}});
  if (!cases) return tl::unexpected(cases.error());
  for (const nlohmann::json& doc : *cases) {
    auto c = case_from_json(doc);
    if (!c) return tl::unexpected(c.error());
    documents.cases.push_back(std::move(*c));
    documents.advice.push_back(ui::advice_in(doc));
  }
  // An older fmd lacks this method.
  if (auto answer = client.query("GetStatus"))
    documents.now = std::move(*answer);
  else if (client.away())
    return tl::unexpected(answer.error());
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const Status now = status_of(documents, *inventory);
  const auto verdict = now.verdict();
  *exit_status = verdict == Status::Verdict::ok ? 0 : verdict == Status::Verdict::blind ? 3 : 1;
  if (!json) return print(status_text(now));
  nlohmann::json doc = status_json(now);
  for (const char* name :
       {"pools", "held", "maintenance", "pull_order", "old_disks", "unanswering"})
    if (documents.now.contains(name)) doc[name] = documents.now[name];
  return print(json_text(doc));
}

}  // namespace fmd::cli
