// Plain JSON, read by a scan over its bytes: no white space between tokens, no escapes in strings.
// Each function takes the first byte of its value and returns the end, or nullptr if only the
// parser can read it. A 0 byte or a line break ends the text, and kReadable bytes from there on can
// be read. The caller ensures valid UTF-8. Internal to the protocol.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fmd::protocol::plain {

inline constexpr size_t kReadable = 64;

inline bool ends_string(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// The first byte that ends a string or is not allowed in one. Checks eight bytes at a time: sets
// the highest bit of each match. A borrow may set it in bytes above a match, never in those below.
inline const char* end_of_string(const char* at) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr uint64_t kOnes = 0x0101010101010101, kHighest = 0x80 * kOnes;
    const auto below = [](uint64_t bytes, uint64_t least) {
      return (bytes - least * kOnes) & ~bytes;
    };
    for (;; at += sizeof(uint64_t)) {
      uint64_t bytes;
      std::memcpy(&bytes, at, sizeof bytes);
      const uint64_t ends =
          (below(bytes, 0x20) | below(bytes ^ '"' * kOnes, 1) | below(bytes ^ '\\' * kOnes, 1)) &
          kHighest;
      if (ends) return at + std::countr_zero(ends) / 8;
    }
  }
  while (!ends_string(*at)) ++at;
  return at;
}

inline const char* read_string(const char* at, std::string_view& out) {
  if (*at != '"') return nullptr;
  const char* const end = end_of_string(++at);
  out = {at, static_cast<size_t>(end - at)};
  return *end == '"' ? end + 1 : nullptr;
}

// Returns the position after `text` if it is at `at`; both must be readable that far.
inline const char* read_text(const char* at, std::string_view text) {
  constexpr size_t kWord = sizeof(uint64_t);
  const auto differs = [&](size_t from) {
    uint64_t is, wanted;
    std::memcpy(&is, at + from, kWord);
    std::memcpy(&wanted, text.data() + from, kWord);
    return is != wanted;
  };
  const size_t size = text.size();
  if (size < kWord) return std::memcmp(at, text.data(), size) == 0 ? at + size : nullptr;
  for (size_t from = 0; from + kWord <= size; from += kWord)
    if (differs(from)) return nullptr;
  return differs(size - kWord) ? nullptr : at + size;  // the last word may overlap the previous one
}

// The first byte that is not a digit, found as above: a digit is below ten without its high bits.
inline const char* end_of_digits(const char* at) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr uint64_t kOnes = 0x0101010101010101, kHighest = 0x80 * kOnes;
    for (;; at += sizeof(uint64_t)) {
      uint64_t bytes;
      std::memcpy(&bytes, at, sizeof bytes);
      bytes ^= '0' * kOnes;
      const uint64_t ends = (bytes | (bytes + (0x80 - 10) * kOnes)) & kHighest;
      if (ends) return at + std::countr_zero(ends) / 8;
    }
  }
  while (*at >= '0' && *at <= '9') ++at;
  return at;
}

inline const char* read_digits(const char* at) {
  const char* const end = end_of_digits(at);
  return end == at || (*at == '0' && end - at > 1) ? nullptr : end;
}

// Reads a whole number; the caller checks that no fraction or exponent follows.
inline const char* read_whole(const char* at, uint64_t& out) {
  constexpr int kSurelyFit = 19;  // digits
  const char* const end = read_digits(at);
  if (!end) return nullptr;
  uint64_t whole = 0;
  for (const char* const fit = std::min(end, at + kSurelyFit); at != fit; ++at)
    whole = whole * 10 + static_cast<uint64_t>(*at - '0');
  for (; at != end; ++at)
    if (__builtin_mul_overflow(whole, 10, &whole) ||
        __builtin_add_overflow(whole, static_cast<uint64_t>(*at - '0'), &whole))
      return nullptr;
  out = whole;
  return end;
}

// Calls member(key, start of value), which returns the value's end. nullptr for an empty object.
template <class Member>
const char* read_members(const char* at, Member member) {
  if (*at != '{') return nullptr;
  do {
    std::string_view key;
    at = read_string(at + 1, key);
    if (!at || *at != ':') return nullptr;
    at = member(key, at + 1);
    if (!at) return nullptr;
  } while (*at == ',');
  return *at == '}' ? at + 1 : nullptr;
}

// Calls element(start), which returns the element's end.
template <class Element>
const char* read_elements(const char* at, Element element) {
  if (*at != '[') return nullptr;
  if (at[1] == ']') return at + 2;
  do {
    at = element(at + 1);
    if (!at) return nullptr;
  } while (*at == ',');
  return *at == ']' ? at + 1 : nullptr;
}

}  // namespace fmd::protocol::plain
