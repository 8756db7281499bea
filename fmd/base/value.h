// Value: a scalar in an event's payload, a resource's property, a rule or a TOML file.
#pragma once
#include <cstdint>
#include <string>
#include <variant>

namespace fmd {

// monostate: absent, or not a scalar.
using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string>;

// For people: 12, true, text unescaped; monostate is "".
std::string to_text(const Value& value);
// True for numbers of equal value, and for equal bools or strings.
bool equal_values(const Value& a, const Value& b);

}  // namespace fmd
