#include "corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fmd::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostCorpus = 400;

}  // namespace

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.empty()) throw std::runtime_error("no corpus: " + path);
  return text;
}

std::vector<std::string> files(const std::vector<std::string>& folders, std::string_view ending,
                               std::string_view begins) {
  std::vector<fs::path> paths;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name.ends_with(ending) && name.starts_with(begins))
        paths.push_back(entry.path());
    }
  std::sort(paths.begin(), paths.end());
  if (paths.size() > kMostCorpus) paths.resize(kMostCorpus);
  std::vector<std::string> out;
  for (const fs::path& path : paths) out.push_back(file(path.string()));
  if (out.empty())
    throw std::runtime_error("no corpus: " + folders.front() + "/*" + std::string(ending));
  return out;
}

void must(bool so, const char* what) {
  if (!so) throw std::runtime_error(what);
}

}  // namespace fmd::fuzz
