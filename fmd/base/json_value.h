// Values and JSON (nlohmann), for state, inventory and answers. The event path uses
// fmd/protocol/parse.h.
#pragma once
#include <charconv>
#include <concepts>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "fmd/base/value.h"

namespace fmd {

nlohmann::json value_to_json(const Value& value);
Value value_from_json(const nlohmann::json& value);  // monostate for null, arrays and objects
// One line. Invalid UTF-8 becomes U+FFFD, so that the output can always be parsed.
std::string dump_json(const nlohmann::json& doc);
// Appends the text as dump_json() would write it.
void append_json_text(std::string_view text, std::string& out);
void append_json_value(const Value& value, std::string& out);
template <std::integral Number>
void append_json_number(Number number, std::string& out) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}
template <std::integral First, std::integral... More>
void append_json_numbers(std::string& out, First first, More... more) {  // [1,2,3]
  out += '[';
  append_json_number(first, out);
  ((out += ',', append_json_number(more, out)), ...);
  out += ']';
}
// The member as text or number; the fallback if it is absent or of another type.
std::string json_text(const nlohmann::json& object, std::string_view key);
int64_t json_int(const nlohmann::json& object, std::string_view key, int64_t fallback = 0);
uint64_t json_uint(const nlohmann::json& object, std::string_view key, uint64_t fallback = 0);
bool json_bool(const nlohmann::json& object, std::string_view key, bool fallback = false);

}  // namespace fmd
