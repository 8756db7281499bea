#include "fmd/model/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/base/toml.h"

namespace fmd {
namespace {

constexpr std::string_view kEvery = "*";

bool has(const std::set<std::string, std::less<>>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& known) {
    if (!known.ends_with(".*")) return known == name;
    const auto begins = std::string_view(known).substr(0, known.size() - 1);
    return name.size() > begins.size() && name.starts_with(begins);
  });
}

// "; is "x" meant?", or how to declare another author's name.
std::string hint(std::string_view name, const std::vector<std::string>& known) {
  const auto near = nearest(name, known);
  return near ? fmt::format("; is \"{}\" meant?", *near)
              : "; a new one is declared in events.d, see fmd-rules(5)";
}

}  // namespace

void Vocabulary::add(const std::string& type, const std::vector<std::string>& properties) {
  types_[type].insert(properties.begin(), properties.end());
}

Result<void> Vocabulary::check_type(std::string_view type) const {
  if (types_.empty() || (type != kEvery && types_.contains(type))) return {};
  std::vector<std::string> names;
  for (const auto& [name, properties] : types_)
    if (name != kEvery) names.push_back(name);
  return fail(fmt::format("there is no type of part \"{}\"{}", display(type), hint(type, names)));
}

Result<void> Vocabulary::check_property(std::string_view type, std::string_view property) const {
  if (types_.empty() || (!type.empty() && !types_.contains(type))) return {};
  std::vector<std::string> names;
  for (const auto& [name, properties] : types_) {
    if (!type.empty() && name != type && name != kEvery) continue;
    if (has(properties, property)) return {};
    names.insert(names.end(), properties.begin(), properties.end());
  }
  return fail(fmt::format("{} has a property \"{}\"{}",
                          type.empty() ? "no type of part" : fmt::format("no {}", display(type)),
                          display(property), hint(property, names)));
}

}  // namespace fmd
