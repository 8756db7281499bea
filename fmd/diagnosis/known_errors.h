// KnownErrors: which errors (by their hash, serd.h, and the rule) some engine may know. It may name one that no
// engine knows any more, never miss one: a storm brings new errors, and for what nobody knows nobody
// has to be asked. It is made anew when it has grown to twice what it held then.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fmd {

class KnownErrors {
 public:
  static constexpr size_t kFirstRoom = 1024;  // a power of two

  // hash is not 0.
  bool may_know(uint32_t hash) const {
    for (size_t at = place(hash); places_[at] != 0; at = (at + 1) & (places_.size() - 1))
      if (places_[at] == hash) return true;
    return false;
  }
  void add(uint32_t hash) {
    size_t at = place(hash);
    for (; places_[at] != 0; at = (at + 1) & (places_.size() - 1))
      if (places_[at] == hash) return;
    places_[at] = hash;
    if (++count_ * 2 > places_.size()) grow();
  }
  // Time to make it anew: reset(), then add() all that is known.
  bool is_stale() const { return count_ >= stale_at_; }
  void reset() {
    places_.assign(kFirstRoom, 0);
    count_ = 0;
  }
  void is_fresh() { stale_at_ = std::max(kFirstRoom, 2 * count_); }

 private:
  size_t place(uint32_t hash) const { return hash & (places_.size() - 1); }
  void grow() {
    const std::vector<uint32_t> old =
        std::exchange(places_, std::vector<uint32_t>(places_.size() * 2));
    count_ = 0;
    for (const uint32_t hash : old)
      if (hash != 0) add(hash);
  }

  std::vector<uint32_t> places_ = std::vector<uint32_t>(kFirstRoom);  // 0: free
  size_t count_ = 0, stale_at_ = kFirstRoom;
};

}  // namespace fmd
