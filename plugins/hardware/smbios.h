// The SMBIOS structure table (DMTF DSP0134): the board's processors, memory modules and slots. The
// bytes are the firmware's: every length is checked, text is data. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::hardware {

struct MemoryModule {         // type 17, populated
  std::string locator, bank;  // usually as printed on the board: "DIMM_A1", "P0 CHANNEL A"
  std::string manufacturer, serial, part_number, asset_tag;
  std::string technology;       // "DDR4"; "" unknown
  uint64_t size_bytes = 0;      // 0: unknown
  uint64_t speed_mts = 0;       // maximum speed in megatransfers per second; 0 unknown
  uint64_t configured_mts = 0;  // current speed
  uint16_t handle = 0;
};

struct BoardSlot {         // type 9
  std::string designator;  // "PCIe Slot 3"
  std::string address;     // "0000:3b:00", without the function; "" unknown to the firmware
};

struct Smbios {
  std::vector<std::string> processors;  // type 4, populated: "CPU1", as printed
  std::vector<MemoryModule> modules;
  std::vector<BoardSlot> slots;
  size_t memory_sockets = 0;  // type 17, also empty ones
  std::string problem;        // where the table is damaged; the parts before it are valid
};

// table: the structures alone (/sys/firmware/dmi/tables/DMI), without the entry point.
Smbios parse_smbios(std::string_view table);

}  // namespace fmd::hardware
