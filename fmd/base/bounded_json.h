// Bounded JSON: text from a network or device becomes a tree only if the tree is small. Two bytes
// of text can take up to 110 bytes of memory, so a limit on the text alone does not limit memory.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

struct JsonSize {
  size_t nesting = 0;  // levels of objects and arrays
  size_t values = 0;   // upper bound; counts malformed text as well
};
// Scans the text once and allocates nothing.
JsonSize measure_json(std::string_view text);

inline constexpr JsonSize kJsonLimits{64, 500'000};

// Fails on text beyond the limits and on malformed JSON.
Result<nlohmann::json> parse_bounded_json(std::string_view text,
                                          const JsonSize& limits = kJsonLimits);

}  // namespace fmd
