#include "fmd/base/json_value.h"

#include <algorithm>
#include <cstring>

#include "fmd/base/json.h"

namespace fmd {

nlohmann::json value_to_json(const Value& value) {
  return std::visit(
      [](const auto& v) -> nlohmann::json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

Value value_from_json(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::boolean:
      return value.get<bool>();
    case nlohmann::json::value_t::number_integer:
      return value.get<int64_t>();
    case nlohmann::json::value_t::number_unsigned:
      if (value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)) return value.get<int64_t>();
      return value.get<uint64_t>();
    case nlohmann::json::value_t::number_float:
      return value.get<double>();
    case nlohmann::json::value_t::string:
      return value.get<std::string>();
    default:
      return {};
  }
}

std::string dump_json(const nlohmann::json& doc) {
  return doc.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

// Printable ASCII without characters to escape. Checks eight bytes at a time: sets the highest bit
// of each other byte. A carry or borrow may set further bits, but only if one was set rightly.
bool is_plain(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHighest = 0x80 * kOnes;
  const auto below = [](uint64_t bytes, uint64_t least) {
    return (bytes - least * kOnes) & ~bytes;
  };
  const auto has_none = [&](uint64_t bytes) {
    return ((bytes | (bytes + kOnes) | below(bytes, 0x20) | below(bytes ^ '"' * kOnes, 1) |
             below(bytes ^ '\\' * kOnes, 1)) &
            kHighest) == 0;
  };
  uint64_t bytes = 0;
  for (; text.size() >= sizeof bytes; text.remove_prefix(sizeof bytes)) {
    std::memcpy(&bytes, text.data(), sizeof bytes);
    if (!has_none(bytes)) return false;
  }
  if (text.empty()) return true;
  bytes = ' ' * kOnes;
  std::memcpy(&bytes, text.data(), text.size());
  return has_none(bytes);
}

}  // namespace

void append_json_text(std::string_view text, std::string& out) {
  if (!is_plain(text)) {
    out += dump_json(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void append_json_value(const Value& value, std::string& out) {
  if (const auto* text = std::get_if<std::string>(&value))
    append_json_text(*text, out);
  else
    out += dump_json(value_to_json(value));
}

std::string json_text(const nlohmann::json& object, std::string_view key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

int64_t json_int(const nlohmann::json& object, std::string_view key, int64_t fallback) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_integer() ? at->get<int64_t>() : fallback;
}

uint64_t json_uint(const nlohmann::json& object, std::string_view key, uint64_t fallback) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_unsigned() ? at->get<uint64_t>() : fallback;
}

bool json_bool(const nlohmann::json& object, std::string_view key, bool fallback) {
  const auto at = object.find(key);
  return at != object.end() && at->is_boolean() ? at->get<bool>() : fallback;
}

}  // namespace fmd
