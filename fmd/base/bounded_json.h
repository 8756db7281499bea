// Bounded JSON: text from a network or a device becomes a tree only if the tree is small enough. A value takes up to
// 110 bytes of memory and as little as two bytes of text, so a limit on the text alone is not one on memory.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

struct JsonSize {
  size_t nesting = 0;  // levels of objects and arrays
  size_t values = 0;   // at most so many: malformed text counts as well
};
// Scans the text once and allocates nothing.
JsonSize measure_json(std::string_view text);

inline constexpr JsonSize kJsonLimits{64, 500'000};

// Fails beyond the limits, and on text that is not JSON.
Result<nlohmann::json> parse_bounded_json(std::string_view text,
                                          const JsonSize& limits = kJsonLimits);

}  // namespace fmd
