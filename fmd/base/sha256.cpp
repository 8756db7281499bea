#include "fmd/base/sha256.h"

#include <bit>
#include <cstddef>
#include <string>

namespace fmd {
namespace {

constexpr size_t kBlock = 64;

constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<uint32_t, 8>;

uint32_t word_at(const char* bytes) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<uint8_t>(bytes[i]);
  return word;
}

void take_block(State& state, const char* block) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) w[i] = word_at(block + 4 * i);
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  State s = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t one = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                         choice + kRound[i] + w[i];
    const uint32_t two =
        (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
    s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
  }
  for (size_t i = 0; i < 8; ++i) state[i] += s[i];
}

std::string_view bytes_of(const Sha256& sum) {
  return {reinterpret_cast<const char*>(sum.data()), sum.size()};
}

}  // namespace

Sha256 sha256(std::string_view data) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  size_t at = 0;
  for (; at + kBlock <= data.size(); at += kBlock) take_block(state, data.data() + at);
  std::string rest(data.substr(at));
  rest += '\x80';
  rest.resize(rest.size() <= kBlock - 8 ? kBlock - 8 : 2 * kBlock - 8, '\0');
  const uint64_t bits = uint64_t{data.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 0xff);
  for (size_t i = 0; i < rest.size(); i += kBlock) take_block(state, rest.data() + i);
  Sha256 sum{};
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return sum;
}

Sha256 hmac_sha256(std::string_view key, std::string_view message) {
  std::string padded(key.size() > kBlock ? bytes_of(sha256(key)) : key);
  padded.resize(kBlock, '\0');
  std::string inner, outer;
  for (const char c : padded) {
    inner += static_cast<char>(c ^ 0x36);
    outer += static_cast<char>(c ^ 0x5c);
  }
  inner += message;
  const Sha256 sum = sha256(inner);
  outer += bytes_of(sum);
  return sha256(outer);
}

}  // namespace fmd
