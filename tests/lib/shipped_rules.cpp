#include "tests/lib/shipped_rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

namespace fmd {
namespace {

void refuse(const std::vector<Error>& errors) {
  if (!errors.empty()) throw std::runtime_error(errors.front().text());
}

// `common`, and the folder `own` of each plugin in plugins/list.
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
      if (entry.is_symlink()) continue;  // to a file in a plugin's folder
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

const EventSchema& shipped_schema() {
  static const EventSchema read = [] {
    auto [schema, errors] = EventSchema::load(toml_files(shipped_event_folders()));
    refuse(errors);
    return std::move(schema);
  }();
  return read;
}

std::shared_ptr<const RuleSet> shipped_rules(const std::string& but) {
  thread_local std::map<std::string, std::shared_ptr<const RuleSet>> read;
  std::shared_ptr<const RuleSet>& kept = read[but];
  if (!kept) {
    auto [rules, errors] = RuleSet::load(toml_files(shipped_rule_folders(), but), shipped_schema());
    refuse(errors);
    kept = rules;
  }
  return kept;
}

}  // namespace fmd
