// PartNumbers: the number that each part has in the tables (entPhysicalIndex and fmd's own), the same over
// restarts: a manager's graphs hang on it. On disk in FOLDER/numbers; a number is never given twice.
// Single thread.
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
  static constexpr size_t kKept = 100000;  // then those that nobody asked for are forgotten

  // folder: the state directory; "": nothing is kept. What cannot be read is an error: numbers given anew would be others'.
  static Result<PartNumbers> open(const std::string& folder, size_t kept = kKept);

  // key: an FMRI, or one with the name of a reading ("dev://wwn=5#temperature_celsius").
  uint32_t of(std::string_view key);
  // Writes what is new since the last time.
  Result<void> save();

 private:
  struct Number {
    uint32_t value;
    bool asked;  // since the program began
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
