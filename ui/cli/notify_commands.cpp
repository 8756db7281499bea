#include "ui/cli/notify_commands.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "ui/cli/about_part.h"
#include "ui/cli/arguments.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

using Doc = nlohmann::json;

std::string words_of(const Doc& list) {
  std::string out;
  if (list.is_array())
    for (const Doc& word : list)
      if (word.is_string()) out += (out.empty() ? "" : ", ") + word.get<std::string>();
  return out;
}

// "from Major on, pool tank, 22:00-06:00". Without events, only messages about cases are matched.
std::string match_words(const Doc& when) {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (const Doc events = when.value("events", Doc::array()); !events.empty()) add(words_of(events));
  if (const std::string least = fmd::json_text(when, "severity"); least != "Minor")
    add("from " + least + " on");
  for (const char* key : {"class", "part", "bay", "pool", "chassis", "days"})
    if (when.contains(key)) add(std::string(key) + " " + words_of(when[key]));
  if (const std::string hours = fmd::json_text(when, "time"); !hours.empty()) add(hours);
  return out.empty() ? "all cases" : out;
}

std::string target_words(const Doc& rule) {
  const std::string channels = words_of(rule.value("channels", Doc::array()));
  const std::string to = words_of(rule.value("recipients", Doc::array()));
  if (channels.empty()) return "nobody";
  return to == "default" ? channels : channels + " to " + to;
}

std::string rules_text(const Doc& config) {
  Table table({"EVENTS", "SENT BY", "RULE"});
  const Doc channels = config.value("notify", Doc::object());
  const Doc rules = config.value("notify_rules", Doc::array());
  for (const auto& [name, channel] : channels.items())
    table.add({match_words(channel), name, "[notify." + name + "]"});
  for (const Doc& rule : rules)
    table.add({match_words(rule.value("when", Doc::object())), target_words(rule),
               fmd::json_text(rule, "name") +
                   (fmd::json_bool(rule, "continue") ? ", and the rules below" : "")});
  return table.empty() ? "No messages are sent.\n" : table.text();
}

std::string escalations_text(const Doc& config) {
  Table table({"NOT ACKNOWLEDGED", "FOR", "SENT AGAIN BY", "EVERY"});
  const Doc escalations = config.value("escalate", Doc::array());
  for (const Doc& e : escalations) {
    const int64_t every = fmd::json_int(e, "every");
    table.add({match_words(e.value("when", Doc::object())),
               format_duration(fmd::json_int(e, "after")), target_words(e),
               every > 0 ? format_duration(every) : "once"});
  }
  return table.empty() ? "No reminders are sent.\n" : table.text();
}

std::string warnings_text(const Doc& config) {
  std::string out;
  for (const Doc& warning : config.value("notify_warnings", Doc::array()))
    if (warning.is_string())
      out += wrapped("", "Warning: " + clean_prose(warning.get<std::string>()), 4);
  return out.empty() ? out : '\n' + out;
}

std::string how_it_stands(const Doc& notice) {
  const std::string state = fmd::json_text(notice, "state");
  if (state == "not-sent") return "not sent";
  if (state == "delivered") {
    const int64_t at = fmd::json_int(notice, "delivered");
    return at > 0 ? "delivered " + format_time_fma(at) : "delivered";
  }
  if (state == "expired") return "given up, never delivered";
  if (state == "dropped") return "dropped, never delivered";
  if (const int64_t by = fmd::json_int(notice, "digest_by"); state == "gathering" && by > 0)
    return "waits for the digest, at the latest " + format_time_fma(by);
  const int64_t attempts = fmd::json_int(notice, "attempts");
  if (attempts == 0) return "waits for its channel";
  return fmt::format("not delivered yet, {} tr{}", attempts, attempts == 1 ? "y" : "ies");
}

std::string notice_text(const Doc& notice) {
  const auto text = [&notice](const char* key) { return fmd::json_text(notice, key); };
  std::string head = format_time_fma(fmd::json_int(notice, "time")) + " " + clean(text("event"));
  if (!text("channel").empty()) head += " by " + clean(text("channel"));
  if (const std::string to = words_of(notice.value("recipients", Doc::array()));
      !to.empty() && to != "default")
    head += " to " + clean(to);
  std::string out = wrapped("", head + ": " + how_it_stands(notice), 4);
  out += wrapped("    ", clean_prose(text("why")), 4);
  if (!text("reason").empty()) out += wrapped("    ", clean_prose(text("reason")), 4);
  return out;
}

}  // namespace

