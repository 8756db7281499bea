// Scalar: a value in a message, and its reader. Internal to the protocol.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmd/base/on_demand.h"
#include "fmd/base/value.h"
#include "fmd/model/event_schema.h"

namespace fmd::protocol {

// A text points into the parser's memory and is valid until the next message.
struct Scalar {
  ValueKind kind = ValueKind::compound;
  bool null = false;
  union {
    bool boolean;
    int64_t whole;
    uint64_t large;
    double real = 0;
  };
  std::string_view text;

  const std::string_view* as_text() const { return kind == ValueKind::string ? &text : nullptr; }
  bool is_natural() const { return kind == ValueKind::natural; }
  Value to_value() const;  // monostate for null, arrays and objects
};

// Reads a value to its end, so that all of it is known to be valid JSON. deepest: the nesting
// depth, including the value itself.
simdjson::error_code read(simdjson::ondemand::value value, size_t depth, size_t& deepest,
                          Scalar& out);

}  // namespace fmd::protocol
