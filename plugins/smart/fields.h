// Access to fields of untrusted JSON documents. A field that is missing or of another type reads as
// empty.
#pragma once
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/base/json.h"

namespace fmd::smart {

// Finds smartctl's document in its output; an empty object if there is none. There may be text
// around it (smartctl 7.1 prints a label of the pending defects list first) and several documents:
// the last one that reports on a disk counts.
nlohmann::json read_document(std::string_view text);

using Path = std::initializer_list<const char*>;

inline const nlohmann::json* field(const nlohmann::json& doc, Path path) {
  const nlohmann::json* at = &doc;
  for (const char* name : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(name);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

inline std::optional<double> number(const nlohmann::json& doc, Path path) {
  const auto* found = field(doc, path);
  if (!found || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

inline std::optional<int64_t> whole(const nlohmann::json& doc, Path path) {
  constexpr double kMost = 9e15;  // exact as a double
  const auto value = number(doc, path);
  if (!value || std::fabs(*value) > kMost) return std::nullopt;
  return static_cast<int64_t>(*value);
}

// Whole and at least 0, exact to 64 bits.
inline std::optional<uint64_t> natural(const nlohmann::json& doc, Path path) {
  const auto* found = field(doc, path);
  if (!found || !found->is_number_integer()) return std::nullopt;
  if (!found->is_number_unsigned() && found->get<int64_t>() < 0) return std::nullopt;
  return found->get<uint64_t>();
}

inline std::optional<bool> truth(const nlohmann::json& doc, Path path) {
  const auto* found = field(doc, path);
  return found && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
}

inline std::string text(const nlohmann::json& doc, Path path) {
  const auto* found = field(doc, path);
  return found && found->is_string() ? found->get<std::string>() : std::string();
}

// Empty if there is no such array.
inline const nlohmann::json& array(const nlohmann::json& doc, Path path) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const auto* found = field(doc, path);
  return found && found->is_array() ? *found : kNone;
}

}  // namespace fmd::smart
