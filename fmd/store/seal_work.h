// SealWork: blocks to be merged into one. Taken from the store, packed where that delays no other
// work, and put back.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "fmd/store/block_names.h"
#include "fmd/store/block_row.h"
#include "fmd/store/compression.h"
#include "fmd/store/pack_cost.h"

namespace fmd {

struct SealWork {
  store::BlockRow row;  // of the merged block
  size_t blocks = 0;    // number of replaced blocks
  std::string lines;
  PackLevel level;

  void pack();       // fills `data`; takes processor time, needs no store
  std::string data;  // of the merged block
  std::optional<store::BlockNames> names;
  PackCost cost;
};

struct SealStep {
  bool more = false;               // more work may be left
  std::unique_ptr<SealWork> work;  // to be packed and returned; may be null
};

}  // namespace fmd
