#include "tests/lib/shipped_rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace fmd {
namespace {

void refuse(const std::vector<Error>& errors) {
  if (!errors.empty()) throw std::runtime_error(errors.front().text());
}

// Of the plugins that plugins/list names.
std::vector<std::string> shipped_folders(const std::string& common, const std::string& own) {
  std::vector<std::string> folders{FMD_TREE "/" + common};
  std::ifstream list(FMD_TREE "/plugins/list");
  for (std::string plugin; list >> plugin;) {
    std::string folder = FMD_TREE "/plugins/" + plugin + "/" + own;
    if (std::filesystem::is_directory(folder)) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace

std::vector<SourceFile> toml_files(const std::vector<std::string>& folders,
                                   const std::string& but) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".toml" || entry.path().filename() == but) continue;
      std::ifstream in(entry.path());
      files.push_back(
          {entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {})});
    }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
  return files;
}

std::vector<std::string> shipped_rule_folders() {
  return shipped_folders("diagnosis-rules", "rules");
}

std::vector<std::string> shipped_event_folders() {
  return shipped_folders("schemas/events", "events");
}

EventSchema shipped_schema() {
  auto [schema, errors] = EventSchema::load(toml_files(shipped_event_folders()));
  refuse(errors);
  return std::move(schema);
}

std::shared_ptr<const RuleSet> shipped_rules(const std::string& but) {
  auto [rules, errors] = RuleSet::load(toml_files(shipped_rule_folders(), but), shipped_schema());
  refuse(errors);
  return rules;
}

}  // namespace fmd
