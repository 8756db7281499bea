// Evidence: the events that support a case: the first 64 (how it began) and the last 64 (the
// current state). The last ones are a ring buffer, since in a storm each event adds one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "fmd/base/interned.h"

namespace fmd {

struct Evidence {
  uint64_t seq = 0;
  int64_t time_ns = 0;
  Interned event_class;
};

class EvidenceList {
 public:
  static constexpr size_t kFirst = 64, kLast = 64;

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Evidence;
    using difference_type = std::ptrdiff_t;
    using pointer = const Evidence*;
    using reference = const Evidence&;
    const_iterator() = default;
    const_iterator(const EvidenceList* list, size_t at) : list_(list), at_(at) {}
    reference operator*() const { return (*list_)[at_]; }
    pointer operator->() const { return &(*list_)[at_]; }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    const_iterator operator++(int) { return {list_, at_++}; }
    bool operator==(const const_iterator&) const = default;

   private:
    const EvidenceList* list_ = nullptr;
    size_t at_ = 0;
  };

  void push_back(Evidence one) {
    if (kept_.size() < kFirst + kLast) {
      oldest_ = 0;  // it may have been moved from
      return kept_.push_back(std::move(one));
    }
    kept_[kFirst + oldest_] = std::move(one);
    oldest_ = (oldest_ + 1) % kLast;
  }
  void clear() { *this = EvidenceList(); }

  size_t size() const { return kept_.size(); }
  bool empty() const { return kept_.empty(); }
  const Evidence& operator[](size_t at) const {
    return kept_[at < kFirst ? at : kFirst + (at - kFirst + oldest_) % kLast];
  }
  const Evidence& front() const { return (*this)[0]; }
  const Evidence& back() const { return (*this)[size() - 1]; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

 private:
  std::vector<Evidence> kept_;
  size_t oldest_ = 0;  // behind the first ones, once it is full
};

}  // namespace fmd
