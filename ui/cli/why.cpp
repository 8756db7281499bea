// fmadm why: the reasoning of a case as a tree, and what may have caused it, with odds.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspect_text.h"
#include "ui/cli/arguments.h"
#include "ui/cli/case_state.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/odds_text.h"
#include "ui/cli/why_text.h"

namespace fmd::cli {
namespace {

std::string line(size_t depth, const std::string& text) {
  const std::string indent(2 * depth, ' ');
  return wrapped(indent, text, 2 * depth + 4, width());
}

std::string fact(const Suspect& s, std::string_view name) {
  const auto at = s.facts.find(name);
  return at == s.facts.end() ? "" : clean_prose(at->second);
}

// The deciding numbers, as of the verdict.
std::string numbers(const Case& c, const Suspect& s) {
  if (const std::string failing = fact(s, "failing"); !failing.empty()) {
    const std::string elsewhere = fact(s, "elsewhere");
    return fmt::format("{} parts that hang on it failed within {}{}{}: {}", failing,
                       fact(s, "span"), elsewhere.empty() ? "" : "; ", elsewhere, fact(s, "parts"));
  }
  if (const std::string value = fact(s, "value"); !value.empty()) {
    const std::string limit = fact(s, "limit"), baseline = fact(s, "baseline");
    const std::string from = fact(s, "from");
    return (s.facts.contains(kFoundSo) ? "it was so when fmd first saw it: its value was "
                                       : "its value was ") +
           value + (baseline.empty() ? "" : ", grown from " + baseline) +
           (limit.empty()  ? ""
            : from.empty() ? ", the limit is " + limit
                           : ", a fault from " + from + " on");
  }
  const std::string count = fact(s, "count"), within = fact(s, "within");
  if (count.empty() || count == "0" || c.evidence.empty()) return {};
  return count + (count == "1" ? " event" : " events") +
         (within.empty() ? "" : " within " + within) + ", such as " +
         clean(c.evidence.front().event_class);
}

std::string suspect_text(const Case& c, const Suspect& s, const Inventory& inventory) {
  const std::string& part = s.fru.empty() ? s.resource : s.fru;
  std::string out = line(1, fmt::format("{}% {}: {}, {}", s.certainty, part_words(inventory, part),
                                        clean(s.fault_class), status_name(s.status)));
  if (const std::string why = numbers(c, s); !why.empty()) out += line(3, why);
  if (s.status == SuspectStatus::faulty && !s.undecided.empty())
    out += line(3, "not decided: " + clean_prose(s.undecided));
  return out;
}

std::string told(const TimelineEntry& entry) {
  return fmt::format("{} {}: {}", format_time_fma(entry.time_ns), clean(entry.kind),
                     clean_prose(entry.text));
}

// Entries that delayed, dismissed or ended an accusation; excludes actions.
bool is_reasoning(const TimelineEntry& entry) {
  constexpr std::string_view kReasons[] = {"waiting",  "explained", "diagnosed", "updated",
                                           "merged",   "acquitted", "repaired",  "replaced",
                                           "resolved", "note"};
  return std::find(std::begin(kReasons), std::end(kReasons), entry.kind) != std::end(kReasons);
}

// The values that rules about properties saw, also for parts that the case explains: after it has
// ended these have no case of their own.
std::string seen_text(const Case& c, const Inventory& inventory) {
  constexpr size_t kMostSeen = 12;
  if (c.observations.size() < 2) return {};
  std::string out = "\nSeen:\n";
  for (size_t i = 0; i < std::min(c.observations.size(), kMostSeen); ++i) {
    const Observation& o = c.observations[i];
    out += line(1, part_words(inventory, o.resource) + ": " + clean_prose(o.text()));
  }
  if (c.observations.size() > kMostSeen)
    out += line(1, fmt::format("and {} more: fmadm faulty -v", c.observations.size() - kMostSeen));
  return out;
}

std::string explained_text(const Case& child) {
  std::string out;
  for (const TimelineEntry& entry : child.timeline)
    if (entry.kind == "waiting") {
      out = clean_prose(entry.text.substr(0, entry.text.find(';')));
      break;
    }
  if (out.empty() && !child.rules.empty()) out = "rule " + clean(child.rules.front());
  if (child.evidence_count > 0) out += ", " + counted(child.evidence_count, "event");
  return line(1, out);
}

}  // namespace

std::string reasoning(const Case& c, const std::vector<Case>& explains,
                      const Inventory& inventory) {
  const std::string& title = c.title.empty() ? c.description : c.title;
  std::string out = line(0, (title.empty() ? "Nothing is accused yet" : clean_prose(title)) +
                                (c.code.empty() ? "" : " (" + clean(c.code) + ")"));
  out += line(0, clean(c.uuid) + ", " + case_state_text(c, inventory));
  std::string rules;
  for (const std::string& rule : c.rules) rules += (rules.empty() ? "" : ", ") + clean(rule);
  if (!c.suspects.empty())
    out += "\n" +
           line(0, fmt::format("Accused, by rule{} {}:", c.rules.size() == 1 ? "" : "s", rules));
  for (const Suspect& s : c.suspects) out += suspect_text(c, s, inventory);
  if (c.consequence)
    out += line(1, fmt::format("{}, since it leads to: {}", clean(c.consequence->severity),
                               clean_prose(c.consequence->text)));
  out += seen_text(c, inventory);
  if (!explains.empty()) out += "\nExplained by it, and not accused:\n";
  for (const Case& child : explains) out += explained_text(child);
  out += "\nHow this was determined:\n";
  for (const TimelineEntry& entry : c.timeline)
    if (is_reasoning(entry)) out += line(1, told(entry));
  return out;
}

namespace {

Result<void> why_case(Client& client, const std::string& id, bool json) {
  const auto docs = client.query("ListCases", {{"all", true}});
  if (!docs) return tl::unexpected(docs.error());
  nlohmann::json doc{{"explains", nlohmann::json::array()}};
  std::vector<Case> explains;
  std::optional<Case> found;
  for (const nlohmann::json& one : *docs) {
    auto c = case_from_json(one);
    if (!c) return tl::unexpected(c.error());
    if (c->uuid == id) {
      doc["case"] = one;
      found = std::move(*c);
    } else if (c->explained_by == id) {
      doc["explains"].push_back(one);
      explains.push_back(std::move(*c));
    }
  }
  if (!found) return fail("There is no case " + id + "; all of them: fmadm faulty -a -s");
  const auto accounts = client.query("ListExplanations", {{"uuid", id}});
  doc["explanations"] = accounts ? *accounts : nlohmann::json::array();
  if (json) return accounts ? print(json_text(doc)) : tl::unexpected(accounts.error());
  const auto around = Surroundings::fetch(client);
  if (!around) return tl::unexpected(around.error());
  const std::string odds =
      accounts
          ? odds_text(*accounts, around->inventory)
          : "The odds of its causes are not known: " + clean_prose(accounts.error().text()) + "\n";
  return print(reasoning(*found, explains, around->inventory) + (odds.empty() ? "" : "\n" + odds));
}

Result<void> why_part(Client& client, const std::string& name, bool json) {
  const auto around = Surroundings::fetch(client);
  if (!around) return tl::unexpected(around.error());
  nlohmann::json filter = nlohmann::json::object();
  if (!name.empty()) {
    const auto meant = around->inventory.meant(name);
    if (!meant) return tl::unexpected(meant.error());
    if (meant->empty())
      return fail(
          "\"" + clean(name) +
          "\" is neither a case ('fmadm faulty -a -s' lists them) nor a part ('fmtopo' lists "
          "them)");
    filter["part"] = meant->front()->fmri;
  }
  const auto found = client.query("ListExplanations", filter);
  if (!found) return tl::unexpected(found.error());
  if (json)
    return print(json_text({{"explains", nlohmann::json::array()}, {"explanations", *found}}));
  const std::string odds = odds_text(*found, around->inventory);
  return print(!odds.empty() ? odds
               : name.empty()
                   ? "fmd knows of no disk that fails or returns wrong data.\n"
                   : "fmd compares causes only for disks that fail or return wrong data, and "
                     "knows of none\nat " +
                         clean(name) + ". Its cases: fmadm faulty \"" + clean(name) + "\"\n");
}

}  // namespace

Result<void> why(Client& client, const std::string& what, bool json) {
  if (what.empty()) return why_part(client, what, json);
  const bool may_be_case = is_id_prefix(what);
  const Result<std::string> id =
      may_be_case ? case_id(client, what) : Result<std::string>(fail("no case id"));
  if (id) return why_case(client, *id, json);
  const auto as_part = why_part(client, what, json);
  return as_part || !may_be_case ? as_part : tl::unexpected(id.error());
}

}  // namespace fmd::cli
