// Mutator: damages an input, by a seed. Bytes anywhere; and, since most readers look at structure first,
// whole lines, JSON values, numbers and quoted texts, taken out, doubled, exchanged, made extreme, or
// taken from another input of the corpus. The same seed gives the same bytes.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fmd::fuzz {

class Mutator {
 public:
  Mutator(uint64_t seed, const std::vector<std::string>& corpus) : random_(seed), corpus_(corpus) {}
  std::string next();

 private:
  static constexpr size_t kMostBytes = 256 << 10;

  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const std::string& any() { return corpus_[below(corpus_.size())]; }
  void bytes(std::string& text);
  void cut(std::string& text);
  void splice(std::string& text);
  void lines(std::string& text);
  void value(std::string& text);
  void nest(std::string& text);

  std::mt19937_64 random_;
  const std::vector<std::string>& corpus_;
};

}  // namespace fmd::fuzz
