#include "plugins/hardware/description_files.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace fmd::hardware {
namespace {

namespace fs = std::filesystem;

std::map<std::string, fs::path> files_of(const std::vector<std::string>& folders) {
  std::map<std::string, fs::path> by_name;
  for (const auto& folder : folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".toml") by_name[entry.path().filename()] = entry.path();
  }
  return by_name;
}

}  // namespace

std::vector<SourceFile> read_descriptions(const std::vector<std::string>& folders) {
  std::vector<SourceFile> files;
  for (const auto& [name, path] : files_of(folders)) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    files.push_back({path.string(), text.str()});
  }
  return files;
}

std::string state_of_descriptions(const std::vector<std::string>& folders) {
  std::string state;
  for (const auto& [name, path] : files_of(folders)) {
    std::error_code error;
    state += path.string() + ' ' + std::to_string(fs::file_size(path, error)) + ' ' +
             std::to_string(fs::last_write_time(path, error).time_since_epoch().count()) + '\n';
  }
  return state;
}

}  // namespace fmd::hardware
