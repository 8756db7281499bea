#include "fmd/base/bounded_json.h"

#include <algorithm>
#include <string>

#include "fmd/base/json.h"

namespace fmd {

JsonSize measure_json(std::string_view text) {
  JsonSize size{0, text.empty() ? size_t{0} : size_t{1}};
  size_t level = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (c == '{' || c == '[') {
      size.nesting = std::max(size.nesting, ++level);
      ++size.values;
    } else if (c == '}' || c == ']') {
      if (level > 0) --level;
    } else if (c == ',') {
      ++size.values;
    }
  }
  return size;
}

Result<nlohmann::json> parse_bounded_json(std::string_view text, const JsonSize& limits) {
  const JsonSize size = measure_json(text);
  if (size.nesting > limits.nesting)
    return fail("is nested more than " + std::to_string(limits.nesting) + " levels deep");
  if (size.values > limits.values)
    return fail("has more than " + std::to_string(limits.values) + " JSON values");
  nlohmann::json doc = nlohmann::json::parse(text, nullptr, false);
  if (doc.is_discarded()) return fail("is not JSON");
  return doc;
}

}  // namespace fmd
