// PartNumbers: the number of each part in the tables (entPhysicalIndex and fmd's own). It survives
// restarts, since managers identify their graphs by it. Stored in FOLDER/numbers; numbers are never
// reused. Single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd::snmp {

class PartNumbers {
 public:
  static constexpr size_t kKept = 100000;  // beyond that, unused numbers are forgotten

  // folder: the state directory; "": nothing is stored. An unreadable file is an error: newly
  // assigned numbers could belong to other parts.
  static Result<PartNumbers> open(const std::string& folder, size_t kept = kKept);

  // key: an FMRI, optionally with a reading's name ("dev://wwn=5#temperature_celsius").
  uint32_t of(std::string_view key);
  // Writes the file if there are changes.
  Result<void> save();

 private:
  struct Number {
    uint32_t value;
    bool asked;  // since the program started
  };
  Result<void> load();
  void forget();

  std::string path_;
  size_t kept_ = kKept;
  uint32_t next_ = 1;
  bool changed_ = false;
  std::map<std::string, Number, std::less<>> numbers_;
};

}  // namespace fmd::snmp
