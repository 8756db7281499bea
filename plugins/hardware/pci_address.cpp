#include "plugins/hardware/pci_address.h"

#include <algorithm>

namespace fmd::hardware {
namespace {

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

bool is_pci_address(std::string_view name) {
  const size_t colon = name.find(':');
  if (colon == name.npos || colon < 4 || colon > 8 || name.size() != colon + 8) return false;
  const std::string_view rest = name.substr(colon + 1);
  return is_lower_hex(name.substr(0, colon)) && is_lower_hex(rest.substr(0, 2)) && rest[2] == ':' &&
         is_lower_hex(rest.substr(3, 2)) && rest[5] == '.' && rest[6] >= '0' && rest[6] <= '7';
}

std::string pci_address_in(std::string_view path) {
  while (!path.empty()) {
    const size_t slash = path.rfind('/');
    const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
    if (is_pci_address(name)) return std::string(name);
    path = slash == path.npos ? "" : path.substr(0, slash);
  }
  return {};
}

}  // namespace fmd::hardware
