// Sdr: the records of a BMC's sensors and of its parts' own memories, as `ipmitool sdr dump` writes
// them (IPMI specification, section 43). Pure.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::ipmi {

struct Entity {  // which part: what kind (table 43-13) and which of these
  int id = 0, instance = 0;
  auto operator<=>(const Entity&) const = default;
};

namespace entity {
inline constexpr int kProcessor = 3, kPowerSupply = 10, kFan = 29, kMemory = 32;
}

// Who has a sensor or wrote an entry of the log (sections 32.1 and 43.1): an even address is a controller's, an odd number stands for
// software: the machine's firmware, its SMI handler, an operating system. Above the byte: the LUN.
namespace owner {
inline constexpr int kBmc = 0x20;
inline bool is_software(int owner) {
  return (owner & 1) != 0;
}
}  // namespace owner

struct Sensor {
  int number = 0, type = 0, reading_type = 0;
  Entity part;
  std::string name;
  bool event_only = false;  // there is nothing to read: only the event log tells of it
  int owner = owner::kBmc;  // whose: the controller's address or the software's number, and its LUN
  bool ours = true;         // false: another controller's, which we do not ask
  uint16_t readable = 0;    // discrete: which offsets a reading can show
  std::string unit;         // threshold: "celsius", "volts", "amps", "watts", "rpm", "percent", ""
  // Raw value → what it stands for; nothing when the record has none, or its curve is the maker's.
  std::optional<double> value(int raw) const;
  // By the bit that a reading shows (0: lower non-critical … 5: upper non-recoverable).
  std::array<std::optional<double>, 6> limits;
  int compares = 0;  // threshold: which of these bits mean something

  struct Curve {
    bool has = false, is_signed = false, ones = false;
    int m = 1, b = 0, b_exponent = 0, r_exponent = 0, linear = 0;
  } curve;
};

struct FruLocator {  // of a part's own memory
  Entity part;
  std::string name;  // as the machine's maker calls the part: "PS1"
  auto operator<=>(const FruLocator&) const = default;
};

struct Sdr {
  std::vector<Sensor> sensors;     // in the order of the records
  std::map<int, FruLocator> frus;  // by FRU device id
  bool broken = false;             // it ended within a record
  static constexpr size_t kMostSensors = 4096;
  bool too_many = false;                 // there are more sensors, which were not read
  const Sensor* find(int number) const;  // one of ours; nullptr: no record tells of it
  // Of an entry of the log: numbers are its owner's own. What software logs often has a record under the
  // BMC's number: one that is there for events only, of the same type.
  const Sensor* find(int owner, int number, int type) const;
};

Sdr parse_sdr(std::string_view dump);

}  // namespace fmd::ipmi
