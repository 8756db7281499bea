#include "plugins/hardware/vpd.h"

#include <cstddef>

namespace fmd::hardware {

std::string trim_padding(std::string_view text) {
  // Vendors pad with blanks, some with NULs.
  constexpr std::string_view kPadding(" \t\r\n\0", 5);
  const size_t first = text.find_first_not_of(kPadding);
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kPadding) - first + 1));
}

std::string vpd_serial(std::string_view page) {
  if (page.size() < 5 || static_cast<unsigned char>(page[1]) != 0x80) return {};
  const size_t length =
      static_cast<unsigned char>(page[2]) * 256u + static_cast<unsigned char>(page[3]);
  return trim_padding(page.substr(4, length));
}

}  // namespace fmd::hardware
