// Compression: the compression level of the store ([store] compression).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

// A zstd level; negative ones are faster. None: uncompressed.
using PackLevel = std::optional<int>;

struct Compression {
  std::string name = "auto";  // as in fmd.toml
  PackLevel fresh = -2;       // for commits: a source waits for them
  PackLevel sealed = 3;       // for events merged into large blocks
  PackLevel readings = 6;     // for readings merged into large blocks
  bool operator==(const Compression&) const = default;
};

// "auto", "off", "zstd-fast", "zstd-1" to "zstd-19"; otherwise an error.
Result<Compression> parse_compression(std::string_view name);

}  // namespace fmd
