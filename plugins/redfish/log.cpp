#include "plugins/redfish/log.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>

#include "plugins/hardware/time_text.h"
#include "plugins/sdk/messages.h"

namespace fmd::redfish {
namespace {

using nlohmann::json;

// The cursor lists both in one line of the protocol, beside up to 512 KiB of events.
constexpr size_t kMostKnown = 8000, kMostOpen = 200;
constexpr size_t kLongestMessage = 300;
constexpr size_t kDigits = 16;  // of a key

// FNV-1a, which is the same after an update. Collisions harm only the service that makes them.
std::string key_of(std::string_view entry) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : entry) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:0{}x}", hash, kDigits);
}

// Older cursors have the address, Id and time of each entry.
std::string restored_key(const std::string& key) {
  return key.size() == kDigits && key.find('|') == key.npos ? key : key_of(key);
}

// The entry's condition, as in sensor_types.toml, if rules use it.
std::string condition_of(const json& entry, bool critical) {
  const std::string type = text(entry, "SensorType"), id = text(entry, "MessageId");
  if (type == "Memory" || id.starts_with("Memory."))
    return critical ? "memory.uncorrected" : "memory.corrected";
  if (type == "Processor" && critical) return "processor.uncorrectable";
  if (type.starts_with("Watchdog") && critical) return "watchdog.reset";
  return {};
}

std::string message_of(const json& entry) {
  std::string said = text(entry, "Message");
  if (said.empty()) said = text(entry, "MessageId");
  if (said.empty()) said = "an entry without a text";
  if (said.size() > kLongestMessage) said.resize(kLongestMessage);
  return said;
}

std::string origin_of(const json& entry) {
  const std::string origin = link(entry, "Links/OriginOfCondition");
  return origin.empty() ? link(entry, "OriginOfCondition") : origin;
}

// Calls `take` for each entry, whether a page contains it or only links to it.
void each_entry(const Documents& documents, const std::set<std::string>& pages,
                const std::function<void(const std::string& key, const json&)>& take) {
  for (const std::string& page : pages) {
    const auto found = documents.find(page);
    if (found == documents.end()) continue;
    const json& members = at(found->second.body, "Members");
    if (!members.is_array()) continue;
    for (const json& member : members) {
      const std::string uri = text(member, "@odata.id");
      const auto own = documents.find(uri);
      const json& entry = member.size() == 1 && own != documents.end() ? own->second.body : member;
      if (text(entry, "Id").empty() && text(entry, "Created").empty()) continue;
      take(key_of(uri + "|" + text(entry, "Id") + "|" + text(entry, "Created")), entry);
    }
  }
}

}  // namespace

std::optional<int64_t> time_of(const std::string& said) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
  if (sscanf(said.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
             &second, &used) != 6 ||
      year < 1990 || year > 2200)
    return std::nullopt;
  tm parts{};
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  parts.tm_mday = day;
  parts.tm_hour = hour;
  parts.tm_min = minute;
  parts.tm_sec = second;
  int64_t seconds = timegm(&parts);
  std::string rest = said.substr(static_cast<size_t>(used));
  if (rest.starts_with('.')) {
    const size_t end = rest.find_first_not_of("0123456789", 1);
    rest = end == rest.npos ? "" : rest.substr(end);
  }
  int hours = 0, minutes = 0;
  if (sscanf(rest.c_str(), "%3d:%2d", &hours, &minutes) == 2)
    seconds -= hours * 3600 + (rest.front() == '-' ? -minutes : minutes) * 60;
  return seconds * 1'000'000'000;
}

void Log::restore(const std::string& cursor) {
  *this = {};
  const json doc = json::parse(cursor, nullptr, false);
  if (!doc.is_object() || !at(doc, "seen").is_array() || !at(doc, "open").is_object()) return;
  for (const json& key : doc["seen"])
    if (key.is_string()) seen_.insert(restored_key(key.get<std::string>()));
  for (const auto& [key, resource] : doc["open"].items())
    if (resource.is_string()) open_[restored_key(key)] = resource.get<std::string>();
  known_ = true;
}

std::string Log::cursor() const {
  if (!known_) return {};
  return json{{"seen", seen_}, {"open", open_}}.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::vector<sdk::OutEvent> Log::take(const Documents& documents, const std::set<std::string>& pages,
                                     bool whole, const Service& service, const Told& told,
                                     int64_t now_ns) {
  std::vector<sdk::OutEvent> events;
  std::set<std::string> there;
  const bool first = !known_;
  const auto add = [&](std::string event_class, std::string resource, int64_t time, json payload) {
    events.push_back({std::move(event_class), std::move(resource), time, 0, std::move(payload)});
  };
  each_entry(documents, pages, [&](const std::string& key, const json& entry) {
    if (there.size() >= kMostKnown || !there.insert(key).second) return;
    const bool resolved = truth(entry, "Resolved");
    const std::string severity = text(entry, "Severity");
    const bool critical = severity == "Critical", bad = critical || severity == "Warning";
    json payload{
        {"sensor", text(entry, "Name").empty() ? "log entry" : text(entry, "Name")},
        {"sensor_type", text(entry, "SensorType").empty() ? "redfish" : text(entry, "SensorType")},
        {"offset", 0},
        {"text", message_of(entry)},
        {"verdict", critical ? "critical"
                    : bad    ? "warning"
                             : "nominal"},
        {"deasserted", resolved},
        {"record", atoll(text(entry, "Id").c_str())}};
    if (seen_.contains(key)) {  // a reported problem may be over
      const auto open = open_.find(key);
      if (resolved && open != open_.end()) {
        add("sysevent.ipmi.cleared", open->second, now_ns, std::move(payload));
        open_.erase(open);
      }
      return;
    }
    if (first) return;
    const std::string origin = origin_of(entry);
    const auto part = told.part_of.find(origin);
    const bool has_part = part != told.part_of.end();
    const std::string resource = has_part ? part->second : bmc_fmri(service.system);
    const std::string condition = bad && !resolved ? condition_of(entry, critical) : "";
    const auto created = time_of(text(entry, "Created"));
    const int64_t time = std::min(now_ns, created.value_or(now_ns));
    payload["logged"] = created ? hardware::utc_text(time) : "an unknown time";
    // A part with its own health is judged by that: a log entry may be old, and is not always
    // cleared.
    const bool read = has_part && told.resources.contains(resource);
    if (!condition.empty()) {
      add("ereport.ipmi." + condition, resource, time, std::move(payload));
    } else if (bad && !resolved && !read) {
      if (open_.size() < kMostOpen) open_[key] = resource;
      add("ereport.ipmi.state", resource, time, std::move(payload));
    } else {
      add("sysevent.ipmi.entry", resource, time, std::move(payload));
    }
  });
  if (whole) {
    seen_ = std::move(there);
    known_ = true;
  } else if (known_ && seen_.size() < kMostKnown) {  // each poll may return other entries
    seen_.merge(there);
  }
  if (first && known_)
    add("sysevent.ipmi.known", bmc_fmri(service.system), now_ns, {{"entries", seen_.size()}});
  return events;
}

}  // namespace fmd::redfish
