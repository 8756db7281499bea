// Config: a plugin's TOML file, read strictly. Read every known key, then call finish(): an unknown
// key, a wrong type or a value out of range is an error with file, line and the nearest valid name.
// All errors are listed, one per line.
//   Config config(context.config_path);
//   options.rescan = config.duration("rescan", 30s);
//   if (auto good = config.finish(); !good) return tl::unexpected(good.error());
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::sdk {

class Config {
 public:
  explicit Config(const std::string& path);  // "": as an empty file
  ~Config();
  Config(Config&&) noexcept;

  // key: "rescan", or "smtp.host" in a table. An absent key gives the default (usual).
  std::string text(std::string_view key, std::string usual);
  bool boolean(std::string_view key, bool usual);
  int64_t integer(std::string_view key, int64_t usual, int64_t least, int64_t most);
  std::vector<std::string> texts(std::string_view key, std::vector<std::string> usual);
  // As in "30s" or "10min"; at least 1 ms.
  std::chrono::milliseconds duration(std::string_view key, std::chrono::milliseconds usual);
  bool has(std::string_view key) const;
  // Adds an error about a value (such as an invalid address).
  void wrong(std::string_view key, std::string_view what);
  Result<void> finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::sdk