Result<void> notify_list(Client& client, bool json_wanted) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  if (json_wanted)
    return print(json_text({{"notify", config->value("notify", Doc::object())},
                            {"notify_rules", config->value("notify_rules", Doc::array())},
                            {"escalate", config->value("escalate", Doc::array())},
                            {"warnings", config->value("notify_warnings", Doc::array())}}));
  return print(rules_text(*config) + '\n' + escalations_text(*config) + warnings_text(*config));
}

Result<void> notify_test(Client& client, const std::string& channel, bool json_wanted) {
  const auto answer = client.test_notify(channel);
  if (!answer) return tl::unexpected(answer.error());
  const Doc answers = Doc::parse(*answer, nullptr, false);
  bool failed = !answers.is_array();
  std::string out;
  for (const Doc& one : answers) {
    const bool done = fmd::json_text(one, "status") == "done";
    failed = failed || !done;
    const std::string reason = clean_prose(fmd::json_text(one, "reason"));
    out += wrapped(clean(fmd::json_text(one, "channel")) + ": ",
                   (done ? "taken" : "failed") + (reason.empty() ? "" : ": " + reason), 4);
  }
  if (auto said = print(json_wanted ? json_text(answers) : out); !said) return said;
  return failed ? fail("not every channel took it") : Result<void>{};
}

Result<void> notify_explain(Client& client, const std::string& uuid, bool json_wanted) {
  const bool is_key = uuid.find(':') != uuid.npos;  // a message's key, as in the log
  const auto id = is_key ? Result<std::string>(uuid) : case_id(client, uuid);
  if (!id) return tl::unexpected(id.error());
  const auto notices = client.query("ExplainNotify", {{"uuid", *id}});
  if (!notices) return tl::unexpected(notices.error());
  if (json_wanted) return print(json_text(*notices));
  std::string out;
  for (const Doc& notice : *notices) out += notice_text(notice);
  return print(out.empty() ? "No message about this has been due yet.\n" : out);
}

Result<void> notify_events(Client& client, bool json_wanted) {
  const auto happenings = client.query("ListHappenings");
  if (!happenings) return tl::unexpected(happenings.error());
  if (json_wanted) return print(json_text(*happenings));
  Table table({"TIME", "WHAT", "SENT BY", "UUID"});
  for (const Doc& one : *happenings) {
    std::string told = words_of(one.value("channels", Doc::array()));
    if (told.empty() && fmd::json_text(one, "state") == "held") told = "waits";
    table.add({format_time_fma(fmd::json_int(one, "time")), fmd::json_text(one, "text"),
               told.empty() ? "-" : told, fmd::json_text(one, "uuid")});
  }
  return print(table.empty() ? "There were no events other than cases.\n" : table.text());
}

Result<void> maintenance_list(Client& client, bool json_wanted) {
  const auto windows = client.query("ListMaintenance");
  if (!windows) return tl::unexpected(windows.error());
  if (json_wanted) return print(json_text(*windows));
  Table table({"ID", "OF", "FROM", "UNTIL", "BY", "WHY"});
  for (const Doc& w : *windows) {
    const std::string name = fmd::json_text(w, "name");
    table.add({fmd::json_text(w, "id"), name.empty() ? "host" : name,
               format_time_fma(fmd::json_int(w, "from")),
               format_time_fma(fmd::json_int(w, "until")), fmd::json_text(w, "who"),
               fmd::json_text(w, "reason")});
  }
  return print(table.empty() ? "No maintenance: every message goes out.\n" : table.text());
}

Result<void> maintenance_add(Client& client, const MaintenanceOptions& options, int64_t now_ns,
                             bool json_wanted) {
  const int64_t from = options.from_ns.value_or(now_ns);
  const int64_t until = options.for_ns ? from + *options.for_ns : options.until_ns.value_or(0);
  const Doc window = {
      {"part", options.part}, {"from", from}, {"until", until}, {"reason", options.reason}};
  const auto id = client.add_maintenance(window);
  if (!id) return tl::unexpected(id.error());
  if (json_wanted) return print(json_text({{"id", *id}, {"from", from}, {"until", until}}));
  return print(wrapped(
      "",
      fmt::format("window {}: messages about {} wait until {}; what is still wrong then is "
                  "sent then. End it sooner with: fmadm maintenance end {}",
                  clean(*id), options.part.empty() ? "this host" : shown_name(client, options.part),
                  format_time_fma(until), clean(*id)),
      4));
}

Result<void> maintenance_end(Client& client, const std::string& id) {
  if (auto done = client.end_maintenance(id); !done) return done;
  return print("window " + clean(id) + " ended: messages that waited are sent now\n");
}

}  // namespace fmd::cli
