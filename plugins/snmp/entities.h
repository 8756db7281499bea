// The machine's parts as in ENTITY-MIB: physical parts, their containers and their sensors. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/snmp/knowledge.h"
#include "plugins/snmp/part_numbers.h"
#include "plugins/snmp/part_state.h"

namespace fmd::snmp {

// PhysicalClass. A disk is a module: most managers do not know the newer storageDrive(15), RFC
// 6933.
enum class PhysicalClass : int32_t {
  other = 1,
  chassis = 3,
  container = 5,
  power_supply = 6,
  fan = 7,
  sensor = 8,
  module = 9,
  cpu = 12
};

// A row of ENTITY-SENSOR-MIB, with its enumeration values.
struct Measure {
  int32_t type =
      1;  // EntitySensorDataType: other 1, voltsDC 4, amperes 5, watts 6, percentRH 9, rpm 10
  int32_t precision = 0;  // decimal digits; the scale is always units
  std::optional<int32_t> value;
  int32_t status = 1;  // ok 1, unavailable 2, nonoperational 3
  std::string units;   // for people
};

struct Entity {
  uint32_t number = 0, parent = 0;  // parent 0: no container
  int32_t position = -1;            // within the parent; -1 if none
  PhysicalClass kind = PhysicalClass::other;
  std::string fmri;  // the part's; for a sensor in a part, that of the part
  std::string name, description, serial, model, maker, firmware, hardware;
  bool fru = false;
  std::optional<Measure> measure;
  const Resource* part = nullptr;  // in the inventory; never nullptr
  std::string property;  // the measured one ("value", "temperature_celsius"); "": not a sensor
};

// Parents are always in the list, but not necessarily before their children.
std::vector<Entity> entities(const Knowledge& knowledge, PartNumbers& numbers);

}  // namespace fmd::snmp
