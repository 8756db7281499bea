#include "fmd/base/capacity.h"

#include <fmt/format.h>

namespace fmd {

std::string format_capacity(uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 0.9995e9) return fmt::format("{:.0f} MB", size / 1e6);
  const bool tera = size >= 0.9995e12;
  std::string number = fmt::format("{:.{}f}", size / (tera ? 1e12 : 1e9), tera ? 2 : 0);
  if (number.find('.') != std::string::npos) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
  }
  return number + (tera ? " TB" : " GB");
}

}  // namespace fmd
