#include "ui/cli/source_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace fmd::cli {

namespace fs = std::filesystem;

Result<std::string> read_text(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad())
    return fail(std::string("cannot be read: ") + strerror(errno ? errno : EIO), path);
  return std::move(text).str();
}

Result<std::vector<SourceFile>> read_toml(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> by_name;  // file name → path
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      by_name[fs::path(path).filename().string()] = path;
      continue;
    }
    bool any = false;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (entry.path().extension() != ".toml") continue;
      by_name[entry.path().filename().string()] = entry.path().string();
      any = true;
    }
    if (error) return fail("cannot be read: " + error.message(), path);
    if (!any) return fail("holds no .toml file", path);
  }
  std::vector<SourceFile> files;
  for (const auto& [name, path] : by_name) {
    auto text = read_text(path);
    if (!text) return tl::unexpected(text.error());
    files.push_back({path, std::move(*text)});
  }
  return files;
}

}  // namespace fmd::cli
