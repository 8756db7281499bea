// SealWork: blocks that will become one. They are taken out of the store, packed where it delays
// nobody, and put back.
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
  store::BlockRow row;  // of the new block
  size_t blocks = 0;    // that it takes the place of
  std::string lines;
  PackLevel level;

  void pack();       // fills what is below; takes the processor's time, and needs no store
  std::string data;  // of the new block
  std::optional<store::BlockNames> names;
  PackCost cost;
};

struct SealStep {
  bool more = false;               // work may be left
  std::unique_ptr<SealWork> work;  // to be packed and given back; may be empty
};

}  // namespace fmd
