// StateRow: one row of state in the store, (kind, key) → JSON text. Each module with persistent
// state returns its changed rows for the transaction, and gets all of them back at start.
#pragma once
#include <string>

namespace fmd {

struct StateRow {
  std::string kind, key;
  std::string doc;  // empty: delete the row
};

}  // namespace fmd
