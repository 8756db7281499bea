#include "ui/cli/rule_loading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "fmd/base/counted.h"
#include "ui/cli/layout.h"
#include "ui/cli/source_files.h"
#include "ui/client/paths.h"

namespace fmd::cli {
namespace {

// The vendor's folder, and the administrator's if it has files; or the folders in the variable,
// separated as in $PATH: a simulated host has its own rules.
std::vector<std::string> installed(const char* variable, const char* vendor, const char* local) {
  std::vector<std::string> folders;
  if (const char* named = getenv(variable); named && *named) {
    std::istringstream list(named);
    for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder);
    return folders;
  }
  folders.emplace_back(vendor);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(local, error))
    if (entry.path().extension() == ".toml") {
      folders.emplace_back(local);
      break;
    }
  return folders;
}

}  // namespace

namespace {

// An [[override]] whose rule is in a folder that was not named.
void add_folders(const std::vector<std::string>& paths, std::vector<Error>& errors) {
  if (paths.empty()) return;
  for (Error& error : errors) {
    if (!error.message.starts_with("override: there is no ")) continue;
    std::string read;
    for (const std::string& path : paths) read += (read.empty() ? "" : ", ") + path;
    error.message += fmt::format(" (rules read: {}", read);
    const bool vendor = std::find(paths.begin(), paths.end(), FMD_RULES_DIR) != paths.end();
    error.message += vendor ? ")"
                            : "; the installed ones were not read: name " FMD_RULES_DIR
                              " as well, before the changes)";
  }
}

}  // namespace

LoadedRules load_rules(const std::vector<std::string>& paths,
                       const std::vector<std::string>& events) {
  LoadedRules loaded;
  const auto classes = read_toml(
      events.empty() ? installed("FMD_EVENTS", FMD_EVENTS_DIR, FMD_SYSCONF_DIR "/events.d")
                     : events);
  if (!classes) {
    loaded.errors.push_back(classes.error());
    loaded.errors.back().message += " (event classes; name their folder with --events)";
  } else {
    std::tie(loaded.schema, loaded.errors) = EventSchema::load(*classes);
  }
  const auto files = read_toml(
      paths.empty() ? installed("FMD_RULES", FMD_RULES_DIR, FMD_SYSCONF_DIR "/rules.d") : paths);
  if (!files) loaded.errors.push_back(files.error());
  if (!classes || !files) return loaded;
  for (const SourceFile& file : *files) loaded.files.push_back(file.name);
  auto [rules, errors] = RuleSet::load(*files, loaded.schema, &loaded.tables);
  add_folders(paths, errors);
  loaded.errors.insert(loaded.errors.end(), errors.begin(), errors.end());
  if (loaded.errors.empty()) loaded.rules = std::move(rules);
  return loaded;
}

Error say_errors(const std::vector<Error>& errors) {
  for (const Error& error : errors) fmt::print(stderr, "{}\n", clean_prose(error.text()));
  return {counted(errors.size(), "error"), {}, 0};
}

}  // namespace fmd::cli
