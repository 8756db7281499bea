#include "shipped_rules.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace fmd::bench {
namespace {

std::vector<SourceFile> read_folder(const std::string& folder, const std::string& but = "") {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml" || entry.path().filename() == but) continue;
    std::ifstream in(entry.path());
    files.push_back(
        {entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  return files;
}

void refuse(const std::vector<Error>& errors) {
  if (!errors.empty()) throw std::runtime_error(errors.front().text());
}

}  // namespace

EventSchema shipped_schema() {
  auto [schema, errors] = EventSchema::load(read_folder(FMD_TREE "/schemas/events"));
  refuse(errors);
  return std::move(schema);
}

std::shared_ptr<const RuleSet> shipped_rules(const EventSchema& schema, const std::string& but) {
  auto [rules, errors] = RuleSet::load(read_folder(FMD_TREE "/diagnosis-rules", but), schema);
  refuse(errors);
  return rules;
}

}  // namespace fmd::bench
