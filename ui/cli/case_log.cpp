// The fault log: changes of cases, in chronological order.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/case.h"
#include "fmd/model/fmri.h"
#include "ui/cli/advised_action.h"
#include "ui/cli/case_text.h"
#include "ui/cli/commands.h"
#include "ui/cli/event_log.h"
#include "ui/cli/layout.h"
#include "ui/client/advice.h"

namespace fmd::cli {
namespace {

struct LoggedCase {
  Case c;
  std::optional<ui::Advice> advice;  // as it is now; nothing: an older fmd
};

struct Entry {
  int64_t time_ns;
  std::string event;  // "diagnosed", ...
  std::string text;
  const Case* c;
  const ui::Advice* advice;
};

// The message sent for this entry of the timeline; "" if none. A verdict on one of several suspects
// is an update, and so is a finding after the first diagnosis.
std::string news_of(std::string_view kind, bool diagnosed_before) {
  if (kind == "diagnosed") return diagnosed_before ? "updated" : "diagnosed";
  if (kind == "replaced" || kind == "acquitted") return "repaired";
  return kind == "updated" || kind == "repaired" || kind == "resolved" ? std::string(kind) : "";
}

// "fault.fs.*" matches everything below it, "*" everything.
bool matches(std::string_view glob, std::string_view name) {
  if (glob.empty() || glob == name) return true;
  if (!glob.ends_with('*')) return false;
  glob.remove_suffix(1);
  return name.starts_with(glob);
}

bool concerns(const Case& c, const DumpOptions& options) {
  return std::any_of(c.suspects.begin(), c.suspects.end(),
                     [&](const Suspect& s) { return matches(options.class_glob, s.fault_class); });
}

std::vector<Entry> entries_of(const std::vector<LoggedCase>& cases, const DumpOptions& options) {
  std::vector<Entry> entries;
  for (const auto& [c, advice] : cases) {
    if (!options.class_glob.empty() && !concerns(c, options)) continue;
    bool diagnosed = false;
    for (const TimelineEntry& t : c.timeline) {
      const std::string event = news_of(t.kind, diagnosed);
      diagnosed = diagnosed || event == "diagnosed";
      if (!event.empty() && t.time_ns >= options.from_ns.value_or(INT64_MIN) &&
          t.time_ns <= options.to_ns.value_or(INT64_MAX))
        entries.push_back({t.time_ns, event, t.text, &c, advice ? &*advice : nullptr});
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
  if (options.max > 0 && entries.size() > options.max)
    entries.erase(entries.begin(), entries.end() - static_cast<ptrdiff_t>(options.max));
  return entries;
}

std::string case_head() {
  return fmt::format("{:<20} {:<36} {:<11} {}\n", "TIME", "UUID", "MSG-ID", "EVENT");
}

std::string suspect_text(const Suspect& s) {
  const std::string fru = fru_words(s);
  return fmt::format("  {:>3}%  {}\n\n", s.certainty, clean(s.fault_class)) +
         "        Problem in: " + clean(fmri_words(s.resource)) +
         "\n           Affects: " + clean(fmri_words(s.asru.empty() ? s.resource : s.asru)) +
         "\n               FRU: " + clean(s.fru_path.empty() ? s.fru : s.fru_path) +
         "\n          Location: " + (s.location.empty() ? "-" : clean(s.location)) + "\n\n";
}

std::string entry_text(const Entry& e, int verbosity) {
  std::string event = e.event;
  event[0] = static_cast<char>(event[0] - 'a' + 'A');
  std::string out = pad(format_time_fma(e.time_ns), 20) + ' ' + pad(clean(e.c->uuid), 36) + ' ' +
                    pad(e.c->code.empty() ? "-" : clean(e.c->code), 11) + ' ' + event + '\n';
  if (verbosity == 0) return out;
  for (const Suspect& s : e.c->suspects) out += suspect_text(s);
  if (verbosity < 2) return out;
  for (const auto& [name, text] : {std::pair{"Event", &e.text},
                                   {"Description", &e.c->description},
                                   {"Response", &e.c->response},
                                   {"Impact", &e.c->impact}})
    if (!text->empty()) out += field(name, clean_prose(*text));
  return out + action_field(*e.c, e.advice) + '\n';
}

std::string entry_json(const Entry& e) {
  nlohmann::json doc{{"time", e.time_ns}, {"uuid", e.c->uuid}, {"code", e.c->code},
                     {"event", e.event},  {"text", e.text},    {"severity", e.c->severity}};
  doc["suspects"] = to_json(*e.c)["suspects"];
  return json_line(doc);
}

Result<std::vector<LoggedCase>> fetch(Client& client, const std::string& uuid) {
  nlohmann::json filter{{"all", true}};
  if (!uuid.empty()) filter["uuid"] = uuid;
  const auto docs = client.query("ListCases", filter);
  if (!docs) return tl::unexpected(docs.error());
  std::vector<LoggedCase> cases;
  for (const auto& doc : *docs) {
    auto c = case_from_json(doc);
    if (!c) return tl::unexpected(c.error());
    cases.push_back({std::move(*c), ui::advice_in(doc)});
  }
  return cases;
}

using Seen = std::set<std::tuple<std::string, int64_t, std::string>>;

// Prints the entries not shown before.
Result<void> show(const std::vector<LoggedCase>& cases, const DumpOptions& options, Seen& seen) {
  for (const Entry& e : entries_of(cases, options)) {
    if (!seen.emplace(e.c->uuid, e.time_ns, e.event).second) continue;
    if (auto said = print(options.json ? entry_json(e) : entry_text(e, options.verbosity)); !said)
      return said;
  }
  return {};
}

// The fault classes of the rules, and of cases from earlier rules.
Result<void> check_class(Client& client, const std::vector<LoggedCase>& cases,
                         const std::string& glob) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  std::set<std::string> classes;
  for (const auto& rule : config->value("rules", nlohmann::json::array()))
    classes.insert(fmd::json_text(rule, "fault"));
  for (const LoggedCase& one : cases)
    for (const Suspect& s : one.c.suspects) classes.insert(s.fault_class);
  const bool known = std::any_of(classes.begin(), classes.end(),
                                 [&](const std::string& name) { return matches(glob, name); });
  if (known || classes.empty()) return {};
  const auto near = nearest(glob, {classes.begin(), classes.end()});
  return fail(fmt::format("no fault class is called \"{}\"{}{}", display(glob),
                          near ? fmt::format("; is \"{}\" meant?", *near) : "",
                          glob.starts_with("fault.") || glob.starts_with("defect.")
                              ? ""
                              : "; -e is for classes of events"));
}

}  // namespace

Result<void> dump_cases(Client& client, const DumpOptions& options) {
  if (options.follow)
    if (auto done = client.subscribe(); !done) return done;
  Seen seen;
  const auto cases = fetch(client, options.uuid);
  if (!cases) return tl::unexpected(cases.error());
  if (!options.class_glob.empty())
    if (auto known = check_class(client, *cases, options.class_glob); !known) return known;
  if (!options.json)
    if (auto said = print(case_head()); !said) return said;
  if (auto shown = show(*cases, options, seen); !shown) return shown;
  DumpOptions later = options;
  later.max = 0;  // the limit is only for past entries
  while (options.follow) {
    auto news = client.wait(60000);
    if (!news) return tl::unexpected(news.error());
    if (news->signal != "CaseChanged") continue;
    if (!options.uuid.empty() && news->subject != options.uuid) continue;
    const auto changed = fetch(client, news->subject);
    if (!changed) return tl::unexpected(changed.error());
    if (auto shown = show(*changed, later, seen); !shown) return shown;
  }
  return {};
}

}  // namespace fmd::cli
