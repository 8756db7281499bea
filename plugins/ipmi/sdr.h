// Sdr: parses the records of a BMC's sensors and FRU memories, as written by `ipmitool sdr dump`
// (IPMI specification, section 43). Pure.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::ipmi {

struct Entity {  // a part: its kind (table 43-13) and its number
  int id = 0, instance = 0;
  auto operator<=>(const Entity&) const = default;
};

namespace entity {
inline constexpr int kProcessor = 3, kPowerSupply = 10, kFan = 29, kMemory = 32;
}

// The owner of a sensor or log entry (sections 32.1 and 43.1). Even: address of a controller; odd:
// software (firmware, its SMI handler, an operating system). The LUN is above the byte.
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
  bool event_only = false;  // cannot be read: reported only in the event log
  int owner = owner::kBmc;  // the controller's address or the software's id, and the LUN
  bool ours = true;         // false: of another controller, which is not queried
  uint16_t readable = 0;    // discrete: the offsets that a reading can show
  std::string unit;         // threshold: "celsius", "volts", "amps", "watts", "rpm", "percent", ""
  // Decodes a raw value; empty if the record has no conversion, or a vendor-specific one.
  std::optional<double> value(int raw) const;
  // Indexed by the bit in a reading (0: lower non-critical … 5: upper non-recoverable).
  std::array<std::optional<double>, 6> limits;
  int compares = 0;  // threshold: which of these bits are used

  struct Curve {
    bool has = false, is_signed = false, ones = false;
    int m = 1, b = 0, b_exponent = 0, r_exponent = 0, linear = 0;
  } curve;
};

struct FruLocator {  // of a part's FRU memory
  Entity part;
  std::string name;  // the vendor's name of the part: "PS1"
  auto operator<=>(const FruLocator&) const = default;
};

struct Sdr {
  std::vector<Sensor> sensors;     // in the order of the records
  std::map<int, FruLocator> frus;  // by FRU device id
  bool broken = false;             // it ended within a record
  static constexpr size_t kMostSensors = 4096;
  bool too_many = false;                 // there are more sensors, which were not read
  const Sensor* find(int number) const;  // of the BMC itself; nullptr: no record
  // The sensor of a log entry: numbers are per owner. For software's entries there is often only a
  // record under the BMC's number: an event-only sensor of the same type.
  const Sensor* find(int owner, int number, int type) const;
};

Sdr parse_sdr(std::string_view dump);

}  // namespace fmd::ipmi
