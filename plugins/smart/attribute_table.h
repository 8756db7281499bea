// What the 48 raw bits of an ATA attribute mean. The number means what its vendor chose: most
// count, some pack several counters into one, and read as one number they cry wolf.
#pragma once
#include <cstdint>
#include <string_view>

namespace fmd::smart {

struct Attribute {
  int64_t value = 0;         // decoded
  const char* unit = "";     // "count", "hours", "celsius"
  const char* reading = "";  // its common name ("smart.pending"); "" when it has none
};

// name: smartctl's name of the attribute; model: of the drive. raw: raw.value of smartctl's JSON
// (the bytes as they are, not what smartctl prints).
Attribute decode_attribute(int id, std::string_view name, std::string_view model, uint64_t raw);

}  // namespace fmd::smart
