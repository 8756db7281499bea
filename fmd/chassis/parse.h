// Reads chassis descriptions strictly: an unknown key, a wrong value or an undefined name is an
// error with file, line and the nearest valid name. All errors of a file are reported at once.
// Pure.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/source_file.h"
#include "fmd/chassis/description.h"

namespace fmd::chassis {

// Every table and its keys, as in fmd-chassis(5) (a test compares them).
struct TableKeys {
  std::string table;  // "chassis", "match", "grid", …
  std::vector<std::string> keys;
};
const std::vector<TableKeys>& tables();

inline constexpr size_t kMostBays = 2000;

// Without a description if there is an error.
std::pair<std::optional<Description>, std::vector<Error>> parse(const SourceFile& file);

}  // namespace fmd::chassis
