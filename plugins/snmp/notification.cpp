#include "plugins/snmp/notification.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fmd/base/text.h"
#include "plugins/snmp/cells.h"

namespace fmd::snmp {
namespace {

// Their number in fmdNotifications is the place here, from 1.
constexpr std::array<std::string_view, 6> kEvents = {"diagnosed", "updated",  "repaired",
                                                     "resolved",  "reminder", "test"};

constexpr unsigned long kResilverFinished = 7;

}  // namespace

Result<Notification> notification_of(const sdk::Notice& notice) {
  const auto* event = std::find(kEvents.begin(), kEvents.end(), notice.event);
  if (event == kEvents.end())
    return fail("FMD-MIB has no notification for the event \"" + display(notice.event) + "\"");
  Notification out;
  out.trap = below(fmd_mib(), {0, static_cast<unsigned long>(event - kEvents.begin()) + 1});
  // In the order of fmdObjects, from 1.
  const std::array<std::string, 11> values = {notice.of_case("uuid"),
                                              notice.of_case("code"),
                                              notice.of_case("severity"),
                                              notice.of_suspect("class"),
                                              notice.of_suspect("fru_path"),
                                              notice.of_suspect("location"),
                                              notice.of_suspect("serial"),
                                              notice.subject,
                                              notice.event,
                                              format_time_iso(notice.time_ns),
                                              notice.key};
  for (size_t i = 0; i < values.size(); ++i)
    out.objects.emplace_back(below(fmd_mib(), {1, i + 1, 0}), admin_string(values[i]));
  return out;
}

Notification notification_of(const Resilvered& resilvered) {
  Notification out;
  out.trap = below(fmd_mib(), {0, kResilverFinished});
  const std::string line = "[fmd] " + resilvered.host + ": the resilver of " + resilvered.pool +
                           " has ended, " + resilvered.health;
  // fmdPool, fmdPoolHealth, fmdScanResult, fmdDescription, fmdEvent, fmdTime, fmdNotificationKey
  const std::array<std::pair<unsigned long, std::string>, 7> values{
      {{12, resilvered.pool},
       {13, resilvered.health},
       {14, resilvered.result},
       {8, line},
       {9, "resilver-finished"},
       {10, format_time_iso(resilvered.time_ns)},
       {11, resilvered.key}}};
  for (const auto& [arc, value] : values)
    out.objects.emplace_back(below(fmd_mib(), {1, arc, 0}), admin_string(value));
  return out;
}

}  // namespace fmd::snmp
