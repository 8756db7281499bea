// PackCost: how much space packing has saved, and its processor time.
#pragma once
#include <cstdint>

namespace fmd {

struct PackCost {
  uint64_t bytes_in = 0, bytes_out = 0;
  uint64_t cpu_ns = 0;  // processor time

  PackCost& operator+=(const PackCost& other) {
    bytes_in += other.bytes_in;
    bytes_out += other.bytes_out;
    cpu_ns += other.cpu_ns;
    return *this;
  }
};

}  // namespace fmd
