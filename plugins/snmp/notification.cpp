#include "plugins/snmp/notification.h"

#include <array>
#include <string_view>

#include "fmd/core/text.h"

namespace fmd::snmp {
namespace {

constexpr size_t kLongest = 255;  // SnmpAdminString (RFC 3411)

// The order is that of the objects in the MIB, numbered from 1, and of the notifications' arcs.
constexpr std::array<std::string_view, 4> kEvents = {"diagnosed", "updated", "repaired",
                                                     "resolved"};

std::string short_text(const std::string& text) {
  std::string shown = display(text);
  while (shown.size() > kLongest) {  // never within a UTF-8 sequence
    shown.pop_back();
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80)
      shown.pop_back();
    if (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0xC0)
      shown.pop_back();
  }
  return shown;
}

Oid below_base(std::initializer_list<unsigned long> arcs) {
  Oid oid = base();
  oid.insert(oid.end(), arcs);
  return oid;
}

}  // namespace

const Oid& base() {
  static const Oid kBase{1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 1};
  return kBase;
}

Result<Notification> notification_of(const sdk::Notice& notice) {
  Notification out;
  for (size_t i = 0; i < kEvents.size(); ++i)
    if (kEvents[i] == notice.event) out.trap = below_base({0, i + 1});
  if (out.trap.empty())
    return fail("no notification for the event \"" + display(notice.event) + "\"");
  std::string bay = notice.of_suspect("location");
  const std::array<std::string, 10> values = {notice.of_case("uuid"),
                                              notice.of_case("code"),
                                              notice.of_case("severity"),
                                              notice.of_suspect("class"),
                                              notice.of_suspect("fru_path"),
                                              bay,
                                              notice.of_suspect("serial"),
                                              notice.subject,
                                              notice.event,
                                              format_time_iso(notice.time_ns)};
  for (size_t i = 0; i < values.size(); ++i)
    out.objects.emplace_back(below_base({1, i + 1, 0}), short_text(values[i]));
  return out;
}

}  // namespace fmd::snmp
