// Meaning: the meaning of sensor states, by sensor_types.toml (IPMI specification, tables 42-2 and
// 42-3) and additions for one BMC. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/source_file.h"

namespace fmd {
struct TomlNode;
}

namespace fmd::ipmi {

enum class Verdict { nominal, reserved, absent, warning, critical, non_recoverable };  // ascending
std::string_view verdict_name(Verdict verdict);
inline bool is_bad(Verdict verdict) {
  return verdict >= Verdict::warning;
}

// Event/reading types (table 42-1) and sensor types (42-3) that the code uses.
namespace code {
inline constexpr int kThreshold = 0x01, kPresenceReading = 0x08, kRedundancy = 0x0B,
                     kSpecific = 0x6F;
inline constexpr int kTemperature = 0x01, kVoltage = 0x02, kCurrent = 0x03, kFan = 0x04,
                     kProcessor = 0x07, kPowerSupply = 0x08, kPowerUnit = 0x09, kCooling = 0x0A,
                     kMemory = 0x0C, kDriveSlot = 0x0D;
}  // namespace code

struct State {
  Verdict verdict = Verdict::nominal;
  std::string condition;  // its name for rules: "memory.corrected"; usually ""
  std::string text;
  bool lasts = true;  // a reading shows it, and it ends; false: an occurrence, such as an error
};

struct Bmc {  // as printed by `ipmitool mc info`
  int64_t manufacturer = 0, product = 0;
  bool operator==(const Bmc&) const = default;
};

class Meaning {
 public:
  // Later files take precedence. Entries for other BMCs are skipped. The error lists all mistakes.
  static Result<Meaning> parse(const std::vector<SourceFile>& files, const Bmc& bmc);
  // Nominal for a pair that the tables do not have: its meaning is unknown.
  State of(int reading_type, int sensor_type, int offset) const;
  bool knows(int reading_type, int sensor_type, int offset) const;
  std::string type_name(int sensor_type) const;  // "fan"; "type 0xc3" if unknown

 private:
  struct Entry {
    std::string name;
    std::vector<State> states;
  };
  std::map<int, Entry> readings_, types_;
  void take(const TomlNode& tables, const char* what, const SourceFile& file, const Bmc& bmc,
            std::vector<Error>& errors);
  const State* find(int reading_type, int sensor_type, int offset) const;
};

}  // namespace fmd::ipmi
