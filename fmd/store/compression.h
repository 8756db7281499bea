// Compression: the compression level of the store ([store] compression).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

// zstd's; negative ones are faster. None: kept as it is.
using PackLevel = std::optional<int>;

struct Compression {
  std::string name = "auto";  // as it is written in fmd.toml
  PackLevel fresh = -2;       // what a commit writes: a source waits for it
  PackLevel sealed = 3;       // the same, merged into large blocks later on
  PackLevel readings = 6;     // readings, merged into large blocks
  bool operator==(const Compression&) const = default;
};

// "auto", "off", "zstd-fast", "zstd-1" to "zstd-19"; an error says so.
Result<Compression> parse_compression(std::string_view name);

}  // namespace fmd
