// Budget: limits how much one poll may read, so that a hostile service costs a bounded amount of
// memory. It counts everything received, including refused answers, and documents kept from the
// previous poll. Owned by the poll.
#pragma once
#include <cstddef>
#include <string>

namespace fmd::redfish {

struct Budget {
  static constexpr size_t kLookBytes = 32 << 20;
  static constexpr size_t kLookValues = 500'000;  // of JSON
  static constexpr size_t kDocumentBytes = 8 << 20;
  static constexpr size_t kNesting = 64;  // levels of objects and arrays

  size_t bytes = kLookBytes, values = kLookValues;  // left

  bool spent() const { return bytes == 0 || values == 0; }
  // False if that much is not left; then nothing is left.
  bool take(size_t some_bytes, size_t some_values) {
    const bool enough = some_bytes <= bytes && some_values <= values;
    bytes = enough ? bytes - some_bytes : 0;
    values = enough ? values - some_values : 0;
    return enough;
  }
  // For the administrator; "" unless the budget is spent.
  std::string complaint() const {
    if (!spent()) return {};
    return "one look took in more than 32 MiB or 500000 values; the parts that were not read are "
           "shown as last seen";
  }
};

}  // namespace fmd::redfish
