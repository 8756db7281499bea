// A block's row without its data. Internal to the store.
#pragma once
#include <cstdint>

namespace fmd::store {

struct BlockRow {
  uint64_t first_seq = 0, last_seq = 0;
  int64_t from_ns = 0, to_ns = 0;
  uint64_t count = 0;
  bool sealed = false;
};

}  // namespace fmd::store
