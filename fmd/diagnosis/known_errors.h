// KnownErrors: which errors (by their hash, serd.h) some engine of a rule may know. It may name one
// that none knows any more, never miss one: a storm brings new errors, and for what nobody knows
// nobody has to be asked. By rule, since several count the same event: to the second of them it
// would be an error that the first knows. It is made anew when it has grown to twice what it held
// then.
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
  bool may_know(uint32_t rule, uint32_t hash) const {
    const uint32_t mark = mark_of(rule, hash);
    for (size_t at = place(mark); places_[at] != 0; at = (at + 1) & (places_.size() - 1))
      if (places_[at] == mark) return true;
    return false;
  }
  void add(uint32_t rule, uint32_t hash) { add(mark_of(rule, hash)); }
  // Time to make it anew: reset(), then add() all that is known.
  bool is_stale() const { return count_ >= stale_at_; }
  void reset() {
    places_.assign(kFirstRoom, 0);
    count_ = 0;
  }
  void is_fresh() { stale_at_ = std::max(kFirstRoom, 2 * count_); }

 private:
  // 0 means a free place.
  static uint32_t mark_of(uint32_t rule, uint32_t hash) {
    return std::max<uint32_t>(1, hash ^ rule * 0x9e3779b9u);
  }
  size_t place(uint32_t mark) const { return mark & (places_.size() - 1); }
  void add(uint32_t mark) {
    size_t at = place(mark);
    for (; places_[at] != 0; at = (at + 1) & (places_.size() - 1))
      if (places_[at] == mark) return;
    places_[at] = mark;
    if (++count_ * 2 > places_.size()) grow();
  }
  void grow() {
    const std::vector<uint32_t> old =
        std::exchange(places_, std::vector<uint32_t>(places_.size() * 2));
    count_ = 0;
    for (const uint32_t mark : old)
      if (mark != 0) add(mark);
  }

  std::vector<uint32_t> places_ = std::vector<uint32_t>(kFirstRoom);  // 0: free
  size_t count_ = 0, stale_at_ = kFirstRoom;
};

}  // namespace fmd
