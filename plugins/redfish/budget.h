// Budget: how much a whole look may take in, so that a hostile service costs a bounded amount of memory. It counts what is
// received, also of answers that are refused, and the documents that are kept from the look before. One look owns it.
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
  // False: there is not that much left, and now nothing is.
  bool take(size_t some_bytes, size_t some_values) {
    const bool enough = some_bytes <= bytes && some_values <= values;
    bytes = enough ? bytes - some_bytes : 0;
    values = enough ? values - some_values : 0;
    return enough;
  }
  // For the administrator; "" while there is something left.
  std::string complaint() const {
    if (!spent()) return {};
    return "one look took in more than 32 MiB or 500000 values; the parts that were not read are "
           "shown as last seen";
  }
};

}  // namespace fmd::redfish
