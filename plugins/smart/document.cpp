// Finds the JSON document in smartctl's output.
#include <optional>
#include <string_view>

#include "fmd/base/bounded_json.h"
#include "fmd/base/json.h"
#include "plugins/smart/fields.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

constexpr int kNotAnswered = 3;  // bits of smartctl's exit status: bad call, open failed
constexpr int kMostTries = 16;   // each try scans the remaining text at most once

// smartctl's own documents have 7 levels and a few thousand values.
constexpr JsonSize kLimits{12, 100'000};

// Empty if text is not an object or is beyond the limits.
std::optional<json> parse(std::string_view text) {
  auto doc = parse_bounded_json(text, kLimits);
  return doc && doc->is_object() ? std::optional(std::move(*doc)) : std::nullopt;
}

// The object that begins at text's first byte, up to its closing brace; empty if there is none.
std::string_view object_at(std::string_view text) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == '{')
      ++depth;
    else if (!quoted && c == '}' && --depth == 0)
      return text.substr(0, i + 1);
  }
  return {};
}

// 0: not smartctl's; 1: the query failed; 2: it reports on a disk.
int rank(const json& doc) {
  if (!field(doc, {"smartctl"})) return 0;
  return whole(doc, {"smartctl", "exit_status"}).value_or(0) & kNotAnswered ? 1 : 2;
}

}  // namespace

json read_document(std::string_view text) {
  if (auto doc = parse(text)) return std::move(*doc);
  json best = json::object();
  int best_rank = 0;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const size_t from = text.find('{');
    if (from == text.npos) break;
    text.remove_prefix(from);
    const std::string_view object = object_at(text);
    auto doc = object.empty() ? std::nullopt : parse(object);
    if (doc && rank(*doc) > 0 && rank(*doc) >= best_rank) {
      best_rank = rank(*doc);
      best = std::move(*doc);
    }
    text.remove_prefix(doc ? object.size() : 1);
  }
  return best;
}

}  // namespace fmd::smart
