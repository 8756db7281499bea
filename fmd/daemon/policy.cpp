#include "fmd/daemon/policy.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

namespace fmd {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFile = 4 << 20;

Result<std::string> read_file(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxFile)
    return fail(fmt::format("is larger than {} MiB", kMaxFile >> 20), path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in || !fs::is_regular_file(path, error)) return fail("cannot be read", path.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::pair<std::vector<SourceFile>, std::vector<Error>> read_folders(
    const std::vector<std::string>& folders) {
  std::vector<Error> errors;
  std::map<std::string, fs::path> by_name;
  for (size_t i = 0; i < folders.size(); ++i) {
    std::error_code error;
    fs::directory_iterator entries(folders[i], error);
    if (error) {
      const bool may_be_missing = i > 0 && error == std::errc::no_such_file_or_directory;
      if (!may_be_missing)
        errors.push_back({fmt::format("cannot be read: {}", error.message()), folders[i], 0});
      continue;
    }
    for (const fs::directory_entry& entry : entries)
      if (entry.path().extension() == ".toml")
        by_name[entry.path().filename().string()] = entry.path();
  }
  std::vector<SourceFile> files;
  for (const auto& [name, path] : by_name) {
    Result<std::string> text = read_file(path);
    if (text)
      files.push_back({path.string(), std::move(*text)});
    else
      errors.push_back(text.error());
  }
  if (files.empty() && errors.empty() && !folders.empty())
    errors.push_back({"holds no *.toml file", folders.front(), 0});
  return {std::move(files), std::move(errors)};
}

std::pair<Policy, std::vector<Error>> load_policy(const std::vector<std::string>& event_folders,
                                                  const std::vector<std::string>& rule_folders) {
  Policy policy;
  auto [event_files, errors] = read_folders(event_folders);
  auto [schema, schema_errors] = EventSchema::load(event_files);
  errors.insert(errors.end(), schema_errors.begin(), schema_errors.end());
  auto [rule_files, file_errors] = read_folders(rule_folders);
  errors.insert(errors.end(), file_errors.begin(), file_errors.end());
  auto [rules, rule_errors] = RuleSet::load(rule_files, schema);
  errors.insert(errors.end(), rule_errors.begin(), rule_errors.end());
  policy.schema = std::move(schema);
  policy.rules = std::move(rules);
  for (const auto* files : {&event_files, &rule_files})
    for (const SourceFile& file : *files) policy.files.push_back(file.name);
  return {std::move(policy), std::move(errors)};
}

}  // namespace fmd
