#include "plugins/hardware/smbios.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace fmd::hardware {
namespace {

constexpr size_t kHeader = 4, kMaxStructures = 4096, kMaxText = 256;
constexpr uint8_t kProcessor = 4, kSlot = 9, kMemoryDevice = 17, kEndOfTable = 127;

// One structure: its formatted area and the strings after it. Fields beyond the area's end are
// absent: older firmware has shorter areas.
class Structure {
 public:
  Structure(std::string_view area, std::string_view strings) : area_(area), strings_(strings) {}

  uint8_t type() const { return *byte(0); }
  uint16_t handle() const { return *word(2); }
  std::optional<uint8_t> byte(size_t at) const {
    if (at >= area_.size()) return std::nullopt;
    return static_cast<uint8_t>(area_[at]);
  }
  std::optional<uint16_t> word(size_t at) const {
    if (at + 2 > area_.size()) return std::nullopt;
    return static_cast<uint16_t>(*byte(at) | *byte(at + 1) << 8);
  }
  std::optional<uint32_t> dword(size_t at) const {
    if (at + 4 > area_.size()) return std::nullopt;
    return static_cast<uint32_t>(*word(at)) | static_cast<uint32_t>(*word(at + 2)) << 16;
  }
  // The string with the number (from 1) at this offset, without padding; "" if there is none.
  std::string text(size_t at) const {
    const uint8_t number = byte(at).value_or(0);
    if (number == 0) return {};
    std::string_view rest = strings_;
    for (uint8_t i = 1; i < number && !rest.empty(); ++i)
      rest.remove_prefix(std::min(rest.find('\0'), rest.size() - 1) + 1);
    std::string_view found = rest.substr(0, rest.find('\0')).substr(0, kMaxText);
    while (found.ends_with(' ')) found.remove_suffix(1);
    while (found.starts_with(' ')) found.remove_prefix(1);
    return std::string(found);
  }

 private:
  std::string_view area_, strings_;
};

std::string technology_name(uint8_t code) {
  struct Name {
    uint8_t code;
    const char* name;
  };
  constexpr std::array<Name, 16> kNames = {{{0x12, "DDR"},
                                            {0x13, "DDR2"},
                                            {0x14, "DDR2 FB-DIMM"},
                                            {0x18, "DDR3"},
                                            {0x1A, "DDR4"},
                                            {0x1B, "LPDDR"},
                                            {0x1C, "LPDDR2"},
                                            {0x1D, "LPDDR3"},
                                            {0x1E, "LPDDR4"},
                                            {0x1F, "Logical non-volatile device"},
                                            {0x20, "HBM"},
                                            {0x21, "HBM2"},
                                            {0x22, "DDR5"},
                                            {0x23, "LPDDR5"},
                                            {0x24, "HBM3"},
                                            {0x0F, "SDRAM"}}};
  for (const Name& one : kNames)
    if (one.code == code) return one.name;
  return {};
}

// nullopt: the socket is empty.
std::optional<uint64_t> module_size(const Structure& s) {
  constexpr uint16_t kUnknown = 0xFFFF, kSeeExtended = 0x7FFF, kInKib = 0x8000;
  const uint16_t size = s.word(0x0C).value_or(0);
  if (size == 0) return std::nullopt;
  if (size == kUnknown) return 0;
  if (size == kSeeExtended) return uint64_t{s.dword(0x1C).value_or(0) & 0x7FFFFFFFu} << 20;
  if (size & kInKib) return uint64_t{size & 0x7FFFu} << 10;
  return uint64_t{size} << 20;
}

// 0xFFFF: newer firmware has the value in the 32-bit field.
uint64_t speed(const Structure& s, size_t at, size_t extended) {
  const uint16_t value = s.word(at).value_or(0);
  return value == 0xFFFF ? s.dword(extended).value_or(0) & 0x7FFFFFFFu : value;
}

std::optional<MemoryModule> memory_module(const Structure& s) {
  const auto size = module_size(s);
  if (!size) return std::nullopt;
  MemoryModule module;
  module.size_bytes = *size;
  module.handle = s.handle();
  module.locator = s.text(0x10);
  module.bank = s.text(0x11);
  module.technology = technology_name(s.byte(0x12).value_or(0));
  module.speed_mts = speed(s, 0x15, 0x54);
  module.manufacturer = s.text(0x17);
  module.serial = s.text(0x18);
  module.asset_tag = s.text(0x19);
  module.part_number = s.text(0x1A);
  module.configured_mts = speed(s, 0x20, 0x58);
  return module;
}

BoardSlot board_slot(const Structure& s) {
  BoardSlot slot;
  slot.designator = s.text(0x04);
  const auto segment = s.word(0x0D);
  const auto bus = s.byte(0x0F), function = s.byte(0x10);
  if (segment && bus && function && !(*bus == 0xFF && *function == 0xFF))
    slot.address = fmt::format("{:04x}:{:02x}:{:02x}", *segment, *bus, *function >> 3);
  return slot;
}

}  // namespace

Smbios parse_smbios(std::string_view table) {
  Smbios found;
  size_t at = 0;
  for (size_t count = 0; at < table.size(); ++count) {
    const auto broken = [&](std::string_view what) {
      found.problem = fmt::format("the SMBIOS table is broken at byte {}: {}", at, what);
      return found;
    };
    if (count == kMaxStructures) return broken("it has too many structures");
    if (table.size() - at < kHeader) return broken("a structure's header is cut off");
    const size_t length = static_cast<uint8_t>(table[at + 1]);
    if (length < kHeader) return broken("a structure is shorter than its header");
    if (length > table.size() - at) return broken("a structure is longer than the table");
    // The string list ends with an empty string; an empty list is two NULs.
    const size_t strings = at + length;
    const size_t end = table.find(std::string_view("\0\0", 2), strings);
    if (end == table.npos) return broken("a structure's strings do not end");
    const Structure s(table.substr(at, length), table.substr(strings, end - strings));
    if (s.type() == kEndOfTable) return found;
    // DSP0134, Processor Information: bit 6 of the status means that the socket is populated.
    if (s.type() == kProcessor && s.byte(0x18).value_or(0) & 0x40)
      found.processors.push_back(s.text(0x04));
    if (s.type() == kSlot) found.slots.push_back(board_slot(s));
    if (s.type() == kMemoryDevice) {
      ++found.memory_sockets;
      if (auto module = memory_module(s)) found.modules.push_back(std::move(*module));
    }
    at = end + 2;
  }
  return found;  // some firmware omits the end mark
}

}  // namespace fmd::hardware
