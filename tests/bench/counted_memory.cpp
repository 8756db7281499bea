#include "counted_memory.h"

#include <cstdlib>
#include <new>

namespace {
uint64_t allocated = 0;
}

// Not inlined: GCC would take what is freed here for what another operator new has given. The nothrow one, which std::stable_sort takes, is ASan's own if it is not here, and would not be freed as it was given.
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
