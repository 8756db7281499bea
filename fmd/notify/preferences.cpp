#include "fmd/notify/preferences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>

#include "fmd/base/duration.h"
#include "fmd/base/glob.h"
#include "fmd/base/lower_case.h"
#include "fmd/base/text.h"
#include "fmd/notify/case_event.h"

namespace fmd {
namespace {

bool any_matches(const std::vector<std::string>& globs, const AlertFacts::Words& words) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return std::any_of(words.begin(), words.end(),
                              [&](const std::string& word) { return glob_matches(glob, word); });
         });
}

void put(AlertFacts::Words& words, const std::string& word) {
  if (!word.empty()) words.insert(word);
}

void add_suspect(AlertFacts& facts, const Suspect& s, const Inventory& inventory) {
  put(facts.classes, s.fault_class);
  put(facts.parts, s.serial);
  put(facts.bays, s.location);
  add_bay(facts, s.bay, inventory);
  if (const auto pool = s.facts.find("pool"); pool != s.facts.end()) put(facts.pools, pool->second);
  for (const std::string& part : {s.resource, s.asru, s.fru}) add_part(facts, part, inventory);
}

std::string join(const AlertFacts::Words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// Decides by [notify.NAME].
void ask_channels(const Preferences& preferences, const AlertFacts& facts, Decision& out) {
  for (const auto& [name, config] : preferences.channels) {
    if (config.events.count(facts.event) == 0)
      out.unsent.push_back({name, fmt::format("[notify.{}] lists {}, not \"{}\"", name,
                                              join(config.events), facts.event)});
    else if (severity_rank(facts.severity) < severity_rank(config.severity))
      out.unsent.push_back({name, fmt::format("[notify.{}] is told from {} on; this is {}", name,
                                              config.severity, facts.severity)});
    else
      out.targets.push_back(
          {name, {std::string(kDefaultRecipients)}, fmt::format("[notify.{}]", name)});
  }
}

void aim(Decision& out, const std::string& channel, const Recipients& to, const std::string& why) {
  if (to.empty()) return;
  const auto at = std::find_if(out.targets.begin(), out.targets.end(),
                               [&](const Target& t) { return t.channel == channel; });
  if (at == out.targets.end()) {
    out.targets.push_back({channel, to, why});
    return;
  }
  const size_t before = at->recipients.size();
  at->recipients.insert(to.begin(), to.end());
  if (at->recipients.size() > before && at->why.find(why) == at->why.npos) at->why += ", " + why;
}

std::string rule_name(const NotifyRule& rule) {
  return fmt::format("rule \"{}\"", rule.name);
}

// Decides by the rules; returns the rule's name, or "" if none matches.
std::string ask_rules(const Preferences& preferences, const AlertFacts& facts, int64_t wall_ns,
                      Decision& out) {
  std::string decided;
  for (const NotifyRule& rule : preferences.rules) {
    if (!rule.when.matches(facts) || !rule.when.matches_time(wall_ns)) continue;
    for (const std::string& channel : rule.channels)
      aim(out, channel, rule.recipients, rule_name(rule));
    decided += (decided.empty() ? "" : ", ") + rule_name(rule);
    if (!rule.goes_on) break;
  }
  return decided;
}

// Adds recipients who got earlier messages about the case, by rules that do not apply at this hour.
void keep_up(const Preferences& preferences, const AlertFacts& facts,
             const std::set<std::pair<std::string, std::string>>& told, Decision& out) {
  for (const NotifyRule& rule : preferences.rules) {
    if (!rule.when.matches(facts)) continue;
    for (const std::string& channel : rule.channels) {
      Recipients known;
      for (const std::string& to : rule.recipients)
        if (told.count({channel, to}) != 0) known.insert(to);
      aim(out, channel, known, rule_name(rule) + ", told before");
    }
    if (!rule.goes_on && rule.when.always()) break;
  }
}

// The channels that get messages of this event about some cases.
AlertFacts::Words channels_of(const Preferences& preferences, const char* event) {
  AlertFacts::Words out;
  if (preferences.rules.empty())
    for (const auto& [name, config] : preferences.channels)
      if (config.events.contains(event)) out.insert(name);
  for (const NotifyRule& rule : preferences.rules)
    if (rule.when.events.empty() || rule.when.events.contains(event))
      out.insert(rule.channels.begin(), rule.channels.end());
  return out;
}

}  // namespace

std::vector<std::string> preference_warnings(const Preferences& preferences) {
  std::vector<std::string> out;
  const AlertFacts::Words updated = channels_of(preferences, "updated");
  for (const std::string& name : channels_of(preferences, "diagnosed"))
    if (!updated.contains(name))
      out.push_back(
          fmt::format("{} omits 'updated': it brings the message that a disk can be pulled", name));
  return out;
}

