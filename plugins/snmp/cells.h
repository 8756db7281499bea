// Values as SNMP has them. Pure.
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
// The same up to 1024 bytes (FMD-STATUS-MIB's FmdText).
std::string long_text(std::string_view text);
// A serial number as an SnmpAdminString; "" when fmd tells it only to root.
std::string serial_string(std::string_view told);
// DateAndTime of 11 octets, in UTC; of 8 zeros when there is no time.
std::string date_and_time(int64_t wall_ns);
constexpr int32_t truth_value(bool yes) {
  return yes ? 1 : 2;
}
// An index made of a text: its length, then its bytes.
Oid text_index(std::string_view text);
// In units of 10^-digits, when it is a number and fits; for 32 bits it is not cut to another value.
std::optional<int32_t> scaled(const Resource& part, std::string_view property, int digits,
                              int64_t most = 2147483647);
inline Cell or_none(std::optional<int32_t> value) {
  return value ? Cell(*value) : Cell();
}

}  // namespace fmd::snmp
