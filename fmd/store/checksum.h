// A checksum for data that zstd does not check. It is stored with the data, so the algorithm must
// never change. Internal to the store.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fmd::store {

// Detects any change within eight bytes, as each step is reversible. sum: of preceding data.
inline uint64_t checksum(std::string_view bytes, uint64_t sum = 0) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15U;
  sum += bytes.size() * kOdd;
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    sum = std::rotl((sum ^ word) * kOdd, 29);
  }
  return sum;
}

}  // namespace fmd::store