std::set<std::string, std::less<>> groups_above(const Inventory& inventory, std::string_view fmri) {
  std::set<std::string, std::less<>> seen;
  std::vector<std::string> open;
  if (!fmri.empty()) open.emplace_back(fmri);
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    if (!seen.insert(next).second) continue;
    for (const Resource* above : inventory.parents(next, Relation::redundancy))
      open.push_back(above->fmri);
  }
  return seen;
}

void add_part(AlertFacts& facts, const std::string& part, const Inventory& inventory) {
  put(facts.parts, part);
  for (const std::string& group : groups_above(inventory, part))
    if (const Resource* r = inventory.find(group); r && group.find("/vdev=") == group.npos)
      if (r->type.ends_with("pool") || r->type.ends_with("array")) put(facts.pools, r->get("name"));
}

void add_bay(AlertFacts& facts, const std::string& bay, const Inventory& inventory) {
  put(facts.bays, bay);
  const size_t end = bay.find("/bay=");
  if (end == bay.npos) return;
  const std::string chassis = bay.substr(0, end);
  put(facts.chassis, chassis);
  if (const Resource* box = inventory.find(chassis)) {
    put(facts.chassis, box->get("id"));
    put(facts.chassis, box->get("label"));
    // For rules from the time when machines were named by DMI UUID or serial number.
    if (const Resource* system = inventory.find("hc://system=" + box->get("id"))) {
      put(facts.chassis, lower_case(system->get("uuid")));
      put(facts.chassis, system->get("serial"));
    }
  }
}

AlertFacts facts_of(const Case& c, std::string_view event, const Inventory& inventory) {
  AlertFacts facts;
  facts.event = event;
  facts.severity = c.severity;
  put(facts.classes, c.fault_class);
  for (const Suspect& s : c.suspects) add_suspect(facts, s, inventory);
  return facts;
}

bool AlertMatch::matches(const AlertFacts& facts) const {
  const bool told =
      events.empty() ? parse_case_event(facts.event).has_value() : events.count(facts.event) != 0;
  return told && severity_rank(facts.severity) >= severity_rank(severity) &&
         any_matches(classes, facts.classes) && any_matches(parts, facts.parts) &&
         any_matches(bays, facts.bays) && any_matches(pools, facts.pools) &&
         any_matches(chassis, facts.chassis);
}

bool AlertMatch::matches_time(int64_t wall_ns) const {
  const time_t seconds = wall_ns / kSecondNs;
  struct tm local {};
  localtime_r(&seconds, &local);
  if (!days[static_cast<size_t>(local.tm_wday)]) return false;
  if (!hours) return true;
  const int minute = local.tm_hour * 60 + local.tm_min;
  const bool over_midnight = hours->from > hours->to;
  return over_midnight ? minute >= hours->from || minute < hours->to
                       : minute >= hours->from && minute < hours->to;
}

bool AlertMatch::always() const {
  return !hours && std::all_of(days.begin(), days.end(), [](bool day) { return day; });
}

AlertFacts::Words Preferences::all_channels() const {
  AlertFacts::Words out;
  if (rules.empty())
    for (const auto& [name, config] : channels) out.insert(name);
  for (const NotifyRule& rule : rules) out.insert(rule.channels.begin(), rule.channels.end());
  return out;
}

Preferences Preferences::with_known(
    const std::function<bool(std::string_view plugin)>& is_known) const {
  Preferences out = *this;
  std::erase_if(out.channels, [&](const auto& entry) {
    return entry.second.needs_plugin && !is_known(entry.first);
  });
  return out;
}

Decision decide(const Preferences& preferences, const AlertFacts& facts, int64_t wall_ns,
                const std::set<std::pair<std::string, std::string>>& told) {
  Decision out;
  if (preferences.rules.empty()) {
    ask_channels(preferences, facts, out);
    return out;
  }
  const std::string decided = ask_rules(preferences, facts, wall_ns, out);
  keep_up(preferences, facts, told, out);
  for (const std::string& channel : preferences.all_channels()) {
    if (std::any_of(out.targets.begin(), out.targets.end(),
                    [&](const Target& t) { return t.channel == channel; }))
      continue;
    out.unsent.push_back({channel, decided.empty() ? "no [[notify]] rule matches it"
                                                   : decided + " decides and does not name it"});
  }
  if (out.targets.empty() && out.unsent.empty())
    out.unsent.push_back({"", "no channel is configured"});
  return out;
}

}  // namespace fmd
