// A plain payload, as nearly all are: the members of a known shape of its class, in that order,
// without escapes, negative numbers, fractions or white space. A scan over its bytes reads it; all
// else is left to the parser. Internal to the protocol.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/value.h"
#include "fmd/model/event_schema.h"

namespace fmd::protocol {

struct PlainMember {
  ValueKind kind = ValueKind::compound;  // natural, large, string, or compound
  std::string_view text;                 // a string without quotes, or a number's digits
  void put(
      Value& into) const;  // monostate for lists and objects; reuses the buffer of an earlier text
};

// Reads from the opening brace and returns the end (plain_text.h), or nullptr if it is not such a
// payload. keys: the shape's names as JSON, with colons. Fills one member per key.
const char* read_plain(const char* begin, const std::vector<std::string>& keys,
                       std::vector<PlainMember>& members);

}  // namespace fmd::protocol
