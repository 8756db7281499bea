// SMBIOS structures for tests, as in DSP0134.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fmd::machine::testing {

// area: the bytes after the four-byte header.
inline std::string structure(uint8_t type, const std::string& area,
                             const std::vector<std::string>& strings, uint16_t handle = 0x1100) {
  std::string out{static_cast<char>(type), static_cast<char>(area.size() + 4),
                  static_cast<char>(handle & 0xFF), static_cast<char>(handle >> 8)};
  out += area;
  for (const std::string& text : strings) out += text + '\0';
  return out + (strings.empty() ? std::string(2, '\0') : std::string(1, '\0'));
}

inline std::string end_mark() {
  return structure(127, "", {});
}

struct Module {
  std::string locator = {}, bank = {};
  uint16_t size = 0;  // in MiB; 0x7FFF: see extended_mb; bit 15: in KiB
  uint32_t extended_mb = 0;
  std::string manufacturer = {}, serial = {}, part_number = {};
  uint16_t handle = 0x1100;
};

inline std::string memory_device(const Module& m) {
  std::string area(0x28 - 4, '\0');
  std::vector<std::string> strings;
  const auto put = [&](size_t at, uint32_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) area[at - 4 + i] = static_cast<char>(value >> (8 * i));
  };
  const auto text = [&](size_t at, const std::string& value) {
    if (value.empty()) return;
    strings.push_back(value);
    put(at, static_cast<uint32_t>(strings.size()), 1);
  };
  put(0x0C, m.size, 2);
  text(0x10, m.locator);
  text(0x11, m.bank);
  put(0x12, 0x1A, 1);  // DDR4
  put(0x15, 3200, 2);
  text(0x17, m.manufacturer);
  text(0x18, m.serial);
  text(0x1A, m.part_number);
  put(0x1C, m.extended_mb, 4);
  put(0x20, 2933, 2);
  return structure(17, area, strings, m.handle);
}

}  // namespace fmd::machine::testing
