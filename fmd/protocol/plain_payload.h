// A plain payload, as nearly all are: the members of a shape that its class has had before, in that
// order, nothing escaped, negative or with a fraction, no white space. It is read by a walk over its bytes;
// whatever else it is, is for the parser. Inside the protocol only.
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
  uint64_t whole = 0;
  std::string_view text;
  Value to_value() const;  // monostate for a list or an object
};

// From its brace on; a 0 byte ends the text. Fills a member for each name. Returns how long it is, 0
// when it is no such payload. The caller knows already that the text is UTF-8 and that no string in
// it has control characters (simdjson's first stage); all else that JSON asks for is seen to here.
size_t read_plain(const char* begin, const std::vector<std::string>& names,
                  std::vector<PlainMember>& members);

}  // namespace fmd::protocol
