// BMC records of several makers about power supplies and fans, and event logs, through the plugin
// and the shipped rules to the cases and their texts. Names, entities and sharing are those of the
// machines named.
#include "plugins/ipmi/tests/field/ipmi_field.h"

namespace fmd::ipmi::testing {
namespace {

const std::string kMainboard = printed(0, "Builtin FRU Device", "SERVICETAG");

// Dell's R630 to R740xd: each supply's sensor is "Status", fans have the board's entity.
std::string dell() {
  return states(0x72, code::kPowerSupply, {10, 1}, "Status") +
         states(0x73, code::kPowerSupply, {10, 2}, "Status") +
         states(0x74, 0x25, {10, 1}, "Presence", 3) + states(0x75, 0x25, {10, 2}, "Presence", 3) +
         fan(0x30, {7, 1}, "Fan1 RPM") + fan(0x31, {7, 1}, "Fan2 RPM") +
         locator(1, {7, 1}, "System Board");
}

TEST(IpmiField, DellsSuppliesAreAllCalledStatus) {
  Machine machine(dell() + locator(3, {10, 1}, "PS1") + locator(4, {10, 2}, "PS2"),
                  kMainboard + printed(1, "System Board", "SERVICETAG") + printed(3, "PS1", "S1") +
                      printed(4, "PS2", "S2"));
  EXPECT_EQ(machine.labels("psu"), (Cases{"PS1", "PS2"}));
  EXPECT_EQ(machine.part("psu", "PS2")["serial"], "S2");
  EXPECT_EQ(machine.labels("fan"), (Cases{"Fan1", "Fan2"}));
  EXPECT_FALSE(machine.part("fan", "Fan1").contains("serial")) << "not the server's service tag";
  EXPECT_FALSE(machine.part("fan", "Fan1").contains("model"));
  machine.shows(0x73, kInputLost);
  EXPECT_EQ(machine.cases(),
            Cases{"Major fault.chassis.device.psu.ac-fail hc://chassis=host/psu=ipmi2"});
  EXPECT_EQ(machine.description(), "Power supply PS2 of the machine has no AC input.");
}

TEST(IpmiField, DellWithoutItsMemories) {
  Machine machine(dell(), "");
  EXPECT_EQ(machine.labels("psu"), (Cases{"PSU 1", "PSU 2"}));
  machine.shows(0x72, kFailed);
  EXPECT_EQ(machine.cases(),
            Cases{"Critical fault.chassis.device.psu.fail hc://chassis=host/psu=ipmi1"});
  EXPECT_NE(machine.description().find("PSU 1"), std::string::npos) << machine.description();
}

// Two locators with the same name identify no supply.
TEST(IpmiField, MemoriesOfOneName) {
  Machine machine(dell() + locator(3, {10, 1}, "PSU") + locator(4, {10, 2}, "PSU"),
                  kMainboard + printed(3, "PSU", "S1") + printed(4, "PSU", "S2"));
  EXPECT_EQ(machine.labels("psu"), (Cases{"PSU 1", "PSU 2"}));
  EXPECT_EQ(machine.part("psu", "PSU 2")["serial"], "S2");
}

// Intel's S2600KP: the fans of both supplies have the first supply's entity.
TEST(IpmiField, IntelsFanOfTheOtherSupply) {
  Machine machine(states(0x50, code::kPowerSupply, {10, 1}, "PS1 Status") +
                      states(0x51, code::kPowerSupply, {10, 2}, "PS2 Status") +
                      states(0xA0, code::kFan, {10, 1}, "PS1 Fan1 Fail", 3, 0x03) +
                      states(0xA4, code::kFan, {10, 1}, "PS2 Fan1 Fail", 3, 0x03) +
                      locator(2, {10, 1}, "Pwr Supply 1 FRU") +
                      locator(3, {10, 2}, "Pwr Supply 2 FRU"),
                  kMainboard + printed(2, "Pwr Supply 1 FRU", "PSU-SERIAL-1") +
                      printed(3, "Pwr Supply 2 FRU", "PSU-SERIAL-2"));
  EXPECT_EQ(machine.labels("psu"), (Cases{"PS1", "PS2"}));
  EXPECT_EQ(machine.part("psu", "PS2")["serial"], "PSU-SERIAL-2");
  EXPECT_EQ(machine.labels("fan"), (Cases{"PS1 Fan1", "PS2 Fan1"}));
  for (const char* name : {"PS1 Fan1", "PS2 Fan1"})
    EXPECT_FALSE(machine.part("fan", name).contains("serial")) << name;
}

TEST(IpmiField, AMemoryOfTheOtherSide) {
  Machine machine(states(0x50, code::kPowerSupply, {10, 1}, "PSU A Status") +
                      states(0x51, code::kPowerSupply, {10, 2}, "PSU B Status") +
                      locator(2, {10, 1}, "PSU B") + locator(3, {10, 2}, "PSU A"),
                  printed(2, "PSU B", "SB") + printed(3, "PSU A", "SA"));
  EXPECT_EQ(machine.labels("psu"), (Cases{"PSU A", "PSU B"}));
  EXPECT_FALSE(machine.part("psu", "PSU A").contains("serial")) << "which is it?";
}

// An unchanged default, the server's own tag, and UTF-16 fields, of which ipmitool prints one
// character: none identifies the part.
TEST(IpmiField, SerialNumbersThatTellNothingApart) {
  const std::string supplies = states(0x50, code::kPowerSupply, {10, 1}, "PS1 Status") +
                               states(0x51, code::kPowerSupply, {10, 2}, "PS2 Status") +
                               locator(2, {10, 1}, "PS1") + locator(3, {10, 2}, "PS2");
  const auto serials = [&](const std::string& first, const std::string& second) {
    Machine machine(supplies, kMainboard + printed(2, "PS1", first) + printed(3, "PS2", second));
    Cases out;
    for (const char* name : {"PS1", "PS2"})
      out.push_back(machine.part("psu", name).value("serial", "none"));
    return out;
  };
  EXPECT_EQ(serials("CNX1201", "CNX1202"), (Cases{"CNX1201", "CNX1202"}));
  EXPECT_EQ(serials("AAAA0001", "AAAA0001"), (Cases{"none", "none"}));
  EXPECT_EQ(serials("SERVICETAG", "CNX1202"), (Cases{"none", "CNX1202"}));
  EXPECT_EQ(serials("C", "D"), (Cases{"none", "none"}));
  EXPECT_EQ(serials("0123456789", "Default string"), (Cases{"none", "none"}));
  EXPECT_EQ(serials("CN: 12/5", ""), (Cases{"CN: 12/5", "none"})) << "a colon of its own";
}

// Dell's C6320 shares supplies between sleds: one sensor compares them, and there are more sensors
// than supplies.
TEST(IpmiField, ASensorOfAllSuppliesIsNoSupply) {
  Machine machine(states(0x50, code::kPowerSupply, {10, 1}, "PSU1 Status") +
                      states(0x51, code::kPowerSupply, {10, 2}, "PSU2 Status") +
                      states(0x60, code::kPowerSupply, {10, 3}, "PSU Mismatch") +
                      states(0x61, code::kPowerSupply, {21, 1}, "Power Supplies", 1 << 6),
                  "");
  EXPECT_EQ(machine.labels("psu"), (Cases{"PSU1", "PSU2"}));
  EXPECT_EQ(machine.cases(), Cases());
}

// Huawei has one sensor for the state of each supply and one for its presence.
TEST(IpmiField, TwoSensorsOfOneSupply) {
  Machine machine(states(0x50, code::kPowerSupply, {10, 1}, "PS1 Status") +
                      states(0x51, code::kPowerSupply, {10, 1}, "PS1 Presence", 1) +
                      states(0x52, code::kPowerSupply, {10, 2}, "PS2 Status") +
                      states(0x53, code::kPowerSupply, {10, 2}, "PS2 Presence", 1) +
                      locator(2, {10, 1}, "PS1") + locator(3, {10, 2}, "PS2"),
                  printed(2, "PS1", "S1") + printed(3, "PS2", "S2"));
  EXPECT_EQ(machine.labels("psu"), (Cases{"PS1", "PS2"}));
  EXPECT_EQ(machine.part("psu", "PS2")["serial"], "S2");
  machine.shows(0x52, kFailed);
  EXPECT_EQ(machine.cases(),
            Cases{"Critical fault.chassis.device.psu.fail hc://chassis=host/psu=ipmi2"});
  EXPECT_NE(machine.description().find("PS2"), std::string::npos) << machine.description();
  // Two supplies with one entity and one name: not distinguishable, but still two parts.
  Machine alike(states(0x50, code::kPowerSupply, {10, 1}, "Status") +
                    states(0x51, code::kPowerSupply, {10, 1}, "Status"),
                "");
  EXPECT_EQ(alike.labels("psu").size(), 2u);
}

// The names of supplies and fans of several makers, with and without records of their memories.
TEST(IpmiField, NamesOfOtherMakers) {
  struct Row {
    const char *first, *second;  // sensors
    Place one, two;
    const char* label;  // of the second
  };
  for (const Row& row : std::initializer_list<Row>{
           {"PS1 Status", "PS2 Status", {10, 1}, {10, 2}, "PS2"},                     // Supermicro
           {"PS1 Status", "PS2 Status", {10, 1}, {10, 1}, "PS2"},                     // one place
           {"PSU1_Status", "PSU2_Status", {10, 97}, {10, 98}, "PSU2"},                // Quanta
           {"Power Supply 1", "Power Supply 2", {10, 1}, {10, 2}, "Power Supply 2"},  // HPE, Lenovo
           {"Power Supply 1", "Power Supply 2", {10, 1}, {10, 1}, "Power Supply 2"},
           {"PSU 1 Status", "PSU 2 Status", {10, 1}, {10, 2}, "PSU 2"},
           {"PSU1_PRESENT", "PSU2_PRESENT", {10, 1}, {10, 2}, "PSU2"},  // Tyan, Gigabyte
           {"Status", "Status", {10, 1}, {10, 2}, "PSU 2"}}) {          // Dell
    SCOPED_TRACE(std::string(row.first) + " " + std::to_string(row.two.instance));
    Machine machine(states(0x50, code::kPowerSupply, row.one, row.first) +
                        states(0x51, code::kPowerSupply, row.two, row.second),
                    kMainboard);
    EXPECT_EQ(machine.labels("psu").size(), 2u);
    machine.shows(0x51, kInputLost);
    EXPECT_EQ(machine.cases().size(), 1u);
    const std::string says = machine.description();
    EXPECT_NE(says.find(std::string("ower supply ") + row.label + " "), says.npos) << says;
  }
}

TEST(IpmiField, SuppliesThatWereNeverRead) {
  Machine machine(states(0x50, code::kPowerSupply, {10, 1}, "PSU1_STATUS") +
                      states(0x51, code::kPowerSupply, {10, 2}, "PSU2_STATUS") +
                      states(0x52, code::kPowerSupply, {10, 3}, "PSU3_STATUS"),
                  "", {0x52});
  EXPECT_EQ(machine.labels("psu"), (Cases{"PSU1", "PSU2"}));
  machine.unreadable(0x51);
  EXPECT_EQ(machine.labels("psu"), (Cases{"PSU1", "PSU2"})) << "it was there";
}

TEST(IpmiField, AFanByItsName) {
  Machine machine(fan(0x41, {29, 1}, "FAN1 TACH") + fan(0x42, {29, 2}, "FAN2 TACH"), "");
  machine.stops(0x42);
  EXPECT_EQ(machine.cases(),
            Cases{"Major fault.chassis.device.fan.fail hc://chassis=host/fan=ipmi2"});
  EXPECT_EQ(machine.description(), "The machine reports its fan FAN2 as failed.");
}

// Two fans with one entity, which the BMC does not distinguish; and the two rotors of one fan.
TEST(IpmiField, TwoFansOfOnePlace) {
  struct Pair {
    const char *first, *second;
    Cases labels;
    const char* stopped;
  };
  for (const Pair& pair : std::initializer_list<Pair>{
           {"CPU Fan", "Rear Fan", {"CPU Fan", "Rear Fan"}, "Rear Fan"},
           {"SYS_FAN1", "CPU_FAN1", {"CPU_FAN1", "SYS_FAN1"}, "CPU_FAN1"},
           {"FAN1", "FAN2", {"FAN1", "FAN2"}, "FAN2"},
           {"CPU1 Fan 1", "CPU1 Fan 2", {"CPU1 Fan 1", "CPU1 Fan 2"}, "CPU1 Fan 2"},
           {"Fan1A RPM", "Fan1B RPM", {"Fan1"}, "Fan1"},
           {"Fan 3 Inlet", "Fan 3 Outlet", {"Fan 3"}, "Fan 3"},
           {"FAN_2_1", "FAN_2_2", {"FAN_2"}, "FAN_2"},
           {"Fan Rotor 1", "Fan Rotor 2", {"Fan"}, "Fan"}}) {
    Machine machine(fan(0x41, {29, 1}, pair.first) + fan(0x42, {29, 1}, pair.second), "");
    EXPECT_EQ(machine.labels("fan"), pair.labels) << pair.first;
    machine.stops(0x42);
    EXPECT_EQ(machine.cases().size(), 1u) << pair.first;
    EXPECT_EQ(machine.description(),
              std::string("The machine reports its fan ") + pair.stopped + " as failed.");
  }
}

// One drive fails: the others are in a critical array, which is no fault of theirs.
TEST(IpmiField, DrivesOfACriticalArray) {
  constexpr uint16_t kDrive = 1, kDriveFailed = 1 << 1, kCriticalArray = 1 << 5;
  std::string records;
  for (int n = 0; n < 4; ++n)
    records += states(0x80 + n, code::kDriveSlot, {26, n}, "Drive " + std::to_string(n), 0x7F);
  Machine machine(records, "");
  for (const int n : {0, 1, 3}) machine.shows(0x80 + n, kDrive | kCriticalArray);
  EXPECT_EQ(machine.cases(), Cases());
  machine.shows(0x82, kDrive | kDriveFailed | kCriticalArray);
  EXPECT_EQ(machine.cases(), Cases{"Major fault.bmc.state hc://system=host/sensor=ipmi-82"});
  EXPECT_NE(machine.description().find("Drive 2"), std::string::npos) << machine.description();
}

// Digital sensors (event/reading type 03h) of a part beside its own one: only their names say what
// an asserted state means.
TEST(IpmiField, DigitalSensorsOfAPart) {
  constexpr int kDigital = 0x03;
  constexpr uint16_t kAsserted = 1 << 1;
  const Cases failed{"Critical fault.chassis.device.psu.fail hc://chassis=host/psu=ipmi2"},
      no_input{"Major fault.chassis.device.psu.ac-fail hc://chassis=host/psu=ipmi2"};
  for (const auto& [name, expected] :
       std::initializer_list<std::pair<const char*, Cases>>{{"PS2 Fail", failed},
                                                            {"PSU2_FAULT", failed},
                                                            {"PS2 AC Lost", no_input},
                                                            {"PSU2_AC_LOST", no_input},
                                                            {"PS2 Input Lost", no_input},
                                                            {"PS2 Present", {}},
                                                            {"PS2 Power Good", {}}}) {
    SCOPED_TRACE(name);
    Machine machine(states(0x50, code::kPowerSupply, {10, 1}, "PS1 Status") +
                        states(0x51, code::kPowerSupply, {10, 2}, "PS2 Status") +
                        states(0x53, code::kPowerSupply, {10, 2}, name, 3, kDigital),
                    kMainboard);
    EXPECT_EQ(machine.labels("psu"), (Cases{"PS1", "PS2"}));
    machine.shows(0x53, kAsserted);
    EXPECT_EQ(machine.cases(), expected);
  }
  Machine fans(states(0x60, code::kFan, {29, 1}, "Fan 1 Fail", 3, kDigital) +
                   states(0x61, code::kFan, {29, 2}, "Fan 2 Fail", 3, kDigital) +
                   states(0x62, code::kFan, {29, 3}, "Fan 3 Present", 3, kDigital),
               "");
  fans.shows(0x62, kAsserted);
  EXPECT_EQ(fans.cases(), Cases());
  fans.shows(0x61, kAsserted);
  EXPECT_EQ(fans.cases(), Cases{"Major fault.chassis.device.fan.fail hc://chassis=host/fan=ipmi2"});
  EXPECT_EQ(fans.description(), "The machine reports its fan Fan 2 as failed.");
}

// A fan slower than its warning limit turns: a warning that lasts is a Minor case.
TEST(IpmiField, AWarningThatLasts) {
  for (const bool lasts : {true, false}) {
    Machine machine(fan(0x41, {29, 1}, "FAN1") + fan(0x42, {29, 2}, "FAN2") +
                        states(0x50, code::kPowerSupply, {10, 1}, "PS1 Status"),
                    "");
    machine.say(0x42, {true, 8, 0x01, false});
    machine.tell();
    if (!lasts) machine.say(0x42, {true, 56, 0, false});
    if (!lasts) machine.tell();
    EXPECT_EQ(machine.cases(),
              lasts ? Cases{"Minor fault.chassis.device.fan.warning hc://chassis=host/fan=ipmi2"}
                    : Cases());
  }
}

SelEntry entry(uint32_t time, int sensor_type, int offset, int sensor = 0x10) {
  SelEntry one;
  one.record_type = 0x02;
  one.id = 7;
  one.time = time;
  one.sensor = sensor;
  one.sensor_type = sensor_type;
  one.reading_type = code::kSpecific;
  one.offset = offset;
  return one;
}

// How old a log entry may be to count as evidence. The machine was booted an hour ago.
TEST(IpmiField, EntriesOfLongAgoAccuseNobody) {
  constexpr int64_t kBooted = kNow - 3600 * kSecond;
  const std::string processor = states(0x10, code::kProcessor, {3, 1}, "CPU1 Status", 0xFF);
  const auto of = [&](const SelEntry& one, bool first_read = true) {
    Machine machine(processor, "", {0x10});
    machine.logged(one, kBooted, first_read);
    return machine.cases().size();
  };
  constexpr int kIerr = 0, kUncorrectable = 1;
  constexpr uint32_t kDay = 86400;
  EXPECT_EQ(of(entry(kClock - 4000, code::kProcessor, kIerr)), 1u) << "why it was started again";
  EXPECT_EQ(of(entry(kClock - 3 * kDay, code::kProcessor, kIerr)), 1u);
  EXPECT_EQ(of(entry(kClock - 30 * kDay, code::kProcessor, kIerr)), 0u);
  EXPECT_EQ(of(entry(kClock - 400 * kDay, code::kMemory, kUncorrectable)), 0u);
  EXPECT_EQ(of(entry(kClock - 60, code::kMemory, kUncorrectable)), 1u);
  for (const uint32_t pre_init : {0u, 40u, 3345u}) {
    EXPECT_EQ(of(entry(pre_init, code::kProcessor, kIerr)), 0u) << pre_init;
    EXPECT_EQ(of(entry(pre_init, code::kMemory, kUncorrectable)), 0u) << pre_init;
    EXPECT_EQ(of(entry(pre_init, code::kProcessor, kIerr), false), 1u)
        << pre_init << ", logged while the plugin watched";
  }
  SelEntry again = entry(3345, code::kMemory, kUncorrectable);
  again.may_be_old = true;
  EXPECT_EQ(of(again, false), 0u);
}

}  // namespace
}  // namespace fmd::ipmi::testing
