// KnownErrors: which errors (by hash, serd.h) some engine of a rule may already have counted. False
// positives are possible, false negatives are not; a "no" saves the look-up in the engines, and
// most errors of a storm are new. Kept per rule, since several rules count the same event.
//
// A Bloom filter of four bits in one 64-bit word, of which each error uses one half; about one
// false positive in a thousand. It is rebuilt when twice as many errors were added as were known at
// the last rebuild.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmd {

class KnownErrors {
 public:
  static constexpr size_t kFewest = 1024;  // there is always room for that many

  bool may_know(uint32_t rule, uint32_t hash) const {
    const Mark mark = mark_of(rule, hash);
    return (words_[mark.word] & mark.bits) == mark.bits;
  }
  void add(uint32_t rule, uint32_t hash) {
    const Mark mark = mark_of(rule, hash);
    uint64_t& word = words_[mark.word];
    count_ += (word & mark.bits) != mark.bits;
    word |= mark.bits;
  }
  // Time to rebuild: reset(), then add() all known ones.
  bool is_stale() const { return count_ >= room_; }
  void reset(size_t known) {
    room_ = std::max(kFewest, std::bit_ceil(2 * known));
    words_.assign(room_ / kOfAWord, 0);
    count_ = 0;
  }

 private:
  static constexpr size_t kOfAWord = 2;  // errors
  struct Mark {
    size_t word;
    uint64_t bits;
  };
  Mark mark_of(uint32_t rule, uint32_t hash) const {
    const uint64_t mixed = (hash ^ uint64_t{rule} << 32) * 0x9e3779b97f4a7c15u;
    const auto bit = [&](int from) { return uint64_t{1} << (mixed >> from & 63); };
    return {(mixed >> 40) & (words_.size() - 1), bit(16) | bit(22) | bit(28) | bit(34)};
  }

  size_t room_ = kFewest, count_ = 0;
  std::vector<uint64_t> words_ = std::vector<uint64_t>(kFewest / kOfAWord);  // a power of two
};

}  // namespace fmd
