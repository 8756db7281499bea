// Long property tests use all of their seeds in the programs as shipped. AddressSanitizer makes
// them about ten times as slow, and finds errors by which code runs rather than how often: it uses
// a share.
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
