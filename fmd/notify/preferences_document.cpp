#include "fmd/notify/preferences_document.h"

#include <fmt/format.h>

#include "fmd/base/json.h"

namespace fmd {
namespace {

constexpr std::array kDayNames{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

nlohmann::json match_document(const AlertMatch& when) {
  nlohmann::json doc = {{"severity", when.severity}};
  const auto put = [&doc](const char* name, const auto& words) {
    if (!words.empty()) doc[name] = words;
  };
  put("events", when.events);
  put("class", when.classes);
  put("part", when.parts);
  put("bay", when.bays);
  put("pool", when.pools);
  put("chassis", when.chassis);
  if (when.hours)
    doc["time"] = fmt::format("{:02}:{:02}-{:02}:{:02}", when.hours->from / 60,
                              when.hours->from % 60, when.hours->to / 60, when.hours->to % 60);
  nlohmann::json days = nlohmann::json::array();
  for (size_t i = 0; i < kDayNames.size(); ++i)
    if (when.days[i]) days.push_back(kDayNames[i]);
  if (days.size() < kDayNames.size()) doc["days"] = std::move(days);
  return doc;
}

}  // namespace

nlohmann::json channels_document(const Preferences& preferences) {
  nlohmann::json out = nlohmann::json::object();
  if (!preferences.rules.empty()) return out;
  for (const auto& [name, config] : preferences.channels)
    out[name] = {{"events", config.events}, {"severity", config.severity}};
  return out;
}

nlohmann::json notify_rules_document(const Preferences& preferences) {
  nlohmann::json out = nlohmann::json::array();
  for (const NotifyRule& rule : preferences.rules)
    out.push_back({{"name", rule.name},
                   {"when", match_document(rule.when)},
                   {"channels", rule.channels},
                   {"recipients", rule.recipients},
                   {"continue", rule.goes_on}});
  return out;
}

nlohmann::json escalations_document(const Preferences& preferences) {
  nlohmann::json out = nlohmann::json::array();
  for (const Escalation& e : preferences.escalations)
    out.push_back({{"name", e.name},
                   {"when", match_document(e.when)},
                   {"after", e.after_ns},
                   {"every", e.every_ns},
                   {"channels", e.channels},
                   {"recipients", e.recipients}});
  return out;
}

}  // namespace fmd
