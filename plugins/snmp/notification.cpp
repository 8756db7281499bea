#include "plugins/snmp/notification.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fmd/base/text.h"

namespace fmd::snmp {
namespace {

constexpr size_t kLongest = 255;  // SnmpAdminString (RFC 3411)

// fmdMIB: netSnmpPlaypen (net-snmp's arc for private use) . 363
const Oid kBase{1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 363};

// Their number in fmdNotifications is the place here, from 1.
constexpr std::array<std::string_view, 6> kEvents = {"diagnosed", "updated",  "repaired",
                                                     "resolved",  "reminder", "test"};

Oid below_base(std::initializer_list<unsigned long> arcs) {
  Oid oid = kBase;
  oid.insert(oid.end(), arcs);
  return oid;
}

}  // namespace

std::string admin_string(std::string_view text) {
  std::string shown = display(text, kLongest);
  if (shown.size() <= kLongest) return shown;
  size_t size = kLongest;
  while ((static_cast<unsigned char>(shown[size]) & 0xC0) == 0x80) --size;
  shown.resize(size);
  return shown;
}

Result<Notification> notification_of(const sdk::Notice& notice) {
  const auto* event = std::find(kEvents.begin(), kEvents.end(), notice.event);
  if (event == kEvents.end())
    return fail("FMD-MIB has no notification for the event \"" + display(notice.event) + "\"");
  Notification out;
  out.trap = below_base({0, static_cast<unsigned long>(event - kEvents.begin()) + 1});
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
    out.objects.emplace_back(below_base({1, i + 1, 0}), admin_string(values[i]));
  return out;
}

}  // namespace fmd::snmp
