// Hand-made SMBIOS tables by DMTF's DSP0134: valid ones, and some that faulty firmware may provide.
#include "plugins/hardware/smbios.h"

#include <gtest/gtest.h>

#include "plugins/system/tests/tables.h"

namespace fmd::machine {
namespace {

using hardware::MemoryModule;
using hardware::parse_smbios;
using hardware::Smbios;
using testing::end_mark;
using testing::memory_device;
using testing::structure;

TEST(Smbios, ReadsMemoryModules) {
  const Smbios found =
      parse_smbios(memory_device({.locator = "DIMM_A1",
                                  .bank = "NODE 0",
                                  .size = 0x7FFF,
                                  .extended_mb = 65536,
                                  .manufacturer = "Samsung",
                                  .serial = "  03AB12CD ",
                                  .part_number = "M393A8G40AB2-CWE"}) +
                   memory_device({.locator = "DIMM_A2", .size = 0}) +
                   memory_device({.locator = "DIMM_B1", .size = 0xFFFF}) +
                   memory_device({.locator = "DIMM_B2", .size = 0x8200}) +
                   memory_device({.locator = "DIMM_C1", .size = 4096}) + end_mark());
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.memory_sockets, 5u);
  ASSERT_EQ(found.modules.size(), 4u) << "an empty socket is no module";
  const MemoryModule& m = found.modules[0];
  EXPECT_EQ(m.locator, "DIMM_A1");
  EXPECT_EQ(m.bank, "NODE 0");
  EXPECT_EQ(m.size_bytes, uint64_t{64} << 30);
  EXPECT_EQ(m.manufacturer, "Samsung");
  EXPECT_EQ(m.serial, "03AB12CD");
  EXPECT_EQ(m.part_number, "M393A8G40AB2-CWE");
  EXPECT_EQ(m.technology, "DDR4");
  EXPECT_EQ(m.speed_mts, 3200u);
  EXPECT_EQ(m.configured_mts, 2933u);
  EXPECT_EQ(found.modules[1].size_bytes, 0u) << "plugged in, its size not known";
  EXPECT_EQ(found.modules[2].size_bytes, 512u << 10);
  EXPECT_EQ(found.modules[3].size_bytes, uint64_t{4} << 30);
}

TEST(Smbios, OldFirmwareHasShorterStructures) {
  std::string old = memory_device({.locator = "A0", .size = 1024});
  // SMBIOS 2.1: 0x15 bytes, without speed, maker and serial.
  old = structure(17, old.substr(4, 0x15 - 4), {"A0", "BANK 0"});
  const Smbios found = parse_smbios(old + end_mark());
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(found.modules[0].locator, "A0");
  EXPECT_EQ(found.modules[0].speed_mts, 0u);
  EXPECT_EQ(found.modules[0].serial, "");
}

TEST(Smbios, ReadsSlots) {
  std::string area(0x11 - 4, '\0');
  area[0] = 1;  // the designation is the first string
  area[0x0F - 4] = 0x3B;
  area[0x10 - 4] = static_cast<char>(2 << 3);
  const Smbios found = parse_smbios(structure(9, area, {"PCIe Slot 3"}) + end_mark());
  ASSERT_EQ(found.slots.size(), 1u);
  EXPECT_EQ(found.slots[0].designator, "PCIe Slot 3");
  EXPECT_EQ(found.slots[0].address, "0000:3b:02");
  area[0x0F - 4] = area[0x10 - 4] = '\xFF';  // firmware's value for "unknown"
  EXPECT_EQ(parse_smbios(structure(9, area, {"PCIe Slot 3"}) + end_mark()).slots.at(0).address, "");
}

TEST(Smbios, ReadsProcessorsThatAreThere) {
  std::string area(0x1A - 4, '\0');
  area[0] = 1;
  area[0x18 - 4] = 0x41;  // populated, enabled
  const std::string there = structure(4, area, {"CPU2"});
  area[0x18 - 4] = 0;
  EXPECT_EQ(parse_smbios(there + structure(4, area, {"CPU3"}) + end_mark()).processors,
            std::vector<std::string>{"CPU2"});
}

TEST(Smbios, KeepsWhatCameBeforeTheDamage) {
  const std::string good = memory_device({.locator = "DIMM_A1", .size = 1024});
  const std::vector<std::pair<std::string, std::string>> damages = {
      {std::string("\x11\x02", 2), "a structure's header is cut off"},
      {std::string("\x11\x03\x01\x00\x00\x00", 6), "a structure is shorter than its header"},
      {std::string("\x11\xFF\x01\x00\x00\x00", 6), "a structure is longer than the table"},
      {good.substr(0, good.size() - 1), "a structure's strings do not end"}};
  for (const auto& [damage, why] : damages) {
    const Smbios found = parse_smbios(good + damage);
    EXPECT_EQ(found.modules.size(), 1u) << why;
    EXPECT_NE(found.problem.find(why), std::string::npos) << found.problem;
  }
  EXPECT_EQ(parse_smbios("").problem, "");
}

TEST(Smbios, AStringThatIsNotThereIsNone) {
  std::string area = memory_device({.locator = "X", .size = 1024}).substr(4, 0x28 - 4);
  area[0x10 - 4] = 9;  // there are only two strings
  const Smbios found = parse_smbios(structure(17, area, {"a", "b"}) + end_mark());
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(found.modules[0].locator, "");
}

// Every truncation and every changed byte of a valid table: parsing ends without reading out of
// bounds (checked by the sanitizers), and the result is bounded by the input.
TEST(Smbios, SurvivesAnyCutAndAnyByte) {
  const std::string good = memory_device({.locator = "DIMM_A1", .bank = "B", .size = 1024}) +
                           structure(9, std::string(0x11 - 4, '\1'), {"Slot"}) +
                           memory_device({.locator = "DIMM_A2", .size = 0x7FFF}) + end_mark();
  for (size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_LE(parse_smbios(good.substr(0, cut)).modules.size(), 2u);
  for (size_t at = 0; at < good.size(); ++at)
    for (int byte = 0; byte < 256; byte += 5) {
      std::string changed = good;
      changed[at] = static_cast<char>(byte);
      EXPECT_LE(parse_smbios(changed).modules.size(), good.size() / 4);
    }
}

TEST(Smbios, AGarbageTableEnds) {
  EXPECT_NE(parse_smbios(std::string(1 << 20, '\x04')).problem, "");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += structure(1, "", {});
  EXPECT_NE(parse_smbios(many).problem.find("too many"), std::string::npos);
}

}  // namespace
}  // namespace fmd::machine
