// Long property tests use all seeds in the programs as shipped, and a share of them with
// AddressSanitizer, which is ten times as slow and finds errors by coverage, not by repetition.
#pragma once

namespace fmd {

constexpr unsigned share_of(unsigned seeds) {
#ifdef __SANITIZE_ADDRESS__
  return (seeds + 4) / 5;
#else
  return seeds;
#endif
}

}  // namespace fmd
