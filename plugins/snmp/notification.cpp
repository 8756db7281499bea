#include "plugins/snmp/notification.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fmd/base/text.h"
#include "plugins/sdk/notice.h"
#include "plugins/snmp/cells.h"

namespace fmd::snmp {
namespace {

// In the order of their numbers in fmdNotifications, from 1.
constexpr std::array<std::string_view, 6> kEvents = {"diagnosed", "updated",  "repaired",
                                                     "resolved",  "reminder", "test"};

// Numbers in fmdNotifications from 7.
constexpr std::array<std::string_view, 8> kHappenings = {
    "resilver-finished", "resilver-started", "spare-activated", "disk-inserted",
    "disk-removed",      "scrub-errors",     "plugin-silent",   "led-failed"};

using Objects = std::vector<std::pair<unsigned long, std::string>>;  // by number in fmdObjects

Result<Notification> of_happening(const sdk::Notice& notice) {
  const auto* event = std::find(kHappenings.begin(), kHappenings.end(), notice.event);
  if (event == kHappenings.end())
    return fail("FMD-MIB has no notification for the event \"" + display(notice.event) + "\"");
  Notification out;
  const auto number =
      static_cast<unsigned long>(kEvents.size() + 1 + (event - kHappenings.begin()));
  out.trap = below(fmd_mib(), {0, number});
  Objects objects{{12, notice.of_happening("pool")},
                  {13, notice.of_happening("health")},
                  {14, notice.of_happening("result")},
                  {8, notice.subject},
                  {9, notice.event},
                  {10, format_time_iso(notice.time_ns)},
                  {11, notice.key}};
  // The first happening has no further objects.
  if (event != kHappenings.begin())
    objects.insert(objects.end(), {{5, notice.of_happening("part")},
                                   {6, notice.of_happening("location")},
                                   {7, notice.of_happening("serial")},
                                   {15, notice.of_happening("detail")}});
  for (const auto& [arc, value] : objects)
    out.objects.emplace_back(below(fmd_mib(), {1, arc, 0}), admin_string(value));
  return out;
}

}  // namespace

Result<Notification> notification_of(const sdk::Notice& notice) {
  if (notice.is_happening()) return of_happening(notice);
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

}  // namespace fmd::snmp
