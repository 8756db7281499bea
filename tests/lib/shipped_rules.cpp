#include "tests/lib/shipped_rules.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fmd {
namespace {

void refuse(const std::vector<Error>& errors) {
  if (!errors.empty()) throw std::runtime_error(errors.front().text());
}

}  // namespace

std::vector<SourceFile> toml_files(const std::string& folder, const std::string& but) {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml" || entry.path().filename() == but) continue;
    std::ifstream in(entry.path());
    files.push_back(
        {entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  return files;
}

EventSchema shipped_schema() {
  auto [schema, errors] = EventSchema::load(toml_files(FMD_TREE "/schemas/events"));
  refuse(errors);
  return std::move(schema);
}

std::shared_ptr<const RuleSet> shipped_rules(const std::string& but) {
  auto [rules, errors] =
      RuleSet::load(toml_files(FMD_TREE "/diagnosis-rules", but), shipped_schema());
  refuse(errors);
  return rules;
}

}  // namespace fmd
