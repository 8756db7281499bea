#include "fmd/model/message_id.h"

#include <array>
#include <cstdint>

namespace fmd {

namespace {

// 128-bit FNV-1a, marked as a UUID made in a way of its own (RFC 9562 § 5.8).
std::string id_of(std::string_view kind, std::string_view name) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kPrime = (static_cast<Wide>(1) << 88) | 0x13b;
  Wide hash = (static_cast<Wide>(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d;
  for (const std::string_view part : {kind, name})
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  std::array<unsigned, 16> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned>(hash >> (8 * (15 - i))) & 0xff;
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  std::string out;
  for (const unsigned byte : bytes) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

}  // namespace

std::string fault_message_id(std::string_view code) {
  return id_of("fmd fault ", code);
}

std::string happening_message_id(std::string_view name) {
  return id_of("fmd event ", name);
}

std::string_view case_message_id(std::string_view event) {
  if (event == "updated") return "43f4aae177f84bc7835fe5e9ba2cc6ce";
  if (event == "repaired") return "e3704cc16bbb46bca5ee2bf786ba6caf";
  return "28fb585219d24811a83b6d1ad09f0a21";
}

}  // namespace fmd
