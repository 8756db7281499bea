// The machine's parts as ENTITY-MIB has them: what a person can point at, what contains it, and what it measures. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/snmp/knowledge.h"
#include "plugins/snmp/part_numbers.h"
#include "plugins/snmp/part_state.h"

namespace fmd::snmp {

// PhysicalClass. A disk is a module: storageDrive(15) is newer (RFC 6933) than what most managers have.
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

// A row of ENTITY-SENSOR-MIB, with its numbers.
struct Measure {
  int32_t type =
      1;  // other 1, voltsDC 4, amperes 5, watts 6, percentRH 9, rpm 10 - as EntitySensorDataType
  int32_t precision = 0;  // digits after the point; the scale is always units
  std::optional<int32_t> value;
  int32_t status = 1;  // ok 1, unavailable 2, nonoperational 3
  std::string units;   // for people
};

struct Entity {
  uint32_t number = 0, parent = 0;  // parent 0: contained in nothing
  int32_t position = -1;            // within the parent, -1: has none
  PhysicalClass kind = PhysicalClass::other;
  std::string fmri;  // of the part; of a sensor in it: the part's
  std::string name, description, serial, model, maker, firmware, hardware;
  bool fru = false;
  std::optional<Measure> measure;
  const Resource* part = nullptr;  // in the inventory; never nullptr
  std::string
      property;  // what of it is measured ("value", "temperature_celsius"); "": it is no sensor
};

// Parents come before what they contain is not promised; a parent is always in the list.
std::vector<Entity> entities(const Knowledge& knowledge, PartNumbers& numbers);

}  // namespace fmd::snmp
