// Test helpers: fixtures by name, and pools from the text of `zpool status -P`.
#pragma once
#include <fmt/format.h>

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs::test {

inline std::string fixture(const std::string& name) {
  std::ifstream stream(fmt::format("{}/{}", FIXTURES, name));
  EXPECT_TRUE(stream) << name;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

constexpr uint64_t kPool = 77;

// Each name gets the guid 1000 + its first position, and the pool 77, so that the rows of "-g"
// follow from those of "-P".
class Names {
 public:
  uint64_t guid(const std::string& name) {
    return guids_.try_emplace(name, 1000 + guids_.size()).first->second;
  }
  std::vector<StatusPool> as_guids(std::vector<StatusPool> status) {
    for (StatusPool& pool : status)
      for (StatusRow& row : pool.rows)
        if (row.depth > 0) row.name = std::to_string(guid(row.name));
    return status;
  }
  Pool pool(const std::string& text) {
    auto status = parse_status(text);
    EXPECT_TRUE(status) << (status ? "" : status.error().text());
    if (!status || status->empty()) return {};
    auto guids = as_guids(*status);
    auto pools = build_pools({{status->front().name, "ONLINE", kPool}}, guids,
                             collect_names(guids, *status));
    EXPECT_TRUE(pools) << (pools ? "" : pools.error().text());
    return pools ? pools->front() : Pool();
  }

 private:
  std::map<std::string, uint64_t> guids_;
};

// "  raidz2-0 ONLINE\n    /dev/sda DEGRADED" (two blanks per level, without the pool's row) → a
// whole status text.
inline std::string status_text(const std::string& rows, const std::string& scan = "none requested",
                               const std::string& state = "ONLINE") {
  std::string text = "  pool: tank\n state: " + state + "\n  scan: " + scan +
                     "\nconfig:\n\n\tNAME" + std::string(36, ' ') +
                     "STATE     READ WRITE CKSUM\n\ttank" + std::string(36, ' ') +
                     "ONLINE       0     0     0\n";
  std::istringstream lines(rows);
  for (std::string line; std::getline(lines, line);) {
    const size_t name = line.find_first_not_of(' ');
    const size_t end = line.find(' ', name);
    if (end == std::string::npos) {
      text += "\t" + line + "\n";
      continue;
    }
    std::string head = line.substr(0, end);
    head.resize(40, ' ');
    const size_t note = line.find(' ', end + 1);
    text += "\t" + head + line.substr(end + 1, note - end - 1) + "       0     0     0" +
            (note == std::string::npos ? "" : "  " + line.substr(note + 1)) + "\n";
  }
  return text + "\nerrors: No known data errors\n";
}

}  // namespace fmd::zfs::test
