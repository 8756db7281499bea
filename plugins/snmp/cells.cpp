#include "plugins/snmp/cells.h"

#include <cmath>
#include <ctime>

#include "fmd/base/text.h"

namespace fmd::snmp {
namespace {

constexpr size_t kLongestAdminString = 255;  // SnmpAdminString (RFC 3411)
constexpr size_t kLongestText = 1024;
constexpr int64_t kSecond = 1000000000;

char octet(int64_t value) {
  return static_cast<char>(static_cast<unsigned char>(value));
}

}  // namespace

std::string admin_string(std::string_view text) {
  return whole_utf8(display(text, kLongestAdminString), kLongestAdminString);
}

std::string long_text(std::string_view text) {
  return whole_utf8(display(text, kLongestText), kLongestText);
}

std::string serial_string(std::string_view told) {
  return told == "(root only)" ? std::string() : admin_string(told);
}

std::string date_and_time(int64_t wall_ns) {
  if (wall_ns <= 0) return std::string(8, '\0');
  const time_t seconds = wall_ns / kSecond;
  tm utc{};
  gmtime_r(&seconds, &utc);
  const int year = utc.tm_year + 1900;
  return {octet(year >> 8),
          octet(year & 0xFF),
          octet(utc.tm_mon + 1),
          octet(utc.tm_mday),
          octet(utc.tm_hour),
          octet(utc.tm_min),
          octet(utc.tm_sec),
          octet(wall_ns / (kSecond / 10) % 10),
          '+',
          0,
          0};
}

Oid text_index(std::string_view text) {
  Oid index{text.size()};
  for (const char c : text) index.push_back(static_cast<unsigned char>(c));
  return index;
}

std::optional<int32_t> scaled(const Resource& part, std::string_view property, int digits,
                              int64_t most) {
  const auto at = part.properties.find(property);
  if (at == part.properties.end()) return {};
  double value = NAN;
  if (const auto* whole = std::get_if<int64_t>(&at->second)) value = static_cast<double>(*whole);
  if (const auto* count = std::get_if<uint64_t>(&at->second)) value = static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&at->second)) value = *real;
  value = std::round(value * std::pow(10, digits));
  if (!(std::abs(value) <= static_cast<double>(most))) return {};
  return static_cast<int32_t>(value);
}

}  // namespace fmd::snmp
