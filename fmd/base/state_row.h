// StateRow: one row of small state, (kind, key) → JSON text, as the store keeps it. Each module
// with persistent state returns its changed rows for the transaction, and gets all of them back at
// start.
#pragma once
#include <string>

namespace fmd {

struct StateRow {
  std::string kind, key;
  std::string doc;  // empty: delete the row
};

}  // namespace fmd
