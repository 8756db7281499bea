// The SMBIOS structure table (DMTF DSP0134): the board's processors, memory modules and slots. The
// bytes are the firmware's: every length is checked, text is data. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::hardware {

struct MemoryModule {         // type 17 with something in its socket
  std::string locator, bank;  // as printed on the board, mostly: "DIMM_A1", "P0 CHANNEL A"
  std::string manufacturer, serial, part_number, asset_tag;
  std::string technology;       // "DDR4"; "" unknown
  uint64_t size_bytes = 0;      // 0: unknown
  uint64_t speed_mts = 0;       // what the module can do, in megatransfers a second; 0 unknown
  uint64_t configured_mts = 0;  // what it runs at
  uint16_t handle = 0;
};

struct BoardSlot {         // type 9
  std::string designator;  // "PCIe Slot 3"
  std::string address;     // "0000:3b:00", without the function; "" when firmware does not say
};

struct Smbios {
  std::vector<std::string> processors;  // type 4 with something in it: "CPU1", as printed
  std::vector<MemoryModule> modules;
  std::vector<BoardSlot> slots;
  size_t memory_sockets = 0;  // type 17, also empty ones
  std::string problem;        // where the table is broken; what came before it is good
};

// table: the structures alone (/sys/firmware/dmi/tables/DMI), without the entry point.
Smbios parse_smbios(std::string_view table);

}  // namespace fmd::hardware
