// Parts as other makers describe them: several sensors of one part, places that are counted per board,
// and event types of the maker.
#include "plugins/ipmi/tests/field/ipmi_field.h"

namespace fmd::ipmi::testing {
namespace {

// Huawei, Inspur and Lenovo have several sensors for each fan: the speed of both rotors, the
// fan's presence and its state. They are one part.
TEST(IpmiField, SeveralSensorsOfOneFan) {
  constexpr int kDigital = 0x03;
  struct Maker {
    const char *front, *rear, *state, *presence, *fan;  // with the number of the fan
  };
  for (const Maker& maker : std::initializer_list<Maker>{
           {"FAN{} F Speed", "FAN{} R Speed", "FAN{} F Status", "FAN{} Presence", "FAN{}"},
           {"FAN{}_F_Speed", "FAN{}_R_Speed", "FAN{}_Status", "FAN{}_Present", "FAN{}"},
           {"FAN{}_Front", "FAN{}_Rear", "FAN{}_Status", "FAN{}_Presence", "FAN{}"},
           {"Fan {}A Tach", "Fan {}B Tach", "Fan {} Fault", "Fan {} Present", "Fan {}"},
           {"Fan {} Front Tach", "Fan {} Rear Tach", "Fan {} Fail", "Fan {} Present", "Fan {}"}}) {
    std::string records;
    Cases fans;
    const auto called = [](const char* name, int n) { return fmt::format(fmt::runtime(name), n); };
    for (int n = 1; n <= 2; ++n) {
      const Place place{29, n};
      records += fan(0x40 + n, place, called(maker.front, n)) +
                 fan(0x50 + n, place, called(maker.rear, n)) +
                 states(0x60 + n, code::kFan, place, called(maker.state, n), 3, kDigital) +
                 states(0x70 + n, code::kFan, place, called(maker.presence, n), 3, 0x08);
      fans.push_back(called(maker.fan, n));
    }
    Machine machine(records, "");
    for (int n = 1; n <= 2; ++n) {
      machine.shows(0x60 + n, 1);
      machine.shows(0x70 + n, 2);
    }
    EXPECT_EQ(machine.labels("fan"), fans);
    EXPECT_EQ(machine.cases(), Cases()) << maker.front;
    machine.stops(0x52);
    machine.stops(0x42);
    EXPECT_EQ(machine.cases(),
              Cases{"Major fault.chassis.device.fan.fail hc://chassis=host/fan=ipmi2"});
    EXPECT_EQ(machine.description(), "The machine reports its fan " + fans[1] + " as failed.");
  }
  // Fans in front and at the back of the machine are not rotors.
  Machine machine(fan(0x41, {29, 1}, "SYS FAN Front") + fan(0x42, {29, 1}, "SYS FAN Rear"), "");
  EXPECT_EQ(machine.labels("fan"), (Cases{"SYS FAN Front", "SYS FAN Rear"}));
}

// Entity instances from 60h are counted per board (IPMI 2.0, section 39.1).
TEST(IpmiField, PlacesThatAreCountedPerBoard) {
  Machine machine(states(0x50, code::kPowerSupply, {10, 0x61}, "Status") +
                      states(0x51, code::kPowerSupply, {10, 0x62}, "Status"),
                  "");
  EXPECT_EQ(machine.labels("psu"), (Cases{"PSU 1", "PSU 2"}));
  Machine both(states(0x50, code::kPowerSupply, {10, 1}, "Status") +
                   states(0x51, code::kPowerSupply, {10, 0x61}, "Status"),
               "");
  const Cases labels = both.labels("psu");
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), 2u);
}

// Event types 70h to 7Fh are defined by each maker. With only such sensors, the state of a supply is unknown.
TEST(IpmiField, EventTypesOfTheMaker) {
  constexpr int kOwn = 0x72;
  Machine machine(states(0x50, code::kPowerSupply, {10, 1}, "PSU1 Status", 0x0F, kOwn) +
                      states(0x51, code::kPowerSupply, {10, 2}, "PSU2 Status", 0x0F, kOwn) +
                      states(0x60, code::kFan, {29, 1}, "FAN1 State", 0x0F, kOwn),
                  "");
  for (const uint16_t states : {1, 2, 4, 8}) {
    for (const int sensor : {0x50, 0x60}) machine.shows(sensor, states);
    EXPECT_EQ(machine.cases(), Cases()) << states;
    for (const auto& [fmri, one] : machine.parts())
      if (one["type"] == "psu" || one["type"] == "fan") {
        EXPECT_EQ(one["properties"]["status"], "unknown") << fmri << states;
      }
  }
  // A further sensor with a standard event type determines the state.
  Machine beside(states(0x50, code::kPowerSupply, {10, 1}, "PSU1 Status") +
                     states(0x52, code::kPowerSupply, {10, 1}, "PSU1 OEM", 0x0F, kOwn),
                 "");
  EXPECT_EQ(beside.part("psu", "PSU1")["status"], "OK");
  beside.shows(0x50, kFailed);
  EXPECT_EQ(beside.part("psu", "PSU1")["status"], "critical");
}

// The sensor of the supply as a whole names it, not a digital one of a single fault (Lenovo).
TEST(IpmiField, ASupplyIsNotNamedAfterOneOfItsFaults) {
  constexpr int kDigital = 0x03;
  std::string records;
  for (int n = 1; n <= 2; ++n)
    records += states(0x50 + n, code::kPowerSupply, {10, n}, fmt::format("PS {} 12V OV Fault", n),
                      3, kDigital) +
               states(0x60 + n, code::kPowerSupply, {10, n}, fmt::format("Power Supply {}", n)) +
               states(0x70 + n, code::kPowerSupply, {10, n}, fmt::format("PS {} Therm Fault", n), 3,
                      kDigital);
  Machine machine(records, "");
  EXPECT_EQ(machine.labels("psu"), (Cases{"Power Supply 1", "Power Supply 2"}));
  machine.shows(0x72, 2);
  EXPECT_EQ(machine.cases(),
            Cases{"Critical fault.chassis.device.psu.fail hc://chassis=host/psu=ipmi2"});
  EXPECT_NE(machine.description().find("Power Supply 2"), std::string::npos);
}

}  // namespace
}  // namespace fmd::ipmi::testing
