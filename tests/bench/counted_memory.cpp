#include "counted_memory.h"

#include <cstdlib>
#include <new>

namespace {
uint64_t allocated = 0;
}

// noinline: otherwise GCC believes that free() here gets memory of another operator new. The
// nothrow version is used by std::stable_sort; without ours, ASan's would be used, whose memory
// free() must not get.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++allocated;
  return std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(size_t bytes) {
  if (void* out = operator new(bytes, std::nothrow)) return out;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

uint64_t fmd::bench::allocations() {
  return allocated;
}
