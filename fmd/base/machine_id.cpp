#include "fmd/base/machine_id.h"

#include <optional>

#include "fmd/base/sha256.h"

namespace fmd {
namespace {

// fmd's own application id: 3d2f0c9e-7a51-4f6b-9c1e-5be0a4c6d217. Must never change.
constexpr std::string_view kApplication =
    "\x3d\x2f\x0c\x9e\x7a\x51\x4f\x6b\x9c\x1e\x5b\xe0\xa4\xc6\xd2\x17";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::string> bytes_of(std::string_view content) {
  while (!content.empty() && (content.back() == '\n' || content.back() == ' '))
    content.remove_suffix(1);
  if (content.size() != 32) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < content.size(); i += 2) {
    const int high = digit(content[i]), low = digit(content[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

}  // namespace

std::string machine_name(std::string_view content) {
  const auto key = bytes_of(content);
  if (!key || key->find_first_not_of('\0') == key->npos) return "host";
  Sha256 sum = hmac_sha256(*key, kApplication);
  sum[6] = (sum[6] & 0x0f) | 0x40;  // a UUID of version 4
  sum[8] = (sum[8] & 0x3f) | 0x80;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[sum[i] >> 4];
    out += kDigits[sum[i] & 0x0f];
  }
  return out;
}

}  // namespace fmd
