#include "fmd/store/header.h"

#include <fstream>
#include <string_view>

namespace fmd::store {
namespace {

using namespace std::string_view_literals;

struct Field {
  size_t at;
  std::string_view value;
};

constexpr Field kFixed[]{
    {0, "SQLite format 3\0"sv},
    {16, "\x10\0"sv},          // bytes in a page
    {18, "\2\2"sv},            // versions for writing and reading: with a write-ahead log
    {20, "\0\x40\x20\x20"sv},  // bytes kept free in each page; parts of a page for one row
    {44, "\0\0\0\4"sv},        // format of the schema
    {56, "\0\0\0\1"sv},        // encoding of texts
};
constexpr size_t kVersionsAt = 18, kEncodingAt = 56, kApplicationIdAt = 68;
constexpr char kWithoutLog = 1;  // the versions before the log was switched on
constexpr std::string_view kApplication = "fmd1"sv;

}  // namespace

void set_fixed_fields(std::string& header) {
  for (const auto& [at, value] : kFixed) header.replace(at, value.size(), value);
}

bool has_damaged_header(const std::string& path) {
  std::string header(kHeaderBytes, '\0');
  if (!std::ifstream(path, std::ios::binary).read(header.data(), kHeaderBytes)) return false;
  if (header.compare(kApplicationIdAt, kApplication.size(), kApplication) != 0) return false;
  std::string good = header;
  set_fixed_fields(good);
  for (size_t at = kVersionsAt; at < kVersionsAt + 2; ++at)
    if (header[at] == kWithoutLog) good[at] = kWithoutLog;
  // SQLite uses two bits of the encoding.
  good.replace(kEncodingAt, 3, header, kEncodingAt, 3);
  good[kEncodingAt + 3] = static_cast<char>((header[kEncodingAt + 3] & ~3) | 1);
  return header != good;
}

}  // namespace fmd::store
