// A plain payload, as nearly all are: the members of a known shape of its class, in that order,
// without escapes, negative numbers, fractions or white space. It is read by a scan over its bytes;
// anything else is left to the parser. Internal to the protocol.
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
  std::string_view text;  // of a string what is between the quotes; of a number its digits
  void put(
      Value& into) const;  // monostate for a list or an object; a text takes the room of one before
};

// From its brace on to where it ends (plain_text.h); nullptr when it is no such payload. keys: the names of a shape as they stand in
// JSON, with their colons. Fills a member for each.
const char* read_plain(const char* begin, const std::vector<std::string>& keys,
                       std::vector<PlainMember>& members);

}  // namespace fmd::protocol
