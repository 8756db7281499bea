// Long property tests play all of their seeds in the programs as shipped. Under AddressSanitizer, which makes them
// some ten times as slow, a share of them: what it finds depends on the code that runs, less on how often.
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
