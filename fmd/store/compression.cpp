#include "fmd/store/compression.h"

#include <fmt/format.h>

#include <charconv>

#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr int kFast = -5;
constexpr int kMost = 19;
constexpr std::string_view kZstd = "zstd-";

// 0: not a level.
int level_of(std::string_view digits) {
  int level = 0;
  if (digits.empty() || digits.size() > 2 || digits.front() == '0') return 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, level);
  return read.ec == std::errc() && read.ptr == end && level >= 1 && level <= kMost ? level : 0;
}

}  // namespace

Result<Compression> parse_compression(std::string_view name) {
  const std::string text(name);
  if (name == "auto") return Compression();
  if (name == "off") return Compression{text, {}, {}, {}};
  if (name == "zstd-fast") return Compression{text, kFast, kFast, kFast};
  const int level = name.starts_with(kZstd) ? level_of(name.substr(kZstd.size())) : 0;
  // Fast for new blocks, whatever the level: a source waits for its commit.
  if (level > 0) return Compression{text, Compression().fresh, level, level};
  return fail(
      fmt::format("\"{}\" is no compression: \"auto\", \"off\", \"zstd-fast\", or "
                  "\"zstd-1\" to \"zstd-{}\"",
                  display(name), kMost));
}

}  // namespace fmd
