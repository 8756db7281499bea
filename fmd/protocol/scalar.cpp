#include "fmd/protocol/scalar.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fmd::protocol {
namespace {

namespace ondemand = simdjson::ondemand;
using ondemand::json_type;
using simdjson::error_code;
using simdjson::SUCCESS;

constexpr size_t kDeepestText = 200;  // levels of a message, because its reader is recursive

// Fast path: most numbers are short and whole. The caller skips the rest when it reads on.
bool read_plain(std::string_view token, Scalar& out) {
  constexpr size_t kFits = 19;  // digits, unless the first one is 9
  int64_t whole = 0;
  size_t digits = 0;
  for (; digits < token.size() && token[digits] >= '0' && token[digits] <= '9'; ++digits) {
    if (digits == kFits || (digits == kFits - 1 && token.front() == '9')) return false;
    whole = whole * 10 + (token[digits] - '0');
  }
  if (digits == 0 || (digits > 1 && token.front() == '0')) return false;
  for (const char c : token.substr(digits))
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return false;
  out.whole = whole;
  out.kind = ValueKind::natural;
  return true;
}

error_code read_number(ondemand::value& value, Scalar& out) {
  if (read_plain(value.raw_json_token(), out)) return SUCCESS;
  ondemand::number number;
  if (const auto error = value.get_number().get(number)) return error;
  if (number.is_int64()) {
    out.whole = number.get_int64();
    out.kind = out.whole < 0 ? ValueKind::negative : ValueKind::natural;
  } else if (number.is_uint64()) {
    out.large = number.get_uint64();
    out.kind = ValueKind::large;
  } else {
    // Not with simdjson, which up to 3.0 returns other values for more than 19 digits.
    const std::string_view token = value.raw_json_token();
    out.kind = ValueKind::real;
    out.real = 0;  // remains if the number is too close to 0 for a double
    std::from_chars(token.data(), token.data() + token.size(), out.real);
  }
  return SUCCESS;
}

}  // namespace

Value Scalar::to_value() const {
  switch (kind) {
    case ValueKind::boolean:
      return boolean;
    case ValueKind::negative:
    case ValueKind::natural:
      return whole;
    case ValueKind::large:
      return large;
    case ValueKind::real:
      return real;
    case ValueKind::string:
      return std::string(text);
    case ValueKind::compound:
      break;
  }
  return {};
}

error_code read(ondemand::value value, size_t depth, size_t& deepest, Scalar& out) {
  deepest = std::max(deepest, depth);
  if (depth > kDeepestText) return simdjson::DEPTH_ERROR;
  json_type type;
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case json_type::string:
      out.kind = ValueKind::string;
      return value.get_string().get(out.text);
    case json_type::number:
      return read_number(value, out);
    case json_type::boolean:
      out.kind = ValueKind::boolean;
      return value.get_bool().get(out.boolean);
    case json_type::null: {
      if (const auto error = value.is_null().get(out.null)) return error;
      return out.null ? SUCCESS : simdjson::N_ATOM_ERROR;
    }
    case json_type::array: {
      ondemand::array array;
      if (const auto error = value.get_array().get(array)) return error;
      for (auto&& item : array) {
        ondemand::value inner;
        if (const auto error = std::move(item).get(inner)) return error;
        Scalar ignored;
        if (const auto error = read(inner, depth + 1, deepest, ignored)) return error;
      }
      return SUCCESS;
    }
    case json_type::object: {
      ondemand::object object;
      if (const auto error = value.get_object().get(object)) return error;
      for (auto&& item : object) {
        ondemand::field field;
        std::string_view key;
        if (const auto error = std::move(item).get(field)) return error;
        if (const auto error = field.unescaped_key().get(key)) return error;
        Scalar ignored;
        if (const auto error = read(field.value(), depth + 1, deepest, ignored)) return error;
      }
      return SUCCESS;
    }
  }
  return simdjson::TAPE_ERROR;
}

}  // namespace fmd::protocol
