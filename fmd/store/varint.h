// Integers in as few bytes as possible, seven bits per byte. Internal to the store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fmd::store {

inline void put_varint(uint64_t number, std::string& out) {
  while (number >= 0x80) {
    out += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

inline void put_text(std::string_view text, std::string& out) {
  put_varint(text.size(), out);
  out += text;
}

inline bool take_varint(std::string_view& from, uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

inline bool take_text(std::string_view& from, std::string_view& text) {
  uint64_t size = 0;
  if (!take_varint(from, size) || size > from.size()) return false;
  text = from.substr(0, size);
  from.remove_prefix(size);
  return true;
}

// Maps small negative numbers to small unsigned ones.
inline uint64_t zigzag(uint64_t number) {
  return (number << 1) ^ (uint64_t{0} - (number >> 63));
}
inline uint64_t unzigzag(uint64_t number) {
  return (number >> 1) ^ (uint64_t{0} - (number & 1));
}

}  // namespace fmd::store
