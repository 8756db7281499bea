// Chance: randomness from a seed (splitmix64); a seed gives the same history on every machine.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace fmd::histories {

class Chance {
 public:
  // The seed is mixed; otherwise seed n+1 would give the numbers of seed n, shifted by one.
  explicit Chance(uint64_t seed) : state_(mix(mix(seed) + 0x632be59bd9b4e019ULL)) {}

  uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }
  int below(int n) { return n <= 1 ? 0 : static_cast<int>(next() % static_cast<uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool percent(int p) { return below(100) < p; }
  // Picks one of the values by weight.
  template <class T>
  T pick(std::initializer_list<std::pair<int, T>> weighted) {
    int sum = 0;
    for (const auto& [weight, value] : weighted) sum += weight;
    int at = below(sum);
    for (const auto& [weight, value] : weighted) {
      if (at < weight) return value;
      at -= weight;
    }
    return weighted.begin()->second;
  }

 private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

}  // namespace fmd::histories
