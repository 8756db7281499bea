#include "fmd/diagnosis/rule_key.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/text.h"

namespace fmd {

std::string row_key(std::string_view rule, std::string_view resource) {
  std::string key;
  key.reserve(rule.size() + 1 + resource.size());
  key += rule;
  key += ' ';
  key += resource;
  return key;
}

Result<RuleKey> rule_key_of(const StateRow& row) {
  const size_t blank = row.key.find(' ');
  if (blank == std::string::npos)
    return fail(fmt::format("stored {} \"{}\" has no resource", row.kind, display(row.key)));
  return RuleKey{row.key.substr(blank + 1), row.key.substr(0, blank)};
}

Result<nlohmann::json> object_of(const StateRow& row) {
  nlohmann::json doc = nlohmann::json::parse(row.doc, nullptr, false);
  if (doc.is_discarded() || !doc.is_object())
    return fail(fmt::format("stored {} \"{}\" is not a JSON object", row.kind, display(row.key)));
  return doc;
}

}  // namespace fmd
