// Values in SNMP's formats. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/model/inventory.h"
#include "plugins/snmp/table.h"

namespace fmd::snmp {

// The text as an SnmpAdminString: control characters escaped, cut between characters.
std::string admin_string(std::string_view text);
// The same, up to 1024 bytes (FMD-STATUS-MIB's FmdText).
std::string long_text(std::string_view text);
// A serial number as an SnmpAdminString; "" if fmd shows it only to root.
std::string serial_string(std::string_view told);
// DateAndTime of 11 octets in UTC, or 8 zeros for no time.
std::string date_and_time(int64_t wall_ns);
constexpr int32_t truth_value(bool yes) {
  return yes ? 1 : 2;
}
// A text as an index: its length, then its bytes.
Oid text_index(std::string_view text);
// In units of 10^-digits; nothing if it is not a number or does not fit (values are not truncated).
std::optional<int32_t> scaled(const Resource& part, std::string_view property, int digits,
                              int64_t most = 2147483647);
inline Cell or_none(std::optional<int32_t> value) {
  return value ? Cell(*value) : Cell();
}

}  // namespace fmd::snmp
