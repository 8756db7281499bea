// StateRow: one row of small state, (kind, key) → JSON text, as the store keeps it. Each module that
// must not forget something hands its changed rows to the transaction and takes them back at start.
#pragma once
#include <string>

namespace fmd {

struct StateRow {
  std::string kind, key;
  std::string doc;  // empty: delete the row
};

}  // namespace fmd
