// Shared: an immutable T with a reference count, like std::shared_ptr<const T> but eight bytes; the
// count uses T's padding. Never empty, except after none() or a move; the default is a T{}. Copies
// may be used in several threads.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fmd {

template <class T>
class Shared {
 public:
  Shared() : Shared(T{}) {}
  explicit Shared(T value) : kept_(new Kept(std::move(value))) {}
  static Shared none() { return Shared(nullptr); }
  Shared(const Shared& other) noexcept : kept_(other.kept_) {
    if (kept_) kept_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(kept_, other.kept_);
    return *this;
  }
  ~Shared() {
    if (kept_ && kept_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete kept_;
  }

  uint32_t holders() const { return kept_ ? kept_->holders.load() : 0; }  // including this one
  bool is_none() const { return !kept_; }                                 // or moved from
  const T& operator*() const { return *kept_; }
  const T* operator->() const { return kept_; }
  bool is_that_of(const Shared& other) const { return kept_ == other.kept_; }

 private:
  struct Kept : T {
    explicit Kept(T&& value) : T(std::move(value)) {}
    std::atomic<uint32_t> holders{1};
  };
  explicit Shared(std::nullptr_t) : kept_(nullptr) {}

  Kept* kept_;
};

}  // namespace fmd
