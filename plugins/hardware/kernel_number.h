// Parses numbers in the kernel's output. Pure.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>

namespace fmd::hardware {

// The number that the text begins with, in that base; "0x…" is hexadecimal. nullopt: none.
template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

}  // namespace fmd::hardware
