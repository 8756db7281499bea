#pragma once
#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>

#include "plugins/ipmi/meaning.h"

namespace fmd::ipmi::testing {

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
inline std::string fixture(const std::string& name) {
  return file_text(fmt::format("{}/{}", FIXTURES, name));
}
inline Meaning standard(const std::vector<SourceFile>& more = {}, const Bmc& bmc = {}) {
  std::vector<SourceFile> files{{"sensor_types.toml", file_text(SENSOR_TYPES)}};
  files.insert(files.end(), more.begin(), more.end());
  auto meaning = Meaning::parse(files, bmc);
  return meaning ? *meaning : Meaning{};
}

}  // namespace fmd::ipmi::testing
