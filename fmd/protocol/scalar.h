// Scalar: a value of a message, and its reader. Internal to the protocol.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmd/base/on_demand.h"
#include "fmd/base/value.h"
#include "fmd/model/event_schema.h"

namespace fmd::protocol {

// A text is the parser's, until the next message.
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

// Reads a value to its end, so that all of it is known to be JSON. deepest: how deep it goes, where
// it is itself counted.
simdjson::error_code read(simdjson::ondemand::value value, size_t depth, size_t& deepest,
                          Scalar& out);

}  // namespace fmd::protocol
