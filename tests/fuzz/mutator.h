// Mutator: damages an input, from a seed. Changes bytes anywhere, and, since most readers check
// structure first, removes, doubles, swaps or replaces whole lines, JSON values, numbers and quoted
// texts, with extreme values or parts of other inputs. The same seed produces the same bytes.
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
